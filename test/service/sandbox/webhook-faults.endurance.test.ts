import { keyed, paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';
import { type Receiver, createReceiver } from '../../support/receiver.ts';

let world: World;
let shop: Shop;
let receiver: Receiver;

beforeAll(async () => {
  world = await createWorld(
    {
      REFUND_DELAY_SECONDS: '0',
      WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1,1,1,1,1,1,1,1',
    },
    { webhooks: true },
  );
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  receiver = await createReceiver();
  await shop.call('POST', '/v1/webhook-endpoints', { url: receiver.url });
});
afterAll(async () => {
  await world.close();
  await receiver.close();
});

const copies = (paymentId: string, type: string): number =>
  receiver.received.filter(({ event }) => event.type === type && isAbout(event.data, paymentId)).length;
const isAbout = (data: Record<string, unknown>, paymentId: string): boolean =>
  data['id'] === paymentId || data['paymentId'] === paymentId;

describe('webhooks of refunds with injected faults', () => {
  it('arrive twice after a lost answer, late after an error, and otherwise once', async () => {
    const id = await paidPayment(shop);
    await eventually(async () => (copies(id, 'payment.paid') === 1 ? true : undefined));
    const order = (mode: string) =>
      keyed(shop, '/v1/sandbox/faults', { target: 'webhook', mode, count: 1, paymentId: id });
    expect((await order('lostResponse')).status).toBe(200);
    expect((await order('error')).status).toBe(200);
    await refund(shop, id, { amountCents: 500 });
    await eventually(async () =>
      ['refund.created', 'refund.succeeded', 'payment.partiallyRefunded'].every(
        (type) => copies(id, type) > 0,
      )
        ? true
        : undefined,
    );
    await eventually(async () => {
      const seen = receiver.received.filter(({ event }) => isAbout(event.data, id));
      return seen.length === 5 ? true : undefined;
    });
    const { rows } = await world.database.query('SELECT 1 FROM sandbox_webhook_faults');
    expect(rows).toEqual([]);
    const refunded = receiver.received.find(
      ({ event }) => event.type === 'payment.partiallyRefunded' && event.data['id'] === id,
    );
    expect(refunded?.event).toMatchObject({
      previousStatus: 'paid',
      sequence: 4,
      data: { status: 'partiallyRefunded', refundedCents: 500, netCents: 2000, checkoutUrl: null },
    });
  });
});
