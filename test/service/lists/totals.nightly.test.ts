import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { foldListChanges } from '../../../src/db/server/list-counts.ts';
import { listPayments, type PaymentFilter } from '../../../src/db/payments/payments.ts';
import { listRefunds } from '../../../src/db/refunds/refund-reads.ts';
import { openTenantReads, type TenantReads } from '../../../src/db/server/tenant-reads.ts';
import { manyPayments, manyRefunds, ownerOfMany } from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

const day = 86_400;

let database: Database;
let reads: TenantReads;
let merchantId: string;
beforeEach(async () => {
  const url = await cloneDatabase();
  database = openDatabase({ url, poolSize: 8, applicationName: 'test' });
  reads = openTenantReads({ url, poolSize: 2, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
});
afterEach(async () => {
  await reads.end();
  await database.end();
});

const all: PaymentFilter = { status: null, from: null, until: null, page: 1, perPage: 20 };
const tenant = () => ({ merchantId, environment: 'sandbox' as const });
const list = (filter: Partial<PaymentFilter> = {}) =>
  reads.read(tenant(), (connection) => listPayments(connection, tenant(), { ...all, ...filter }));

/** Returns the correct answer of the list, counted row by row. */
async function truth(filter: Partial<PaymentFilter> = {}): Promise<{ ids: string[]; total: number }> {
  const { status, from, until, page, perPage } = { ...all, ...filter };
  const { rows } = await database.query<{ id: string }>(
    `SELECT id FROM payments WHERE merchant_id = $1 AND ($2::text IS NULL OR status = $2)
       AND ($3::timestamptz IS NULL OR created_at >= $3) AND ($4::timestamptz IS NULL OR created_at < $4)
     ORDER BY created_at DESC, id DESC`,
    [merchantId, status, from, until],
  );
  return {
    ids: rows.slice((page - 1) * perPage, page * perPage).map(({ id }) => id),
    total: rows.length,
  };
}

async function expectTruth(filter: Partial<PaymentFilter> = {}): Promise<void> {
  const { payments, total } = await list(filter);
  expect({ ids: payments.map(({ id }) => id), total }).toEqual(await truth(filter));
}

const startOfDay = (daysAgo: number): Date =>
  new Date((Math.floor(Date.now() / 1_000 / day) - daysAgo) * day * 1_000);

/** Checks every kind of page. */
async function expectAllTrue(): Promise<void> {
  const windows = [
    {},
    { from: startOfDay(70) },
    { until: startOfDay(3) },
    { from: startOfDay(66), until: startOfDay(2) },
    { from: startOfDay(500), until: startOfDay(400) },
  ];
  for (const window of windows) {
    for (const status of [null, 'paid', 'pending', 'failed'] as const) {
      for (const page of [1, 2, 12, 37, 60, 1_000]) await expectTruth({ ...window, status, page });
      const { total } = await truth({ ...window, status });
      await expectTruth({ ...window, status, page: Math.max(1, Math.ceil(total / 20)) });
    }
  }
}

/** Inserts 1,500 payments of 130 days, two thirds of them paid. */
async function manyDays(): Promise<void> {
  for (const days of [0, 1, 2, 2.5, 3, 63, 64, 65, 66, 130]) {
    await manyPayments(database, merchantId, { count: 100, ageSeconds: days * day, final: true });
    await manyPayments(database, merchantId, { count: 50, ageSeconds: days * day + 7 });
  }
}

it('totals and pages equal the rows, whether changes are folded, half folded or not', async () => {
  await manyDays();
  await expectAllTrue();
  expect(await foldListChanges(database, 700)).toBe(700);
  await expectAllTrue();
  while ((await foldListChanges(database, 700)) === 700);
  await expectAllTrue();
});

it('totals stay exact while payments are created and change, changes are folded and pages are read', async () => {
  const state = { going: true };
  const folding = (async () => {
    while (state.going) await foldListChanges(database, 40);
  })();
  const changing = Promise.all(
    [1, 2, 3].map(async (writer) => {
      for (let round = 0; round < 12; round += 1) {
        const ids = await manyPayments(database, merchantId, { count: 10, ageSeconds: writer * day });
        await database.query(
          `UPDATE payments SET status = 'paid', checkout_status = 'paid' WHERE id = ANY ($1)`,
          [ids.slice(0, 4)],
        );
      }
    }),
  );
  const reading = (async () => {
    while (state.going) {
      // One statement reads the list and the rows, so that no change falls between them.
      const { rows } = await database.query<{ total: number; rows: number }>(
        `SELECT l.total, (SELECT count(*) FROM payments p
           WHERE p.merchant_id = $1 AND p.environment = 'sandbox' AND p.status = 'paid') AS rows
         FROM list_page('payments', $1, 'sandbox', 'paid', NULL, NULL, 0, 1) AS l`,
        [merchantId],
      );
      expect(rows[0]?.total).toBe(rows[0]?.rows);
    }
  })();
  await changing.finally(() => {
    state.going = false;
  });
  await Promise.all([folding, reading]);
  expect((await list()).total).toBe(360);
  expect((await list({ status: 'paid' })).total).toBe(144);
  await expectTruth({ status: 'pending', page: 5 });
  while ((await foldListChanges(database, 5_000)) > 0);
  await expectTruth({ status: 'paid', page: 3 });
  // No count is kept for a status without payments.
  await database.query(
    `UPDATE payments SET status = 'paid', checkout_status = 'paid' WHERE status = 'pending'`,
  );
  await foldListChanges(database, 5_000);
  const { rows } = await database.query('SELECT FROM list_counts WHERE entries <= 0');
  expect(rows).toHaveLength(0);
});

it('creates and changes of one merchant do not wait for each other, folded or not', async () => {
  const [id] = await manyPayments(database, merchantId, { count: 1, ageSeconds: 5 });
  await foldListChanges(database, 5_000);
  const open = await database.connect();
  try {
    await open.query('BEGIN');
    await open.query(`UPDATE payments SET status = 'paid', checkout_status = 'paid' WHERE id = $1`, [id]);
    // Waiting for the open transaction would end at the statement's deadline.
    await manyPayments(database, merchantId, { count: 1, ageSeconds: 5 });
    expect(await foldListChanges(database, 5_000)).toBe(1);
    expect((await list()).total).toBe(2);
    expect((await list({ status: 'paid' })).total).toBe(0);
    await open.query('ROLLBACK');
  } finally {
    open.release();
  }
  expect((await list({ status: 'pending' })).total).toBe(2);
});

it('a change that commits after its list was folded is counted once, beside a writer', async () => {
  await manyDays();
  await foldListChanges(database, 500);
  await manyPayments(database, merchantId, { count: 30, ageSeconds: 3 * day });
  const open = await database.connect();
  try {
    await open.query('BEGIN');
    await open.query(
      `UPDATE payments SET status = 'paid', checkout_status = 'paid'
       WHERE id = (SELECT id FROM payments WHERE status = 'pending' LIMIT 1)`,
    );
    while ((await foldListChanges(database, 5_000)) > 0);
    await manyPayments(database, merchantId, { count: 30, ageSeconds: 3 * day });
    await open.query('COMMIT');
  } finally {
    open.release();
  }
  await expectAllTrue();
  await foldListChanges(database, 5_000);
  await expectAllTrue();
  expect((await list()).total).toBe(1_560);
});

it('refunds have the same exact totals and pages', async () => {
  const paid = await manyPayments(database, merchantId, { count: 300, ageSeconds: 2 * day, final: true });
  await manyRefunds(database, paid, 'succeeded');
  await manyRefunds(database, paid.slice(0, 40), 'pending');
  const page = (filter: object) =>
    reads.read(tenant(), (connection) =>
      listRefunds(connection, tenant(), { ...all, status: null, paymentId: null, ...filter }),
    );
  expect(await page({ page: 17 })).toMatchObject({ total: 340, refunds: { length: 20 } });
  expect(await page({ page: 18 })).toEqual({ total: 340, refunds: [] });
  expect(await page({ status: 'pending', page: 2 })).toMatchObject({ total: 40, refunds: { length: 20 } });
  expect(await page({ paymentId: paid[0] })).toMatchObject({ total: 2, refunds: { length: 2 } });
});

it('another merchant cannot read the counts', async () => {
  await manyPayments(database, merchantId, { count: 10, ageSeconds: 5 });
  const other = { merchantId: await ownerOfMany(database), environment: 'sandbox' as const };
  const { rows } = await reads.read(other, (connection) =>
    connection.query('SELECT FROM list_changes UNION ALL SELECT FROM list_counts'),
  );
  expect(rows).toHaveLength(0);
  const { total } = await reads.read(other, (connection) => listPayments(connection, tenant(), all));
  expect(total).toBe(0);
});
