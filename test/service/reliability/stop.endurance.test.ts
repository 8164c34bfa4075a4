import { type ApiProcess, startApiProcess } from '../../support/service-process.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { createWorld, type World } from '../../support/world.ts';

let world: World;
let key: string;
let api: ApiProcess;
beforeEach(async () => {
  world = await createWorld({});
  key = await world.key(await world.merchant(), 'sandbox');
  api = await startApiProcess(world);
});
afterEach(async () => {
  await api.kill();
  await world.close();
});

/** Waits until the attempt is recorded, so that the pay is in progress. */
const underWay = (id: string) =>
  eventually(async () => {
    const { rows } = await world.database.query('SELECT FROM attempts WHERE payment_id = $1', [id]);
    return rows.length > 0 ? true : undefined;
  });

it('a stopping API answers a pay at a slow bank before it ends', async () => {
  const shop = new Shop(api.baseUrl, key);
  const id = await shop.customPayment();
  const card = await shop.captureCard(id, '4000000000007304');
  const paying = shop.pay(id, card);
  await underWay(id);
  const stopping = api.stop();
  expect(await paying).toMatchObject({ status: 200, body: { data: { status: 'paid' } } });
  expect(await stopping).toBe(0);
});

it('a stopping API refuses the longest pay, which no worker claims, and leaves nothing under way', async () => {
  const shop = new Shop(api.baseUrl, key);
  const id = await shop.customPayment();
  const card = await shop.captureCard(id);
  await world.stopWorker();
  const paying = shop.pay(id, card);
  await underWay(id);
  const stopping = api.stop();
  expect((await paying).status).toBe(503);
  expect(await stopping).toBe(0);
  const { rows } = await world.database.query('SELECT status FROM attempts WHERE payment_id = $1', [id]);
  expect(rows).toEqual([{ status: 'released' }]);
});
