import { submitChallenge } from '../support/challenge.ts';
import { Shop, eventually, ledger } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { proves } from '../support/proves.ts';

let world: World;
let shop: Shop;

beforeAll(async () => {
  world = await createWorld();
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

const captured = async (id: string) =>
  (await ledger(world.networkUrl, id)).charges.filter(({ status }) => status === 'captured').length;

const paidSoon = (id: string) =>
  eventually(async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined));

// Concurrent, because each has its own payment, and the slow card's answer takes five seconds.
describe('the test cards, from creation to the network ledger', () => {
  it.concurrent.each(['4242424242424242', '5555555555554444', '378282246310005', '4000000000007304'])(
    '%s is paid with one charge',
    async (number) => {
      const id = await shop.customPayment();
      const paid = await shop.pay(id, await shop.captureCard(id, number));
      expect(paid.text).toBe(JSON.stringify({ data: { status: 'paid', paymentId: id } }));
      expect(paid.status).toBe(200);
      expect(await shop.read(id)).toMatchObject({
        status: 'paid',
        method: 'card',
        cardLast4: number.slice(-4),
      });
      expect(await shop.status(id)).toMatchObject({ status: 'paid', action: null });
      expect(await captured(id)).toBe(1);
    },
  );

  it.concurrent(
    '4000000000000002 is declined five times, then the attempts are exhausted and the payment failed',
    async () => {
      const id = await shop.customPayment();
      const card = await shop.captureCard(id, '4000000000000002');
      for (const attemptsLeft of [4, 3, 2, 1, 0]) {
        const answer = await shop.pay(id, card);
        expect(answer.body.data).toMatchObject({
          status: 'failed',
          failureCode: 'card_declined',
          attemptsLeft,
        });
      }
      expect((await shop.pay(id, card)).body.error?.code).toBe('attempts_exhausted');
      expect(await shop.read(id)).toMatchObject({
        status: 'failed',
        failureCode: 'card_declined',
        checkoutUrl: null,
      });
      expect(await shop.status(id)).toMatchObject({
        status: 'expired',
        terminalReason: 'attempts_exhausted',
      });
      expect(await captured(id)).toBe(0);
    },
  );

  it.concurrent('4000000000009995 is declined once and paid with the same token', async () => {
    const id = await shop.customPayment();
    const card = await shop.captureCard(id, '4000000000009995');
    expect((await shop.pay(id, card)).body.data).toMatchObject({
      status: 'failed',
      failureCode: 'insufficient_funds',
    });
    expect(await shop.status(id)).toMatchObject({ status: 'failed_retryable', attemptsLeft: 4 });
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    expect(await captured(id)).toBe(1);
  });

  it.concurrent('4000000000009987 fails permanently and closes the checkout', async () => {
    const id = await shop.customPayment();
    const answer = await shop.pay(id, await shop.captureCard(id, '4000000000009987'));
    expect(answer.body.data).toMatchObject({ status: 'failed', failureCode: 'lost_card' });
    expect(await shop.status(id)).toMatchObject({ status: 'expired', terminalReason: 'provider_failed' });
    expect(await shop.read(id)).toMatchObject({ status: 'failed', failureCode: 'lost_card' });
  });

  it.concurrent(
    proves(
      '4000000000003220 is paid after its challenge, which the action page confirms by itself',
      'CONFIRM-03',
      'PAGE-07',
    ),
    async () => {
      const id = await shop.customPayment();
      const answer = await shop.pay(id, await shop.captureCard(id, '4000000000003220'));
      expect(answer.body.data).toMatchObject({ status: 'requiresAction', clientSecret: expect.any(String) });
      expect(await shop.read(id)).toMatchObject({ status: 'requiresAction' });
      const actionUrl = String((await shop.checkout(id))['actionUrl']);
      const challenge = await fetch(actionUrl, { redirect: 'manual' });
      expect(challenge.status).toBe(303);
      const page = await fetch(challenge.headers.get('location') ?? '');
      expect(await page.text()).toContain('challenge-approve');
      const approve = await submitChallenge(challenge.headers.get('location') ?? '', 'approve');
      expect(approve).toContain(`${actionUrl}/return`);
      await fetch(approve, { redirect: 'manual' });
      await paidSoon(id);
      expect(await captured(id)).toBe(1);
    },
  );

  it.concurrent(
    proves(
      '4000000000007007 is charged although its answer is lost: found paid, charged once',
      'PAY-17',
      'FENCE-07',
    ),
    async () => {
      const id = await shop.customPayment();
      const answer = await shop.pay(id, await shop.captureCard(id, '4000000000007007'));
      expect(answer.status).toBe(503);
      await paidSoon(id);
      expect(await captured(id)).toBe(1);
    },
  );

  it.concurrent(
    '4000000000007106 is not charged and its answer is lost: found declined, may be retried',
    async () => {
      const id = await shop.customPayment();
      expect((await shop.pay(id, await shop.captureCard(id, '4000000000007106'))).status).toBe(503);
      await eventually(async () =>
        (await shop.status(id))['status'] === 'failed_retryable' ? true : undefined,
      );
      expect(await captured(id)).toBe(0);
      expect(await shop.read(id)).toMatchObject({ status: 'pending' });
    },
  );

  it.concurrent(
    '4000000000007403 is rejected as a token: nothing charged, no attempt used, capture access alive',
    async () => {
      const id = await shop.customPayment();
      const answer = await shop.pay(id, await shop.captureCard(id, '4000000000007403'));
      expect([answer.status, answer.body.error?.code]).toEqual([422, 'card_token_rejected']);
      expect(await shop.status(id)).toMatchObject({ status: 'open', attemptsLeft: 5 });
      expect((await shop.pay(id, await shop.captureCard(id))).body.data).toMatchObject({ status: 'paid' });
    },
  );
});
