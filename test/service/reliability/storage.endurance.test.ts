import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import type { TableStorage } from '../../../src/db/server/storage.ts';
import {
  endpointOfMany,
  manyDeliveries,
  manyPayments,
  manyRequests,
  ownerOfMany,
} from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

const main = join(import.meta.dirname, '../../../dist/src/cli/admin.js');
let url: string;
let database: pg.Pool;

beforeAll(async () => {
  url = await cloneDatabase();
  database = new pg.Pool({ connectionString: url, max: 2 });
});
afterAll(() => database.end());

interface Shown {
  tables: (Omit<TableStorage, 'oldest'> & { oldest: string | null })[];
  bytesPerPayment: number | null;
  archived: number;
}

/** Runs a verb of `admin storage`. */
function storage(args: readonly string[], databaseUrl = url) {
  const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl };
  const ran = spawnSync(process.execPath, ['--no-warnings', main, 'storage', ...args], {
    env,
    encoding: 'utf8',
  });
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

const shown = (): Shown => JSON.parse(storage(['show', '--json']).stdout) as Shown;

it('shows rows, bytes and the oldest row of each table, and the bytes of a payment', async () => {
  expect(shown()).toMatchObject({ bytesPerPayment: null, archived: 0 });
  const merchantId = await ownerOfMany(database);
  await manyPayments(database, merchantId, { count: 300, ageSeconds: 600, final: true });
  await manyRequests(database, merchantId, 1_000);
  await manyDeliveries(database, await endpointOfMany(database, merchantId), { count: 200, overSeconds: 60 });
  await database.query(
    `INSERT INTO webhook_attempts (event_id, endpoint_id, attempt_no, started_at, duration_ms)
     SELECT event_id, endpoint_id, 1, now(), 1 FROM webhook_deliveries`,
  );
  await database.query('ANALYZE');
  const { tables, bytesPerPayment, archived } = shown();
  const of = (name: string) => tables.find((table) => table.name === name);
  const { rows } = await database.query<{ first: Date; bytes: number; all: number }>(
    `SELECT min(at) AS first, pg_total_relation_size('payments')::float8 AS bytes,
       (SELECT sum(pg_total_relation_size(oid))::float8 FROM pg_class
        WHERE relkind = 'r' AND relnamespace::regnamespace::text IN ('public', 'card_payments_archive')) AS all
     FROM api_requests`,
  );
  expect(of('payments')).toMatchObject({ rows: 300, bytes: rows[0]?.bytes, partitions: 0 });
  expect(of('api_requests')).toMatchObject({ rows: 1_000, oldest: rows[0]?.first.toISOString() });
  expect(of('refunds')).toMatchObject({ rows: 0, oldest: null });
  // The first month and three ahead, that of earlier builds, and the one for the rest.
  for (const table of ['events', 'webhook_deliveries', 'webhook_attempts']) {
    expect(of(table)).toMatchObject({ rows: 200, partitions: 6, oldest: expect.any(String) });
  }
  expect(bytesPerPayment).toBe(Math.round((rows[0]?.all ?? 0) / 300));
  expect(archived).toBe(0);
});

it('prints a table at a terminal', () => {
  expect(storage(['show', '--text']).stdout).toMatch(/^ +name +rows +bytes +partitions +oldest$/m);
});

it('exits 2 for a wrong flag and 1 without a database, in one line', () => {
  expect(storage(['show', '--rows'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/^[^\n]+\n$/) });
  expect(storage(['show'], 'postgres://127.0.0.1:1/none')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^the database is not reachable[^\n]+\n$/),
  });
});

it('maintains partitions for an instant, shows what it would do, and repeats nothing', () => {
  const at = new Date(Date.now() + 365 * 86_400_000).toISOString();
  const planned = storage(['maintain', '--at', at, '--dry-run', '--json']);
  const months = [/^events_\d{6}$/, /^webhook_deliveries_\d{6}$/, /^webhook_attempts_\d{6}$/].map((name) =>
    expect.stringMatching(name),
  );
  const plan = JSON.parse(planned.stdout) as { create: string[]; drop: string[] };
  expect(plan.create).toEqual([
    ...[0, 1, 2, 3].map(() => expect.stringMatching(/^api_requests_\d{8}$/)),
    ...[0, 1, 2, 3].flatMap(() => months),
  ]);
  expect(plan.drop).toEqual(expect.arrayContaining(['api_requests_first', ...months]));
  expect(storage(['maintain', '--at', at, '--json'])).toEqual({
    code: 0,
    stdout: planned.stdout,
    stderr: '',
  });
  expect(storage(['maintain', '--at', at, '--json']).stdout).toBe('{"create":[],"drop":[]}\n');
  // Partitions of today and the next days were dropped, because at that time they are past the retention.
  expect(storage(['show', '--json']).code).toBe(3);
  expect(storage(['maintain', '--json']).code).toBe(0);
  expect(storage(['show', '--json']).code).toBe(0);
});

it.each([
  ['--at', 'tomorrow'],
  ['--at', '2999-01-01'],
  ['--days', '3'],
])('refuses to maintain partitions with %s %s', (...wrong) => {
  expect(storage(['maintain', ...wrong])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^[^\n]+\n$/),
  });
});
