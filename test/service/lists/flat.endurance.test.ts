import pg from 'pg';
import type { Database, Queryable } from '../../../src/db/database.ts';
import { foldListChanges } from '../../../src/db/list-counts.ts';
import { listPayments, type PaymentFilter } from '../../../src/db/payments.ts';
import { openTenantReads, type TenantReads } from '../../../src/db/tenant-reads.ts';
import { manyPayments, ownerOfMany } from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

const day = 86_400;
const rows = 100_000;
/**
 * Blocks that a page may touch: 20 rows by their keys, and the counts. A count of the rows touches thousands.
 */
const mostBlocks = 400;

let database: Database;
let tenants: TenantReads;
let merchantId: string;
beforeAll(async () => {
  const url = await cloneDatabase();
  // Without the service's deadlines: filling takes longer.
  database = new pg.Pool({ connectionString: url, max: 2 });
  tenants = openTenantReads({ url, poolSize: 1, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
  // 100 days, one status in a hundred not paid.
  for (let days = 0; days < 100; days += 1) {
    const paid = { count: rows / 100 - 10, ageSeconds: days * day + 600, final: true };
    await manyPayments(database, merchantId, paid);
    await manyPayments(database, merchantId, { count: 10, ageSeconds: days * day + 500 });
  }
  while ((await foldListChanges(database, 20_000)) > 0);
  // What a busy minute leaves to be folded.
  await manyPayments(database, merchantId, { count: 200, ageSeconds: 400 });
  await database.query('VACUUM ANALYZE');
});
afterAll(async () => {
  await tenants.end();
  await database.end();
});

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

/** Blocks that a statement touched, and scans of whole tables that it began. */
async function cost(connection: Queryable, text: string, values: unknown[]) {
  await connection.query('BEGIN');
  try {
    const scansOf = async () => {
      const { rows: scans } = await connection.query<{ scans: number }>(
        `SELECT coalesce(sum(seq_scan), 0) AS scans FROM pg_stat_xact_user_tables
         WHERE relname IN ('payments', 'list_counts', 'list_changes')`,
      );
      return Number(scans[0]?.scans);
    };
    const before = await scansOf();
    const { rows: plans } = await connection.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    );
    const plan = plans[0]?.['QUERY PLAN'][0]?.Plan;
    if (!plan) throw new Error('no plan');
    return {
      blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
      scans: (await scansOf()) - before,
    };
  } finally {
    await connection.query('ROLLBACK');
  }
}

/** What every statement of one list costs, as the tenant's own role runs it. */
async function costOf(filter: Partial<PaymentFilter>) {
  const tenant = { merchantId, environment: 'sandbox' as const };
  return tenants.read(tenant, async (connection) => {
    const sent: [string, unknown[]][] = [];
    const noting = {
      query: (text: string, values: unknown[]) => {
        sent.push([text, values]);
        return connection.query(text, values);
      },
    } as unknown as Queryable;
    const all = { status: null, from: null, until: null, page: 1, perPage: 20 };
    const { payments, total } = await listPayments(noting, tenant, { ...all, ...filter });
    // Six times: from then on a prepared statement may be run by a plan that knows no values.
    const costs = { blocks: 0, scans: 0 };
    for (const [text, values] of sent) {
      for (let time = 0; time < 6; time += 1) await connection.query(text, values);
      const { blocks, scans } = await cost(connection, text, values);
      costs.blocks += blocks;
      costs.scans += scans;
    }
    return { length: payments.length, total, ...costs };
  });
}

const startOfDay = (daysAgo: number): Date =>
  new Date((Math.floor(Date.now() / 1_000 / day) - daysAgo) * day * 1_000);

it.each<[string, Partial<PaymentFilter>]>([
  ['the first page', {}],
  ['the last page', { page: (rows + 200) / 20 }],
  ['a page in the middle', { page: rows / 40 }],
  ['the first page of a common status', { status: 'paid' }],
  ['the last page of a common status', { status: 'paid', page: 4_950 }],
  ['the last page of a rare status', { status: 'pending', page: 60 }],
  ['the first page of a window', { from: startOfDay(80), until: startOfDay(20) }],
  ['a late page of a window', { from: startOfDay(80), until: startOfDay(20), page: 2_900 }],
  [
    'a late page of a window and status',
    { from: startOfDay(80), until: startOfDay(20), status: 'pending', page: 29 },
  ],
])('%s of 100,000 rows touches few blocks and scans no table', async (_name, filter) => {
  const { length, total, blocks, scans } = await costOf(filter);
  expect(length).toBe(20);
  expect(total).toBeGreaterThan(500);
  expect(scans).toBe(0);
  expect(blocks).toBeLessThan(mostBlocks);
});

it('a page behind the last costs no more', async () => {
  const { length, blocks, scans } = await costOf({ page: 1_000_000 });
  expect({ length, scans }).toEqual({ length: 0, scans: 0 });
  expect(blocks).toBeLessThan(mostBlocks);
});

it('counting the rows would be seen here', async () => {
  const counted = await cost(database, 'SELECT count(*) FROM payments WHERE merchant_id = $1', [merchantId]);
  expect(counted.blocks).toBeGreaterThan(mostBlocks);
});
