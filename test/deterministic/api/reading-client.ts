import type { Caller } from './caller.ts';

/** The share of the queries that the service must refuse. */
const faultyShare = 0.06;

const csv = 'text/csv';

/** Paths of lists that have pages, filters, or both. */
const pages = [
  '/v1/payments?page=1&perPage=5',
  '/v1/payments?status=paid&perPage=3',
  '/v1/payments?from=2029-12-31&to=2030-01-02&page=2&perPage=10',
  '/v1/refunds?perPage=4',
  '/v1/refunds?page=2&perPage=1',
  '/v1/refunds?status=succeeded&from=2030-01-01',
  '/v1/disputes?perPage=4',
  '/v1/disputes?status=needsResponse&from=2029-12-31&to=2030-01-02',
  '/v1/payment-links?perPage=2',
  '/v1/webhook-endpoints?perPage=2',
  '/v1/branding',
  '/v1/audit/head',
] as const;

/** Paths of lists that are read by cursor. */
const cursors = [
  '/v1/search/payments?status=paid&limit=3',
  '/v1/search/payments?checkoutStatus=paid&method=card&limit=4',
  '/v1/search/payments?amountFrom=1000&amountTo=500000&limit=5',
  '/v1/search/payments?from=2030-01-01&to=2030-01-01&limit=5',
  '/v1/search/payments?last4=4242&limit=2',
  '/v1/search/payments?last4=4242&method=card&status=paid&limit=2',
  '/v1/search/payments?email=ada%40example.com&last4=4242&limit=2',
  '/v1/search/payments?reference=order-3&limit=2',
  '/v1/search/payments?q=order-1&limit=2',
  '/v1/search/payments?email=ada%40example.com&limit=2',
  '/v1/search/payments?customerName=Ada%20Lovelace&limit=2',
  '/v1/events?limit=4',
  '/v1/events?type=payment.paid&limit=3',
  '/v1/events?type=refund.*&from=2030-01-01&to=2030-01-02&limit=3',
  '/v1/events?after=start&limit=6',
  '/v1/movements?limit=4',
  '/v1/movements?type=refunded&from=2030-01-01&to=2030-01-02&limit=3',
  '/v1/requests?limit=5',
  '/v1/disputes?dueBefore=2031-01-01&limit=1',
  '/v1/disputes?dueBefore=2030-06-01T00:00:00Z&status=needsResponse&limit=1',
] as const;

/** Queries with a parameter, a value or a cursor that does not exist. */
const faulty = [
  '/v1/payments?colour=red',
  '/v1/payments?perPage=1000',
  '/v1/search/payments?q=a',
  '/v1/search/payments?from=2030-02-01&to=2030-01-01',
  '/v1/events?cursor=AAAA',
  '/v1/events?afterSequence=3',
  '/v1/events?after=evt_000000000000000000000000',
  '/v1/disputes?dueBefore=2030-01-01&page=2',
] as const;

/** The share of these clients that read everything once, faulty queries included. */
const completeShare = 0.2;

/**
 * Plays a back office that reads: lists with filters and cursors, searches, CSVs, and what belongs to one
 * payment.
 */
export async function readAround(caller: Caller): Promise<void> {
  const { random, client } = caller;
  if (random.chance(completeShare)) return readEverything(caller);
  for (let reads = random.between(6, 12); reads > 0 && !client.isOver; reads -= 1) {
    await client.pause(300, 3_000);
    if (random.chance(faultyShare)) await caller.read(random.pick(faulty));
    const how = random.weighted([
      ['page', 3],
      ['cursor', 5],
      ['payment', 4],
      ['csv', 1],
      ['others', 2],
    ] as const);
    if (how === 'page') await caller.read(random.pick(pages));
    else if (how === 'cursor') await readByCursor(caller, random.pick(cursors));
    else if (how === 'csv') await caller.read('/v1/search/payments?from=2030-01-01', csv);
    else if (how === 'payment') await readOnePayment(caller);
    else await readOneOfOthers(caller);
  }
}

/** Reads every list once, as an export does. */
export async function readEverything(caller: Caller): Promise<void> {
  const { client } = caller;
  for (const path of [...pages, ...faulty]) {
    if (client.isOver) return;
    await caller.read(path);
    await client.pause(50, 300);
  }
  for (const path of cursors) {
    if (client.isOver) return;
    await readByCursor(caller, path);
    await client.pause(50, 300);
  }
}

/** Reads up to four pages of a list. */
async function readByCursor(caller: Caller, path: string): Promise<void> {
  let cursor: string | null = null;
  for (let page = 0; page < 4; page += 1) {
    const next: string = cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
    // Only the first page of a log begins after an event.
    ({ cursor } = await caller.list(next));
    if (cursor === null) return;
    await caller.client.pause(50, 200);
  }
}

/** Reads a payment, its lists and its log, and sometimes waits for a change of it. */
async function readOnePayment(caller: Caller): Promise<void> {
  const { random } = caller;
  const { ids } = await caller.list('/v1/payments?perPage=20');
  const id = ids[random.below(Math.max(1, ids.length))];
  if (id === undefined) return;
  const path = `/v1/payments/${id}`;
  await caller.read(
    random.pick([
      path,
      `${path}?waitSeconds=3`,
      `${path}/timeline?limit=5`,
      `${path}/refunds?perPage=2`,
      `${path}/disputes?status=lost`,
      `${path}/disputes?dueBefore=2031-01-01`,
      `/v1/events?paymentId=${id}&afterSequence=1`,
      `/v1/events?paymentId=${id}&limit=2`,
      `/v1/movements?paymentId=${id}`,
      `/v1/refunds?paymentId=${id}`,
    ]),
  );
}

/** Reads one refund, dispute, event or link by its id. */
async function readOneOfOthers(caller: Caller): Promise<void> {
  const list = caller.random.pick(['/v1/refunds', '/v1/disputes', '/v1/events', '/v1/payment-links']);
  const { ids } = await caller.list(list);
  const id = ids[caller.random.below(Math.max(1, ids.length))];
  if (id !== undefined) await caller.read(`${list}/${id}`);
  if (id !== undefined && list === '/v1/events') await readByCursor(caller, `${list}?after=${id}&limit=5`);
}
