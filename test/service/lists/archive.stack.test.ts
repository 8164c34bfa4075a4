import { randomUUID } from 'node:crypto';
import { comparePage } from '../../../src/db/reconciliation/compare.ts';
import { loadRun, requestRun } from '../../../src/db/reconciliation/runs.ts';
import { archivedTables, archiveSchema, moveBack } from '../../../src/db/payments/archive.ts';
import { type Database, inTransaction, openDatabase } from '../../../src/db/server/database.ts';
import { processRoles } from '../../../src/db/server/privileges.ts';
import { manyPayments, ownerOfMany } from '../../support/many-rows.ts';
import { archiveAll, endLongAgo } from '../../support/harness/old-payments.ts';
import { cloneDatabase } from '../../support/world.ts';

let database: Database;
let worker: Database;
let merchantId: string;
beforeAll(async () => {
  const url = new URL(await cloneDatabase());
  database = openDatabase({ url: url.toString(), poolSize: 4, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
  url.username = processRoles.worker;
  url.password = process.env['TEST_DATABASE_ROLES_PASSWORD'] ?? '';
  worker = openDatabase({ url: url.toString(), poolSize: 4, applicationName: 'test' });
});
afterAll(() => Promise.all([database.end(), worker.end()]));

/** Creates payments that ended five months ago. Returns their ids. */
async function oldPayments(count: number): Promise<string[]> {
  const ids = await manyPayments(database, merchantId, { count, ageSeconds: 600, final: true });
  await endLongAgo(database, ids);
  return ids;
}

async function countOf(table: string, ids: readonly string[], key = 'id'): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} WHERE ${key} = ANY ($1)`,
    [ids],
  );
  return rows[0]?.count ?? 0;
}
const archivedOf = (ids: readonly string[]) => countOf(`${archiveSchema}.payments`, ids);

it('archive tables have the columns of the tables in use', async () => {
  const columns = async (schema: string, table: string) =>
    (
      await database.query<{ column: string }>(
        `SELECT a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull AS column
         FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attname`,
        [`${schema}.${table}`],
      )
    ).rows.map(({ column }) => column);
  for (const table of archivedTables) {
    expect([table, await columns(archiveSchema, table)]).toEqual([table, await columns('public', table)]);
  }
});

it('every table that refers to a payment is archived with it, or is empty of it by then', async () => {
  const { rows } = await database.query<{ name: string }>(
    `SELECT DISTINCT c.relname AS name FROM pg_constraint f
     JOIN pg_class c ON c.oid = coalesce(pg_partition_root(f.conrelid), f.conrelid)
     WHERE f.contype = 'f' AND f.confrelid = 'public.payments'::regclass ORDER BY 1`,
  );
  const emptied = ['events', 'restored_creations', 'sandbox_webhook_faults'];
  expect(rows.map(({ name }) => name).filter((name) => !emptied.includes(name))).toEqual(
    archivedTables.filter((table) => table !== 'payments' && table !== 'dispute_files').toSorted(),
  );
});

const kept: readonly [why: string, sql: string][] = [
  [
    'an open dispute',
    `INSERT INTO disputes (id, merchant_id, environment, payment_id, provider_reference, amount_cents, reason, stage, status,
       evidence_due_at, created_at)
     SELECT gen_random_uuid(), merchant_id, environment, id, id::text, 500, 'other', 'chargeback', 'needsResponse', now(),
       created_at FROM payments WHERE id = $1`,
  ],
  [
    'a refund that is not decided',
    `INSERT INTO refunds (id, merchant_id, environment, payment_id, amount_cents, metadata, created_at, submit_after)
     SELECT gen_random_uuid(), merchant_id, environment, id, 500, '{}', now() - interval '5 months', now()
     FROM payments WHERE id = $1`,
  ],
  [
    'a refund of last week',
    `INSERT INTO refunds (id, merchant_id, environment, payment_id, amount_cents, metadata, created_at, submit_after,
       status, succeeded_at)
     SELECT gen_random_uuid(), merchant_id, environment, id, 500, '{}', now() - interval '7 days', now(), 'succeeded',
       now() - interval '7 days' FROM payments WHERE id = $1`,
  ],
  [
    'an attempt under way',
    `INSERT INTO attempts (payment_id, attempt_no, method, status) VALUES ($1, 1, 'card', 'processing')`,
  ],
  [
    'a sealed card',
    `INSERT INTO attempts (payment_id, attempt_no, method, status, token_sealed) VALUES ($1, 1, 'card', 'declined', '\\x00')`,
  ],
  ['a recovery check', 'INSERT INTO payment_checks (payment_id, next_check_at) VALUES ($1, now())'],
  ['cards in a vault', 'INSERT INTO captured_cards (payment_id, next_check_at) VALUES ($1, now())'],
  ['a report of refunds', 'INSERT INTO provider_refund_hints (payment_id, next_check_at) VALUES ($1, now())'],
  [
    'a report of a capture',
    `INSERT INTO capture_hints (key, payment_id, attempt_no, next_check_at) VALUES ($1::text || ':1', $1::uuid, 1, now())`,
  ],
  [
    'a report of a dispute',
    `INSERT INTO dispute_hints (id, provider_reference, payment_id, next_check_at)
     VALUES (gen_random_uuid(), 'dp', $1, now())`,
  ],
  [
    'an unexpected capture',
    `INSERT INTO unexpected_captures (payment_id, attempt_no, merchant_id, environment, amount_cents, currency,
       provider_reference, found_at)
     SELECT id, 1, merchant_id, environment, 500, 'USD', 'ch', now() FROM payments WHERE id = $1`,
  ],
  [
    'an open alert',
    `INSERT INTO operator_alerts (sweep, subject, detail, since) VALUES ('payments', $1::uuid::text, 'x', now())`,
  ],
  [
    'an event',
    `INSERT INTO events (id, merchant_id, environment, payment_id, sequence, type, data, created_at)
     SELECT id::text, merchant_id, environment, id, 1, 'payment.paid', '{}', now() FROM payments WHERE id = $1`,
  ],
  ['a later change', `UPDATE payments SET refunded_at = now() WHERE id = $1`],
  [
    'access of a card that is not ended',
    `INSERT INTO capture_access (payment_id, status, ends_at) VALUES ($1, 'ending', now())`,
  ],
];

it.each(kept)('a payment with %s stays', async (_why, sql) => {
  const [id = ''] = await oldPayments(1);
  await database.query(sql, [id]);
  expect(await archiveAll(database)).toBe(0);
  expect(await archivedOf([id])).toBe(0);
  // Without it the payment would be due; the next case starts with no due payment.
  await endLongAgo(database, [id]);
  await database.query('UPDATE payments SET finalized_at = NULL WHERE id = $1', [id]);
});

it('no fewer than four months are allowed, and a worker can delete no payment', async () => {
  await expect(
    worker.query('SELECT archive_payments($1, $1, 3, 100)', ['00000000-0000-0000-0000-000000000000']),
  ).rejects.toMatchObject({ code: '42501' });
  await expect(worker.query('DELETE FROM payments')).rejects.toMatchObject({ code: '42501' });
  await expect(worker.query(`DELETE FROM ${archiveSchema}.payments`)).rejects.toMatchObject({
    code: '42501',
  });
});

it('a reconciliation finds archived charges, refunds and attempts', async () => {
  const [id = ''] = await oldPayments(1);
  await database.query(
    `INSERT INTO attempts (payment_id, attempt_no, method, status, started_at) VALUES ($1, 1, 'card', 'paid', now())`,
    [id],
  );
  const { rows } = await database.query<{ id: string }>(
    `INSERT INTO refunds (id, merchant_id, environment, payment_id, amount_cents, metadata, created_at, submit_after, status,
       succeeded_at)
     SELECT gen_random_uuid(), merchant_id, environment, id, 500, '{}', now(), now(), 'succeeded', now()
     FROM payments WHERE id = $1 RETURNING id`,
    [id],
  );
  const refundId = rows[0]?.id;
  await endLongAgo(database, [id]);
  expect(await archiveAll(database)).toBe(1);

  const day = 86_400_000;
  const span = { from: new Date(Date.now() - 200 * day), to: new Date(Date.now() + day) };
  const tenant = { merchantId, environment: 'sandbox' } as const;
  const runId = await requestRun(database, randomUUID(), tenant, span);
  const run = await loadRun(database, runId);
  if (run === null) throw new Error('the run was not stored');
  const item = { payment_id: id, named_payment: id, currency: 'USD', created_at: new Date() };
  await database.query(
    `INSERT INTO reconciliation_items SELECT (json_populate_recordset(NULL::reconciliation_items, $1)).*`,
    [
      JSON.stringify([
        {
          ...item,
          run_id: runId,
          kind: 'charge',
          reference: 'ch',
          attempt_no: 1,
          amount_cents: 2500,
          status: 'captured',
        },
        {
          ...item,
          run_id: runId,
          kind: 'refund',
          reference: 're',
          refund_id: refundId,
          amount_cents: 500,
          status: 'succeeded',
        },
      ]),
    ],
  );
  for (const step of ['charges', 'refunds', 'refundedSums'] as const) {
    expect([step, await comparePage(worker, run, step, null, 100)]).toEqual([step, { next: null, found: 0 }]);
  }
  // The comparison with the provider's list includes these rows, where the provider lacks both.
  await database.query('DELETE FROM reconciliation_items WHERE run_id = $1', [runId]);
  await comparePage(worker, run, 'ourAttempts', null, 1_000);
  await comparePage(worker, run, 'ourRefunds', null, 1_000);
  const { rows: missing } = await database.query<{ kind: string }>(
    'SELECT kind FROM reconciliation_differences WHERE run_id = $1 AND payment_id = $2 ORDER BY kind',
    [runId, id],
  );
  expect(missing.map(({ kind }) => kind)).toEqual(['charge_missing_there', 'refund_missing_there']);
});

it('two workers archive each payment once, whole, and moving back restores every row', async () => {
  const ids = await oldPayments(250);
  await database.query(
    `INSERT INTO attempts (payment_id, attempt_no, method, status, card_last4)
     SELECT id, 1, 'card', 'paid', '4242' FROM unnest($1::uuid[]) AS id`,
    [ids],
  );
  await endLongAgo(database, ids);
  const rowsOf = async (schema: string) =>
    (
      await database.query<{ row: string }>(
        `SELECT p::text || a::text AS row FROM ${schema}.payments p JOIN ${schema}.attempts a ON a.payment_id = p.id
         WHERE p.id = ANY ($1) ORDER BY p.id`,
        [ids],
      )
    ).rows.map(({ row }) => row);
  const listed = async () =>
    (
      await database.query<{ total: number }>(
        `SELECT count_listed('payments', $1, 'sandbox', NULL, NULL)::int AS total`,
        [merchantId],
      )
    ).rows[0]?.total ?? 0;
  const booked = () => countOf('movements', ids, 'payment_id');
  const [rows, total, movements] = [await rowsOf('public'), await listed(), await booked()];
  expect(movements).toBe(250);

  const moved = await Promise.all([archiveAll(worker, 20), archiveAll(worker, 20)]);
  expect(moved.reduce((sum, count) => sum + count, 0) + (await archiveAll(worker))).toBe(250);
  expect(await rowsOf(archiveSchema)).toEqual(rows);
  expect(await rowsOf('public')).toEqual([]);
  expect(await countOf('payment_search_terms', ids, 'payment_id')).toBe(0);
  expect([await listed(), await booked()]).toEqual([total - 250, 250]);

  // A transaction that fails after the move leaves the archive as it was.
  await inTransaction(worker, async (transaction) => {
    await moveBack(transaction, ids);
    throw new Error('stopped');
  }).catch(() => undefined);
  expect(await archivedOf(ids)).toBe(250);

  const back = await Promise.all([moveBack(worker, ids), moveBack(worker, ids)]);
  expect(back.toSorted((a, b) => a - b)).toEqual([0, 250]);
  expect(await rowsOf('public')).toEqual(rows);
  expect([await archivedOf(ids), await listed(), await booked()]).toEqual([0, total, 250]);
  expect(await countOf('payment_search_terms', ids, 'payment_id')).toBe(500);
});
