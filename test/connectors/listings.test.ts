import { createNetworkListings } from '../../src/providers/listings-http.ts';
import type { ListedPage, ListedSpan, NetworkListings } from '../../src/providers/listings.ts';
import { createProviderHttp } from '../../src/providers/http.ts';
import type { ChargeRequest } from '../../src/providers/ports.ts';
import { createStripe, createStripeAgent } from '../../src/providers/stripe/client.ts';
import { createStripeListings } from '../../src/providers/stripe/listings.ts';
import { SERVICE_KEY } from '../support/simulators.ts';
import { SECRET_KEY } from '../support/stripe-dialect.ts';
import { dialectSubject, simulatorSubject, type Subject } from './subjects.ts';

/** The lists of a subject's network; `close` ends their connections. */
type OpenListings = (subject: Subject) => { listings: NetworkListings; close: () => Promise<void> };

const ofSimulator: OpenListings = ({ url }) => {
  const http = createProviderHttp({
    provider: 'network',
    baseUrl: url,
    serviceKey: SERVICE_KEY,
    timeoutMs: 8_000,
  });
  return { listings: createNetworkListings(http), close: () => http.close() };
};
const ofDialect: OpenListings = ({ url }) => {
  const agent = createStripeAgent();
  const stripe = createStripe({ secretKey: SECRET_KEY, apiBase: url, agent });
  return { listings: createStripeListings(stripe), close: () => agent.close() };
};

const span = (): ListedSpan => ({
  merchantId: 'mer_1',
  fromMs: Date.now() - 3_600_000,
  toMs: Date.now() + 3_600_000,
});

/** Everything of a list, page by page. */
async function all<Item>(read: (cursor: string | null) => Promise<ListedPage<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: ListedPage<Item> = await read(cursor);
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  return items;
}

describe.each([
  ['the simulator', simulatorSubject, ofSimulator],
  ['the Stripe dialect', dialectSubject, ofDialect],
] as const)('the lists of %s', (_name, open, openListings) => {
  let subject: Subject;
  let listings: NetworkListings;
  let close: () => Promise<void>;
  beforeAll(async () => {
    subject = await open();
    ({ listings, close } = openListings(subject));
  });
  afterAll(async () => {
    await close();
    await subject.stop();
  });

  /** Charges a new attempt; returns it with the network's object. */
  async function charged(card: 'paid' | 'declined'): Promise<ChargeRequest> {
    const attempt = await subject.attempt(card);
    const prepared = await subject.network.prepare?.(attempt);
    const providerReference = prepared?.status === 'prepared' ? prepared.providerReference : null;
    const request = { ...attempt, providerReference };
    await subject.network.charge(request);
    return request;
  }

  it('have every charge of the span with its key, payment, amount and status, in pages', async () => {
    const paid = await charged('paid');
    const declined = await charged('declined');
    const found = await all((cursor) => listings.listCharges(span(), cursor));
    for (const [{ key, paymentId, amountCents }, status] of [
      [paid, 'captured'],
      [declined, 'none'],
    ] as const) {
      const listed = found.find((charge) => charge.key === key);
      expect(listed).toMatchObject({ paymentId, amountCents, currency: 'USD', status });
      const { reference = '' } = listed ?? {};
      expect(await listings.findCharge({ key, reference })).toEqual(listed);
    }
    const before = { ...span(), toMs: Date.now() - 1_800_000 };
    expect(await all((cursor) => listings.listCharges(before, cursor))).toEqual([]);
  });

  it('have every refund, also by its key', async () => {
    const { paymentId, key: chargeKey, providerReference } = await charged('paid');
    const key = crypto.randomUUID();
    await subject.refunds.refund({
      key,
      paymentId,
      chargeKey,
      chargeReference: providerReference,
      amountCents: 700,
    });
    const listed = (await all((cursor) => listings.listRefunds(span(), cursor))).find(
      (refund) => refund.key === key,
    );
    expect(listed).toMatchObject({ paymentId, amountCents: 700, currency: 'USD', status: 'succeeded' });
    const named = { key, reference: null, chargeReference: providerReference };
    expect(await listings.findRefund(named)).toEqual(listed);
    expect(await listings.findRefund({ ...named, key: crypto.randomUUID() })).toBeNull();
  });

  it('know nothing of objects that do not exist', async () => {
    const none = { key: `${crypto.randomUUID()}:1`, reference: 'pi_none' };
    expect(await listings.findCharge(none)).toBeNull();
    expect(await listings.findDispute('dp_none')).toBeNull();
  });
});

describe('the balance of the Stripe dialect', () => {
  it('has the fee of each charge with its object, and payouts, in pages', async () => {
    const subject = await dialectSubject();
    const { listings, close } = ofDialect(subject);
    const attempt = await subject.attempt('paid');
    const prepared = await subject.network.prepare?.(attempt);
    const providerReference = prepared?.status === 'prepared' ? prepared.providerReference : null;
    await subject.network.charge({ ...attempt, providerReference });
    const ordered = await fetch(`${subject.url}/simulate/payouts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRET_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ amountCents: 1200 }),
    });
    expect(ordered.status).toBe(200);
    const found = await all(async (cursor) => {
      const page = await listings.listBalance?.(span(), cursor);
      return page ?? { items: [], unreadable: 0, next: null };
    });
    const fee = -(Math.round(attempt.amountCents * 0.029) + 30);
    expect(
      found.map(({ kind, amountCents, chargeReference }) => [kind, amountCents, chargeReference]),
    ).toEqual([
      ['payout', -1200, null],
      ['fee', fee, providerReference],
    ]);
    await close();
    await subject.stop();
  });
});

describe('a network that answers wrongly', () => {
  const answering = (items: unknown[]) =>
    createNetworkListings({
      call: async ({ schema }) => ({ status: 200, body: schema.parse({ items, next: null }) }),
      close: async () => undefined,
    });

  it('an item that cannot be read is counted, and the others are read', async () => {
    const charge = {
      chargeId: 'ch_1',
      key: 'k',
      paymentId: 'p',
      amountCents: 5,
      status: 'a status of tomorrow',
      createdAt: '2030-01-01T00:00:00Z',
    };
    const page = await answering([charge, { ...charge, amountCents: 'five' }, null]).listCharges(
      span(),
      null,
    );
    expect(page).toMatchObject({ unreadable: 2, items: [{ reference: 'ch_1', status: 'unreadable' }] });
  });
});
