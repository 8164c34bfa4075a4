import { Shop } from '../../support/shop.ts';
import { proves } from '../../support/proves.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let shop: Shop;
beforeAll(async () => {
  world = await createWorld();
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

it(proves('a pay that is refused with 422 leaves the payment as it was', 'PSTATE-10', 'PAY-12'), async () => {
  const id = await shop.customPayment();
  const card = await shop.captureCard(id);
  const before = [await shop.read(id), await shop.checkout(id)];
  const wrong = { ...card, cardToken: `${card.cardToken.slice(0, -4)}0000` };
  expect((await shop.pay(id, wrong)).body.error).toMatchObject({ code: 'card_token_rejected' });
  expect([await shop.read(id), await shop.checkout(id)]).toEqual(before);
  expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
  expect(await shop.read(id)).toMatchObject({ status: 'paid', method: 'card' });
});

it('a reservation that is released leaves the payment as it was', async () => {
  const id = await shop.customPayment();
  const card = await shop.captureCard(id);
  const before = await shop.read(id);
  await world.stopWorker();
  expect((await shop.pay(id, card)).body.error).toMatchObject({ code: 'service_unavailable' });
  expect(await shop.read(id)).toEqual(before);
});
