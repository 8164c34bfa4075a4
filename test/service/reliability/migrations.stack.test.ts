import { rm } from 'node:fs/promises';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { migrate } from '../../../src/db/server/migrate.ts';
import { manyPayments, ownerOfMany } from '../../support/many-rows.ts';
import { withLaterMigrations } from '../../support/migrations.ts';
import { eventually } from '../../support/shop.ts';
import { cloneDatabase } from '../../support/world.ts';

/** Migrations of a future version, written for a database in use. */
const later = {
  '9001_notes': `-- Up Migration
LOCK TABLE payments IN ACCESS EXCLUSIVE MODE;
ALTER TABLE payments ADD COLUMN note text;
CREATE TABLE notes (payment_id uuid PRIMARY KEY);
-- Down Migration
DROP TABLE notes;
ALTER TABLE payments DROP COLUMN note;
`,
  '9002_filled_notes': `-- Up Migration
INSERT INTO notes SELECT id FROM payments ON CONFLICT DO NOTHING;
-- Down Migration
TRUNCATE notes;
`,
  '9003_notes_index': `-- No transaction: the table may be long, and is written to meanwhile.
-- Up Migration
DROP INDEX CONCURRENTLY IF EXISTS payments_note;
CREATE INDEX CONCURRENTLY payments_note ON payments (merchant_id, note);
-- Down Migration
DROP INDEX CONCURRENTLY IF EXISTS payments_note;
`,
};
const names = Object.keys(later);

let directory: string;
let url: string;
let database: Database;
let merchantId: string;
beforeAll(async () => {
  directory = await withLaterMigrations(later);
});
afterAll(() => rm(directory, { recursive: true, force: true }));
beforeEach(async () => {
  url = await cloneDatabase();
  database = openDatabase({ url, poolSize: 4, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
});
afterEach(() => database.end());

it('a migration waits for a long transaction without blocking writers, and ends when the lock is released', async () => {
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
  /** The number of rows written when the migration had to wait, one for each try. */
  const atWaits: number[] = [];
  const lines: string[] = [];
  try {
    await long.query('BEGIN');
    await long.query('UPDATE payments SET customer_name = NULL WHERE id = $1', [held]);
    const migrated = migrate(url, {
      directory,
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
      // The session's own limit on idle transactions must not end the test's transaction.
      await long.query('SELECT 1');
      return atWaits.length >= 4 ? true : undefined;
    });
    for (const [n, count] of atWaits.slice(1, 4).entries()) expect(count).toBeGreaterThan(atWaits[n] ?? 0);
    await long.query('COMMIT');
    await expect(migrated).resolves.toEqual(names);
  } finally {
    state.migrating = false;
    long.release();
    await writing;
  }
  expect(lines[0]).toBe(`applying ${names[0]}`);
  expect(lines[1]).toMatch(/^9001_notes waits for a lock that others hold \(try 1 of \d+\)$/);
  const { rows } = await database.query<{ payments: number; notes: number }>(
    'SELECT (SELECT count(*) FROM payments) AS payments, (SELECT count(*) FROM notes) AS notes',
  );
  expect(rows[0]?.payments).toBe(100 + written);
  expect(rows[0]?.notes).toBeGreaterThanOrEqual(100);
});

it('a migration that gets no lock fails after its last try, and leaves no partial change', async () => {
  const [held] = await manyPayments(database, merchantId, { count: 1, ageSeconds: 60 });
  const long = await database.connect();
  try {
    await long.query('BEGIN');
    await long.query('UPDATE payments SET customer_name = NULL WHERE id = $1', [held]);
    const given = migrate(url, { directory, lockTimeoutMs: 50, pauseMs: 1, tries: 3 });
    await expect(given).rejects.toMatchObject({ code: '55P03' });
  } finally {
    await long.query('ROLLBACK');
    long.release();
  }
  expect((await database.query(`SELECT to_regclass('notes') AS left`)).rows).toEqual([{ left: null }]);
  await expect(migrate(url, { directory })).resolves.toEqual(names);
});

it('an index that a crash left half built is built again', async () => {
  await migrate(url, { directory });
  await database.query(`DELETE FROM schema_migrations WHERE name = '9003_notes_index'`);
  await database.query('DROP INDEX payments_note');
  // The state that an interrupted index build leaves.
  await database.query('CREATE INDEX payments_note ON payments (id)');
  await database.query(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'payments_note'::regclass`);
  await expect(migrate(url, { directory })).resolves.toEqual(['9003_notes_index']);
  const { rows } = await database.query(
    `SELECT indisvalid AS valid, indnatts AS columns FROM pg_index WHERE indexrelid = 'payments_note'::regclass`,
  );
  expect(rows).toEqual([{ valid: true, columns: 2 }]);
});

it('two simultaneous runs apply each migration once', async () => {
  const both = await Promise.all([
    migrate(url, { directory, pauseMs: 20 }),
    migrate(url, { directory, pauseMs: 20 }),
  ]);
  expect(both.flat().toSorted()).toEqual(names);
});
