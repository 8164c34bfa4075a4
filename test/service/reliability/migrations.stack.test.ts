import { neededMigrations } from '../../../src/db/server/checks.ts';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { migrate } from '../../../src/db/server/migrate.ts';
import { manyPayments, ownerOfMany } from '../../support/many-rows.ts';
import { moveMigrations } from '../../support/migrations.ts';
import { eventually } from '../../support/shop.ts';
import { cloneDatabase } from '../../support/world.ts';

let url: string;
let database: Database;
let merchantId: string;
/** Migrations from the first that was written for databases in use. */
let later: string[];
beforeEach(async () => {
  url = await cloneDatabase();
  later = (await neededMigrations()).filter((name) => name >= '0014');
  await moveMigrations(url, 'down', later.length);
  database = openDatabase({ url, poolSize: 4, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
});
afterEach(() => database.end());

it('a migration waits beside a long transaction, writers go on, and it ends when the lock is gone', async () => {
  const [held] = await manyPayments(database, merchantId, { count: 100, ageSeconds: 60 });
  const long = await database.connect();
  let written = 0;
  const state = { migrating: true };
  const writing = (async () => {
    while (state.migrating) {
      await manyPayments(database, merchantId, { count: 1, ageSeconds: 30 });
      written += 1;
    }
  })();
  /** What was written when the migration had to wait, one figure per try. */
  const atWaits: number[] = [];
  const lines: string[] = [];
  try {
    await long.query('BEGIN');
    await long.query('UPDATE payments SET customer_name = NULL WHERE id = $1', [held]);
    const migrated = migrate(url, {
      lockTimeoutMs: 200,
      pauseMs: 200,
      onProgress: (line) => {
        lines.push(line);
        if (line.includes('waits for a lock')) atWaits.push(written);
      },
    });
    // Awaited below; until then a failure must not be an unhandled rejection.
    migrated.catch(() => undefined);
    await eventually(async () => {
      // The session's own limit on idle transactions must not end what the test holds.
      await long.query('SELECT 1');
      return atWaits.length >= 4 ? true : undefined;
    });
    for (const [n, count] of atWaits.slice(1, 4).entries()) expect(count).toBeGreaterThan(atWaits[n] ?? 0);
    await long.query('COMMIT');
    await expect(migrated).resolves.toEqual(later);
  } finally {
    state.migrating = false;
    long.release();
    await writing;
  }
  expect(lines[0]).toBe(`applying ${later[0]}`);
  expect(lines[1]).toMatch(/^0014_list_counts waits for a lock that others hold \(try 1 of \d+\)$/);
  const { rows } = await database.query(
    `SELECT count_listed('payments', $1, 'sandbox', NULL, NULL) AS listed,
       (SELECT count(*) FROM payments) AS stored`,
    [merchantId],
  );
  expect(rows).toEqual([{ listed: 100 + written, stored: 100 + written }]);
});

it('a lock that never comes is given up after the last try, and nothing is left half done', async () => {
  const [held] = await manyPayments(database, merchantId, { count: 1, ageSeconds: 60 });
  const long = await database.connect();
  try {
    await long.query('BEGIN');
    await long.query('UPDATE payments SET customer_name = NULL WHERE id = $1', [held]);
    const given = migrate(url, { lockTimeoutMs: 50, pauseMs: 1, tries: 3 });
    await expect(given).rejects.toMatchObject({ code: '55P03' });
  } finally {
    await long.query('ROLLBACK');
    long.release();
  }
  expect((await database.query(`SELECT to_regclass('list_counts') AS left`)).rows).toEqual([{ left: null }]);
  await expect(migrate(url)).resolves.toEqual(later);
});

it('an index that a crash left half built is built anew', async () => {
  await migrate(url, { directory });
  await database.query(`DELETE FROM schema_migrations WHERE name = '9003_notes_index'`);
  await database.query('DROP INDEX payments_note');
  // As a build leaves it that was cut off.
  await database.query('CREATE INDEX refunds_list_by_status ON refunds (id)');
  await database.query(
    `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'refunds_list_by_status'::regclass`,
  );
  await migrate(url);
  const { rows } = await database.query(
    `SELECT indisvalid AS valid, indnatts AS columns FROM pg_index
     WHERE indexrelid = 'refunds_list_by_status'::regclass`,
  );
  expect(rows).toEqual([{ valid: true, columns: 5 }]);
});

it('two that migrate at once apply each migration once', async () => {
  const both = await Promise.all([
    migrate(url, { directory, pauseMs: 20 }),
    migrate(url, { directory, pauseMs: 20 }),
  ]);
  expect(both.flat().toSorted()).toEqual(names);
});
