import pg from 'pg';
import { openTenantReads, type TenantReads } from '../../../src/db/server/tenant-reads.ts';
import type { Database } from '../../../src/db/server/database.ts';
import {
  patternOf,
  type PaymentSearch,
  searchPayments,
  searchStatement,
} from '../../../src/db/payments/payment-search.ts';
import { readPaymentsState } from '../../../src/db/server/watched-lists.ts';
import { ownerOfMany } from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

const rows = 100_000;
/** Blocks that a page of 20 may touch; the table alone has thousands. */
const maxBlocks = 1_500;

let database: Database;
let tenants: TenantReads;
let merchantId: string;

/** Inserts a payment a minute: half by one card, one in a thousand by pix; amounts and addresses differ. */
async function fill(): Promise<void> {
  await database.query(`SET session_replication_role = 'replica'`);
  await database.query(
    `INSERT INTO payments (id, merchant_id, environment, checkout_mode, reference, amount_cents, currency, metadata,
       success_url, cancel_url, offered_methods, locale, checkout_url_sealed, checkout_token_hash, vault_id,
       created_at, expires_at, capture_expires_at, status, checkout_status, method, customer_email, customer_name,
       paid_at, finalized_at)
     SELECT gen_random_uuid(), $1, 'sandbox', 'hosted', CASE WHEN n % 2 = 0 THEN 'same' ELSE 'order-' || n END,
       500 + n, 'USD', '{}', 'https://s.example', 'https://s.example', '{card}', 'en', '\\x00',
       sha256(gen_random_uuid()::text::bytea), substr(md5(gen_random_uuid()::text), 1, 30), t, t, t, 'paid', 'paid',
       CASE WHEN n % 1000 = 0 THEN 'pix' ELSE 'card' END, 'customer-' || n || '@shop.example',
       'Customer ' || n, t, t
     FROM generate_series(1, $2::int) AS n, LATERAL (SELECT now() - n * interval '1 minute' AS t) AS age`,
    [merchantId, rows],
  );
  await database.query(
    `INSERT INTO payment_search_terms (merchant_id, environment, kind, term, created_at, payment_id)
     SELECT merchant_id, environment, k.kind, k.term, created_at, id
     FROM payments, LATERAL (VALUES ('email', customer_email), ('method', method),
       ('last4', CASE WHEN amount_cents % 2 = 0 THEN '4242' ELSE lpad((amount_cents % 9973)::text, 4, '0') END))
       AS k (kind, term)`,
  );
  await database.query('VACUUM ANALYZE');
}

beforeAll(async () => {
  const url = await cloneDatabase();
  database = new pg.Pool({ connectionString: url, max: 1 });
  tenants = openTenantReads({ url, poolSize: 1, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
  await fill();
});
afterAll(async () => {
  await tenants.end();
  await database.end();
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
}
const wholeTables = (plan: Plan): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' ? [String(plan['Relation Name'])] : []),
  ...(plan.Plans ?? []).flatMap(wholeTables),
];

/** Returns the cost of a page, as the tenant's own role reads it. */
const costOf = (search: PaymentSearch, after: Parameters<typeof searchStatement>[2] = null) => {
  const tenant = { merchantId, environment: 'sandbox' as const };
  return tenants.read(tenant, async (connection) => {
    const plans: Plan[] = [];
    for (const by of ['comparison', ...(patternOf(search) === null ? [] : (['index'] as const))] as const) {
      const { text, values } = searchStatement(tenant, search, after, 21, { by });
      const { rows: explained } = await connection.query<{ 'QUERY PLAN': { Plan: Plan }[] }>({
        text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
        values,
      });
      const plan = explained[0]?.['QUERY PLAN'][0]?.Plan;
      if (!plan) throw new Error('no plan');
      plans.push(plan);
    }
    const { payments } = await searchPayments(connection, tenant, search, after, 20);
    return {
      found: payments.length,
      scans: plans.flatMap(wholeTables),
      blocks: plans.reduce((sum, plan) => sum + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], 0),
    };
  });
};

const monthAgo = (months: number): Date => new Date(Date.now() - months * 30 * 86_400_000);

it.each<[string, PaymentSearch, number]>([
  ['everything', {}, 20],
  ['a reference of one payment', { reference: 'order-77777' }, 1],
  ['a reference of half of them', { reference: 'same' }, 20],
  ['a reference of none', { reference: 'unknown' }, 0],
  ['a short reference of none', { shortNumber: 1_000_000 }, 0],
  ['an address', { email: 'CUSTOMER-99999@shop.example' }, 1],
  ['a card of half of them', { last4: '4242' }, 20],
  ['a rare card', { last4: '0007' }, 5],
  ['a rare method', { method: 'pix' }, 20],
  ['a method of none', { method: 'wallet' }, 0],
  ['a status of none', { status: 'disputed' }, 0],
  ['one amount', { amountFrom: 50_000, amountTo: 50_000 }, 1],
  ['amounts of the oldest hundred', { amountFrom: 100_400, amountTo: 100_500 }, 20],
  ['most amounts', { amountFrom: 600 }, 20],
  ['a window of time', { from: monthAgo(2), until: monthAgo(1) }, 20],
  ['a common card with most amounts', { last4: '4242', amountFrom: 600 }, 20],
  ['a common card, paid, of a common method', { last4: '4242', method: 'card', status: 'paid' }, 20],
  ['a common card with one amount', { last4: '4242', amountFrom: 50_000, amountTo: 50_000 }, 1],
  ['a common card with few amounts', { last4: '4242', amountFrom: 100_400, amountTo: 100_500 }, 20],
  ['a common card with one reference', { last4: '4242', reference: 'order-77777' }, 0],
  ['a common reference with a common card', { reference: 'same', last4: '4242' }, 20],
  ['a part of few references', { q: 'order-7777' }, 6],
  ['a part of few names', { q: 'USTOMER 7777' }, 11],
  ['a part of none', { q: 'nothing-like-it' }, 0],
  ['a whole name', { customerName: 'customer 77777' }, 1],
  ['a checkout status of none', { checkoutStatus: 'processing' }, 0],
  ['a rare method with a status of none', { method: 'pix', status: 'disputed' }, 0],
  ['a rare card with a rare method', { last4: '0007', method: 'pix' }, 0],
  [
    'an address with everything else',
    { email: 'customer-2000@shop.example', method: 'pix', status: 'paid' },
    1,
  ],
])('%s of 100,000 is found through an index', async (_name, search, found) => {
  const cost = await costOf(search);
  expect(cost).toMatchObject({ found, scans: [] });
  expect(cost.blocks).toBeLessThan(maxBlocks);
});

it.each<[string, PaymentSearch]>([
  ['everything', {}],
  ['a common card', { last4: '4242' }],
  ['a common reference', { reference: 'same' }],
])('a page in the middle of %s costs no more than the first', async (_name, search) => {
  const middle = { createdUs: (Date.now() - (rows / 2) * 60_000) * 1_000, id: merchantId };
  const cost = await costOf(search, middle);
  expect(cost).toMatchObject({ found: 20, scans: [] });
  expect(cost.blocks).toBeLessThan(maxBlocks);
});

it.each<[string, PaymentSearch, number]>([
  ['everything', {}, 1_000],
  ['a rare method', { method: 'pix' }, 1],
  ['a status of none', { statuses: ['disputed', 'disputeLost'] }, 0],
  ['a part of all', { q: 'shop.example' }, 1_000],
  ['a part of none, in a window of time', { q: 'nothing', from: monthAgo(2), until: monthAgo(1) }, 0],
])('the state of a watched list of %s is read from its newest payments', async (_name, search, found) => {
  const tenant = { merchantId, environment: 'sandbox' as const };
  const { plan, total } = await tenants.read(tenant, async (connection) => {
    const { text, values } = searchStatement(tenant, search, null, 1_000, { newest: 1_000 });
    const { rows: explained } = await connection.query<{ 'QUERY PLAN': { Plan: Plan }[] }>({
      text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    });
    const state = await readPaymentsState(connection, tenant, search);
    return { plan: explained[0]?.['QUERY PLAN'][0]?.Plan, total: state.total };
  });
  expect(total).toBe(found);
  expect(plan && wholeTables(plan)).toEqual([]);
  expect(Number(plan?.['Shared Hit Blocks']) + Number(plan?.['Shared Read Blocks'])).toBeLessThan(maxBlocks);
});

it('a scan is detected by the number of blocks', async () => {
  const { rows: plans } = await database.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM payments WHERE customer_name = 'unknown'`,
  );
  const plan = plans[0]?.['QUERY PLAN'][0]?.Plan;
  expect(plan && wholeTables(plan)).toEqual(['payments']);
  expect(Number(plan?.['Shared Hit Blocks']) + Number(plan?.['Shared Read Blocks'])).toBeGreaterThan(
    maxBlocks,
  );
});
