import pg from 'pg';
import type { Database } from '../../../src/db/server/database.ts';
import { foldListChanges } from '../../../src/db/server/list-counts.ts';
import { listPayments, type PaymentFilter } from '../../../src/db/payments/payments.ts';
import { openTenantReads, type TenantReads } from '../../../src/db/server/tenant-reads.ts';
import { blocksOf, blocksOfRead, vacuumAll } from '../../support/blocks.ts';
import { manyPayments, ownerOfMany } from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

const day = 86_400;
const rows = 100_000;
/**
 * Blocks that a page may touch: 20 rows by their keys, and the counts. Counting the rows would touch
 * thousands.
 */
const maxBlocks = 400;
const tables = ['payments', 'list_counts', 'list_changes'];

let database: Database;
let tenants: TenantReads;
let merchantId: string;
beforeAll(async () => {
  const url = await cloneDatabase();
  // Without the service's deadlines: filling takes longer.
  database = new pg.Pool({ connectionString: url, max: 2 });
  tenants = openTenantReads({ url, poolSize: 1, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
  // 100 days, with one payment in a hundred not paid.
  for (let days = 0; days < 100; days += 1) {
    const paid = { count: rows / 100 - 10, ageSeconds: days * day + 600, final: true };
    await manyPayments(database, merchantId, paid);
    await manyPayments(database, merchantId, { count: 10, ageSeconds: days * day + 500 });
  }
  while ((await foldListChanges(database, 20_000)) > 0);
  // The changes of a busy minute that are still to be folded.
  await manyPayments(database, merchantId, { count: 200, ageSeconds: 400 });
  await vacuumAll(database);
});
afterAll(async () => {
  await tenants.end();
  await database.end();
});

/** Returns the cost of every statement of one list, as the tenant's own role runs it. */
async function costOf(filter: Partial<PaymentFilter>) {
  const tenant = { merchantId, environment: 'sandbox' as const };
  const all = { status: null, from: null, until: null, page: 1, perPage: 20 };
  const { payments, ...cost } = await blocksOfRead(tenants, tenant, tables, (connection) =>
    listPayments(connection, tenant, { ...all, ...filter }),
  );
  return { length: payments.length, ...cost };
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
])('%s of 100,000 rows reads few blocks and scans no table', async (_name, filter) => {
  const { length, total, blocks, scans } = await costOf(filter);
  expect(length).toBe(20);
  expect(total).toBeGreaterThan(500);
  expect(scans).toBe(0);
  expect(blocks).toBeLessThan(maxBlocks);
});

it('a page after the last one costs no more', async () => {
  const { length, blocks, scans } = await costOf({ page: 1_000_000 });
  expect({ length, scans }).toEqual({ length: 0, scans: 0 });
  expect(blocks).toBeLessThan(maxBlocks);
});

it('a query that counts the rows is detected', async () => {
  const counted = await blocksOf(database, tables, 'SELECT count(*) FROM payments WHERE merchant_id = $1', [
    merchantId,
  ]);
  expect(counted.blocks).toBeGreaterThan(maxBlocks);
});
