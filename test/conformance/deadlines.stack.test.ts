import { eventually, ledger, sendCard } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { Probe, refusal } from './contract-checks.ts';
import { type HoldingProxy, accessOf, openApi, openCast, openGate, injectFault } from './support.ts';
import { proves } from '../support/proves.ts';

/**
 * Deadlines in seconds instead of minutes. The workflow's time-skipping tests prove the exact times at full
 * length. These tests show that the whole service closes checkouts automatically, and what callers then
 * receive. All payments are prepared together, so that their deadlines pass together.
 */
const deadlineSeconds = 6;
const windowSeconds = 4;

let world: World;
let shop: Probe;
let networkGate: HoldingProxy;

type Card = { cardToken: string; captureReference: string };
/** The payments of this file, in the states in which their deadlines find them. */
let open: { id: string; card: Card };
let waiting: { id: string };
let declined: { id: string; card: Card };
let unanswered: { id: string; card: Card; release: () => void; answer: [number, string | undefined] };
let windowed: { id: string; neverPrepared: string; access: ReturnType<typeof accessOf>; card: Card };

beforeAll(async () => {
  networkGate = await openGate();
  world = await createWorld({
    CHECKOUT_DEADLINE_SECONDS: String(deadlineSeconds),
    CAPTURE_WINDOW_SECONDS: String(windowSeconds),
    NETWORK_URL: networkGate.url,
  });
  networkGate.target = world.networkUrl;
  ({ a: shop } = await openCast(world));
  [open, waiting, declined, unanswered, windowed] = await Promise.all([
    prepareOpen(),
    prepareWaiting(),
    prepareDeclined(),
    prepareUnanswered(),
    prepareWindowed(),
  ]);
});
afterAll(async () => {
  await world.close();
  await networkGate.close();
});

async function prepareOpen() {
  const id = await shop.customPayment();
  return { id, card: await shop.captureCard(id) };
}

async function prepareWaiting() {
  const id = await shop.customPayment();
  await shop.pay(id, await shop.captureCard(id, '4000000000003220'));
  expect(await shop.read(id)).toMatchObject({ status: 'requiresAction' });
  return { id };
}

async function prepareDeclined() {
  const id = await shop.customPayment();
  const card = await shop.captureCard(id, '4000000000000002');
  await shop.pay(id, card);
  return { id, card };
}

async function prepareUnanswered() {
  const id = await shop.customPayment();
  const card = await shop.captureCard(id);
  await injectFault(world, 'lostResponse', id);
  const { release } = networkGate.hold(new RegExp(`^GET /v1/charges/${id}`));
  return { id, card, release, answer: refusal(await shop.pay(id, card)) };
}

async function prepareWindowed() {
  const [id, neverPrepared] = await Promise.all([shop.customPayment(), shop.customPayment()]);
  const access = accessOf(await shop.capture(id));
  return { id, neverPrepared, access, card: await sendCard(access, '4242424242424242') };
}

/** Waits until a time of the service has passed by `afterMs`. Nothing is read or called meanwhile. */
async function passed(instant: unknown, afterMs = 50): Promise<void> {
  const wait = Date.parse(String(instant)) + afterMs - Date.now();
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
}

/** Returns the stored row: the state of a checkout without any read of it. */
async function row(id: string) {
  const { rows } = await world.database.query<{ checkout: string; reason: string | null; status: string }>(
    'SELECT checkout_status AS checkout, terminal_reason AS reason, status FROM payments WHERE id = $1',
    [id],
  );
  return rows[0];
}

async function closedByItself(id: string): Promise<void> {
  await passed((await shop.read(id))['expiresAt']);
  await eventually(async () => ((await row(id))?.checkout === 'expired' ? true : undefined), 10_000);
}

async function events(id: string): Promise<string[]> {
  const { rows } = await world.database.query<{ type: string }>(
    'SELECT type FROM events WHERE payment_id = $1 ORDER BY sequence',
    [id],
  );
  return rows.map(({ type }) => type);
}

const answersOf = async (id: string, card: Card) => [
  refusal(await shop.capture(id)),
  refusal(await shop.pay(id, card)),
  refusal(await shop.confirm(id)),
];
const gone = Array.from({ length: 3 }, () => [410, 'checkout_expired']);

describe('at the end of the capture window', () => {
  it(
    proves(
      'prepare and vault refuse, whether prepared earlier or not, and the checkout stays open',
      'CAPTURE-05',
      'CAPTURE-06',
      'CAPTURE-08',
      'CAPTURE-09',
      'LIMIT-14',
      'VAULT-09',
      'AMB-02',
    ),
    async () => {
      const { id, neverPrepared, access } = windowed;
      const created = Date.parse(String((await shop.read(id))['createdAt']));
      expect(Date.parse(access.expiresAt) - created).toBe(windowSeconds * 1000);
      await passed(access.expiresAt, 300);
      expect(refusal(await shop.capture(id))).toEqual([410, 'checkout_expired']);
      expect(refusal(await shop.capture(neverPrepared))).toEqual([410, 'checkout_expired']);
      await expect(sendCard(access, '4242424242424242')).rejects.toThrow('401');
      expect(await shop.status(id)).toMatchObject({ status: 'open' });
    },
  );

  it(proves('a token that was captured in time pays after the window', 'AMB-32'), async () => {
    expect((await shop.pay(windowed.id, windowed.card)).body.data).toMatchObject({ status: 'paid' });
  });
});

describe('at the deadline', () => {
  it(
    proves(
      'an open checkout expires by itself, and the payment stays pending without an event',
      'CLOSE-02 to -04',
      'CLOSE-07',
      'CLOSE-08',
      'CAPTURE-10',
      'PAY-11',
      'PAY-16',
      'CONFIRM-09',
      'STATUS-07',
      'CHECKOUT-11',
      'CHECKOUT-27',
      'HOOK-07',
    ),
    async () => {
      const { id, card } = open;
      await closedByItself(id);
      expect(await row(id)).toEqual({ checkout: 'expired', reason: 'checkout_expired', status: 'pending' });
      expect(await shop.status(id)).toMatchObject({
        status: 'expired',
        terminalReason: 'checkout_expired',
        action: null,
      });
      expect(await shop.checkout(id)).toMatchObject({
        status: 'expired',
        terminalReason: 'checkout_expired',
      });
      expect(await answersOf(id, card)).toEqual(gone);
      expect(await shop.read(id)).toMatchObject({ status: 'pending', failureCode: null, checkoutUrl: null });
      expect(await events(id)).toEqual([]);
      expect((await ledger(world.networkUrl, id)).charges).toEqual([]);
    },
  );

  it(
    proves(
      'an open action ends, and the payment is pending again without an event for the expiry',
      'CLOSE-03',
      'AMB-08',
    ),
    async () => {
      const { id } = waiting;
      await closedByItself(id);
      expect(await shop.status(id)).toMatchObject({
        status: 'expired',
        terminalReason: 'checkout_expired',
        action: null,
      });
      expect(await shop.checkout(id)).not.toHaveProperty('actionUrl');
      expect(await shop.read(id)).toMatchObject({ status: 'pending' });
      expect(refusal(await shop.confirm(id))).toEqual([410, 'checkout_expired']);
      expect(await events(id)).toEqual(['payment.requiresAction']);
    },
  );

  it(
    proves('a checkout that waits for another attempt expires, and its payment is not failed', 'CLOSE-03'),
    async () => {
      const { id, card } = declined;
      await closedByItself(id);
      expect(await shop.status(id)).toMatchObject({
        status: 'expired',
        terminalReason: 'checkout_expired',
        attemptsLeft: 4,
      });
      expect(await answersOf(id, card)).toEqual(gone);
      expect(await shop.read(id)).toMatchObject({ status: 'pending', failureCode: null });
    },
  );

  it(
    proves(
      'a checkout with an unanswered attempt expires, every call is 410, and a late success makes the payment paid',
      'AMB-07',
      'RECOVER-03',
      'PSTATE-11',
      'HOOK-08',
    ),
    async () => {
      const { id, card, release, answer } = unanswered;
      expect(answer).toEqual([503, 'service_unavailable']);
      await closedByItself(id);
      expect(await shop.status(id)).toMatchObject({ status: 'expired', terminalReason: 'checkout_expired' });
      expect(await answersOf(id, card)).toEqual(gone);
      expect(await shop.read(id)).toMatchObject({ status: 'pending' });
      release();
      await eventually(async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined));
      expect(await shop.status(id)).toMatchObject({ status: 'expired', terminalReason: 'checkout_expired' });
      expect(await events(id)).toEqual(['payment.paid']);
      expect((await ledger(world.networkUrl, id)).charges).toHaveLength(1);
    },
  );

  it(
    proves(
      'a checkout shows as closed at once although no worker runs at its deadline, and is closed when one is back',
      'CLOSE-08',
      'STATUS-08',
    ),
    async () => {
      const hasty = await openApi(world, { CHECKOUT_DEADLINE_SECONDS: 2, CAPTURE_WINDOW_SECONDS: 1 });
      const id = await new Probe(hasty.baseUrl, shop.key).customPayment();
      await hasty.stop();
      await world.stopWorker();
      try {
        await passed((await shop.read(id))['expiresAt']);
        expect(await shop.status(id)).toMatchObject({
          status: 'expired',
          terminalReason: 'checkout_expired',
        });
      } finally {
        await world.startWorker();
      }
      await closedByItself(id);
      expect(await answersOf(id, open.card)).toEqual(gone);
      expect(await shop.read(id)).toMatchObject({ status: 'pending' });
    },
  );
});
