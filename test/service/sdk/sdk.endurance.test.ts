import { randomUUID } from 'node:crypto';
import {
  CardPayments,
  type CaptureCard,
  NotFoundError,
  type OncePayment,
} from '../../../sdk/typescript/src/index.ts';
import { createSigningSecret, signatureHeaders } from '../../../src/webhooks/signing.ts';
import { ledger } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';
import { type Cut, type CuttingProxy, startCuttingProxy } from '../../support/harness/cutting-proxy.ts';

let world: World;
let proxy: CuttingProxy;
let apiKey: string;
/** A merchant's backend. */
let cp: CardPayments;

beforeAll(async () => {
  world = await createWorld();
  proxy = await startCuttingProxy(world.baseUrl);
  apiKey = await world.key(await world.merchant(), 'sandbox');
  cp = new CardPayments({ apiKey, baseUrl: proxy.url });
});
afterAll(async () => {
  await proxy.close();
  await world.close();
});

const visa = '4242424242424242';
const declinedCard = '4000000000000002';
const lostAnswer = '4000000000007007';
const challenged = '4000000000003220';

const orderOf = (checkoutMode: 'custom' | 'hosted' = 'custom') =>
  ({
    amountCents: 2500,
    currency: 'USD',
    reference: `order-${randomUUID()}`,
    successUrl: 'https://shop.example/thanks',
    cancelUrl: 'https://shop.example/cart',
    checkoutMode,
  }) as const;

/** Creates a payment and captures a card for it. */
async function captured(number = visa): Promise<{ id: string; card: CaptureCard }> {
  const order = orderOf();
  const { id } = await cp.payments.createOnce(order.reference, order);
  const access = await cp.payments.prepareCapture(id);
  const card = await cp.vault.capture(access, { number, cvv: '123', expiryMonth: 12, expiryYear: 2040 });
  return { id, card };
}

/** Returns the charges of a payment that the network has captured. */
const chargesOf = async (id: string) =>
  (await ledger(world.networkUrl, id)).charges.filter(({ status }) => status === 'captured');

describe('a payment through the SDK', () => {
  it('is created once, paid, refunded once, and found again by its reference', async () => {
    const { id, card } = await captured();
    const outcome = await cp.payments.payAndWait(id, card);
    expect(outcome).toMatchObject({ status: 'paid', payment: { id, status: 'paid', amountCents: 2500 } });
    expect(await chargesOf(id)).toHaveLength(1);

    const refund = await cp.refunds.createOnce('return-1', id, { amountCents: 1000 });
    expect((await cp.refunds.createOnce('return-1', id, { amountCents: 1000 })).id).toBe(refund.id);
    const { reference } = await cp.payments.retrieve(id);
    const found: string[] = [];
    for await (const payment of cp.payments.search({ reference })) found.push(payment.id);
    expect(found).toEqual([id]);
  });

  it.each<[Cut]>([['before'], ['within'], ['after']])(
    'is charged once when the connection is cut %s a pay',
    async (cut) => {
      const { id, card } = await captured();
      proxy.cuts.push(cut);
      expect(await cp.payments.payAndWait(id, card)).toMatchObject({ status: 'paid', paymentId: id });
      expect(proxy.cuts).toEqual([]);
      expect(await chargesOf(id)).toHaveLength(1);
    },
  );

  it('is found paid when the answer of the network is lost', async () => {
    const { id, card } = await captured(lostAnswer);
    expect(await cp.payments.payAndWait(id, card)).toMatchObject({ status: 'paid' });
    expect(await chargesOf(id)).toHaveLength(1);
  });

  it('uses one attempt when the connection is cut within a pay that is declined', async () => {
    const { id, card } = await captured(declinedCard);
    proxy.cuts.push('within');
    const outcome = await cp.payments.payAndWait(id, card);
    expect(outcome).toEqual({
      status: 'declined',
      paymentId: id,
      attemptsLeft: 4,
      failureCode: 'card_declined',
    });
    expect(await cp.payments.recover(id)).toEqual(outcome);
  });

  it('is charged once by two payAndWait at once', async () => {
    const { id, card } = await captured();
    const both = await Promise.all([cp.payments.payAndWait(id, card), cp.payments.payAndWait(id, card)]);
    expect(both.map(({ status }) => status)).toEqual(['paid', 'paid']);
    expect(await chargesOf(id)).toHaveLength(1);
  });

  it('returns the address of a challenge, and is recovered when the customer has completed it', async () => {
    const { id, card } = await captured(challenged);
    const outcome = await cp.payments.payAndWait(id, card);
    expect(outcome).toMatchObject({ status: 'requiresAction' });
    expect(outcome.status === 'requiresAction' && outcome.actionUrl).toContain(`${world.baseUrl}/a/`);
    await cp.sandbox.answerChallenge(id, { result: 'authenticated' });
    expect(await cp.payments.recover(id)).toMatchObject({ status: 'paid' });
  });

  it('is found again after the service has forgotten its key', async () => {
    const order = orderOf();
    const create = (): Promise<OncePayment> =>
      new CardPayments({ apiKey, baseUrl: world.baseUrl }).payments.createOnce(order.reference, order);
    const first = await create();
    // The state after 24 hours.
    await world.database.query('DELETE FROM idempotency_keys');
    expect(await create()).toEqual(first);
    expect((await cp.payments.search({ reference: order.reference })).data).toHaveLength(1);
  });

  it('is recovered by its id when it is hosted', async () => {
    const order = orderOf('hosted');
    const { id } = await cp.payments.createOnce(order.reference, order);
    expect(await cp.payments.recover(id, { timeoutMs: 5_000 })).toMatchObject({
      status: 'unknown',
      checkoutStatus: 'open',
    });
    await cp.sandbox.setOutcome(id, { outcome: 'paid' });
    expect(await cp.payments.recover(id)).toMatchObject({ status: 'paid' });
  });

  it('is expired only after its attempt is over', async () => {
    const { id } = await captured();
    await cp.sandbox.advanceClock(id, { bySeconds: 1_800 });
    expect(await cp.payments.recover(id)).toMatchObject({
      status: 'expired',
      terminalReason: 'checkout_expired',
    });
  });

  it('of another environment is not found', async () => {
    const { id } = await captured();
    const live = new CardPayments({
      apiKey: await world.key(await world.merchant(), 'live'),
      baseUrl: world.baseUrl,
    });
    await expect(live.payments.recover(id)).rejects.toBeInstanceOf(NotFoundError);
  });
});

it('an event of the log is verified as its webhook carries it', async () => {
  const { id, card } = await captured();
  await cp.payments.payAndWait(id, card);
  const [event] = (await cp.events.list({ paymentId: id, type: 'payment.paid' })).data;
  const [body, secret] = [JSON.stringify(event), createSigningSecret()];
  const headers = signatureHeaders({ id: event?.id ?? '', body }, [secret], new Date());
  const verified = await cp.webhooks.verify(body, headers, secret);
  expect(verified.type === 'payment.paid' && verified.data.id).toBe(id);
});
