import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { MigrationBuilder, RunnerOption } from 'node-pg-migrate';

/**
 * First line of a migration that builds indexes concurrently, which PostgreSQL forbids inside a transaction.
 */
const outsideTransactions = /^-- No transaction/;
/** Such a build waits for older transactions, and no statement waits for the build. */
const longLockTimeout = "SET lock_timeout = '10min'";

/**
 * How the migrations of `migrations/` are found, read and recorded. A file runs in one transaction. A file
 * that begins with `-- No transaction` runs statement by statement (each ends its line with a semicolon), and
 * is run again from its start after a failure.
 */
export const migrationFiles = {
  dir: fileURLToPath(new URL('../migrations', import.meta.url)),
  migrationsTable: 'schema_migrations',
  migrationLoaderStrategies: [{ extensions: ['.sql'], loader: (paths) => Promise.all(paths.map(load)) }],
} satisfies Partial<RunnerOption>;

async function load(path: string) {
  const text = await readFile(path, 'utf8');
  const [, up, down] = text.split(/^-- (?:Up|Down) Migration$/m);
  if (up === undefined || down === undefined) throw new Error(`${path} lacks its up or its down part`);
  const run = (sql: string) => (builder: MigrationBuilder) => {
    if (!outsideTransactions.test(text)) return builder.sql(sql);
    builder.noTransaction();
    for (const statement of [longLockTimeout, ...sql.split(/;$/m), 'RESET lock_timeout']) {
      if (statement.trim() !== '') builder.sql(statement);
    }
  };
  return { id: path, filePaths: [path], actions: { up: run(up), down: run(down) } };
}
