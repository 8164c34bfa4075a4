import { join } from 'node:path';
import { listAlerts } from '../../../src/db/server/operator-alerts.ts';
import { type ServiceProcess, startApiProcess, startWorkerProcess } from '../../support/service-process.ts';
import { Shop, eventually, ledger } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

const twentyMinutes = 20 * 60_000;
const preload = join(import.meta.dirname, '../../support/shifted-clock.mjs');

let world: World;
let shop: Shop;
let shifted: ServiceProcess;
beforeEach(async () => {
  world = await createWorld({ SWEEP_SECONDS: '1' }, { worker: false });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterEach(async () => {
  await shifted.kill();
  await world.close();
});

const startShifted = () =>
  startWorkerProcess(world, {
    NODE_OPTIONS: `--import ${preload}`,
    CLOCK_SHIFT_MS: String(twentyMinutes),
  });
const alerts = async (kind: string) =>
  (await listAlerts(world.database, 100)).filter(({ sweep }) => sweep === kind);
const raised = (kind: string) =>
  eventually(async () => {
    const found = await alerts(kind);
    return found.length > 0 ? found : undefined;
  });
const cleared = (kind: string) =>
  eventually(async () => ((await alerts(kind)).length === 0 ? true : undefined), 60_000);
const paidOnce = async (id: string, attemptId: string) => {
  const { charges } = await ledger(world.networkUrl, id);
  expect(charges).toMatchObject([{ status: 'captured', attemptId, amountCents: 2500 }]);
};

it('a worker 20 minutes ahead raises an alert, charges and leads nothing, and works once its clock is right', async () => {
  const [id, other] = [await shop.customPayment(), await shop.customPayment()];
  const cards = [await shop.captureCard(id), await shop.captureCard(other)] as const;
  await world.database.query(
    `INSERT INTO sweep_leaders (role, term, leader, refreshed_at)
     SELECT role, 1, 'gone', now() - interval '2 minutes' FROM unnest(ARRAY['payments', 'provider']) AS role`,
  );
  shifted = await startShifted();
  const [clock] = await raised('clock');
  expect(clock).toMatchObject({ subject: expect.stringMatching(/^worker .+:\d+$/) });
  const offsetMs = Number(/^\+(\d+)ms:(PostgreSQL|Temporal)$/.exec(clock?.detail ?? '')?.[1]);
  expect(Math.abs(offsetMs - twentyMinutes)).toBeLessThan(60_000);
  // No other process leads either.
  expect((await raised('leader')).map(({ subject }) => subject)).toEqual(['payments', 'provider']);

  expect((await shop.pay(id, cards[0])).status).toBe(503);
  expect((await ledger(world.networkUrl, id)).charges).toEqual([]);
  const { rows } = await world.database.query(
    `SELECT DISTINCT status FROM capture_access WHERE payment_id = ANY ($1)`,
    [[id, other]],
  );
  expect(rows).toEqual([{ status: 'registered' }]);

  process.kill(shifted.pid, 'SIGWINCH');
  await cleared('clock');
  await cleared('leader');
  // The first pay was refused and its attempt released. The other payment is paid as usual.
  await eventually(async () => ((await shop.pay(other, cards[1])).status === 200 ? true : undefined), 60_000);
  await eventually(async () => ((await shop.read(other))['status'] === 'paid' ? true : undefined));
  await paidOnce(other, `${other}:1`);
});

it('beside a worker that is 20 minutes ahead, payments are paid now and capture access stays', async () => {
  shifted = await startShifted();
  await world.startWorker('payments,provider');
  await raised('clock');
  const [id, other] = [await shop.customPayment(), await shop.customPayment()];
  const cards = [await shop.captureCard(id), await shop.captureCard(other)] as const;
  expect(await shop.pay(id, cards[0])).toMatchObject({ status: 200, body: { data: { status: 'paid' } } });
  const { rows } = await world.database.query<{ inTime: boolean }>(
    `SELECT paid_at <= clock_timestamp() AND paid_at >= created_at AS "inTime" FROM payments WHERE id = $1`,
    [id],
  );
  expect(rows).toEqual([{ inTime: true }]);
  // A few turns of the sweeps have passed by then.
  await eventually(async () => {
    await world.database.query(
      `INSERT INTO list_changes (list, merchant_id, environment, status, created_s, change)
       SELECT 'payments', merchant_id, 'sandbox', 'pending', 1, 0 FROM payments WHERE id = $1`,
      [id],
    );
    return true;
  });
  await eventually(async () => {
    const { rowCount } = await world.database.query('SELECT FROM list_changes');
    return rowCount === 0 ? true : undefined;
  });
  expect(await shop.pay(other, cards[1])).toMatchObject({ status: 200, body: { data: { status: 'paid' } } });
  await Promise.all([paidOnce(id, `${id}:1`), paidOnce(other, `${other}:1`)]);
});

it('an API 20 minutes behind gives payments their deadlines by PostgreSQL from its first request on', async () => {
  const api = await startApiProcess(world, {
    NODE_OPTIONS: `--import ${preload}`,
    CLOCK_SHIFT_MS: String(-twentyMinutes),
  });
  shifted = api;
  const other = new Shop(api.baseUrl, shop.key);
  const ids = await Promise.all([other.customPayment(), other.customPayment(), other.customPayment()]);
  const { rows } = await world.database.query<{ leftMinutes: number }>(
    `SELECT round(extract(epoch FROM expires_at - clock_timestamp()) / 60)::int AS "leftMinutes"
     FROM payments WHERE id = ANY ($1)`,
    [ids],
  );
  expect(rows).toEqual([{ leftMinutes: 30 }, { leftMinutes: 30 }, { leftMinutes: 30 }]);
});
