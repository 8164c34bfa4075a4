import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { MigrationBuilder, RunnerOption } from 'node-pg-migrate';

type MigrationSource = Pick<RunnerOption, 'dir' | 'migrationsTable' | 'migrationLoaderStrategies'>;

/** First line of a migration that builds indexes beside writers, which is impossible in a transaction. */
const outsideTransactions = /^-- No transaction/;
/** A statement ends at a semicolon at the end of a line, but not inside the body of a function (`$$`). */
const statement = /(?:\$\$[\s\S]*?\$\$|[^$]|\$)+?(?:;$|(?![\s\S]))/gm;
/** Such a build waits for older transactions, but no writer waits for it. */
const longLockTimeout = "SET lock_timeout = '10min'";

const ownDirectory = fileURLToPath(new URL('../migrations', import.meta.url));

/**
 * Returns how the migrations of a directory (`migrations/` unless given) are found, read and recorded. A file
 * runs in one transaction. A file that begins with `-- No transaction` runs statement by statement (each ends
 * at a semicolon at the end of a line, outside of function bodies), and from the start again if it failed
 * halfway.
 */
export const migrationFiles = (dir: string = ownDirectory): MigrationSource => ({
  dir,
  migrationsTable: 'schema_migrations',
  migrationLoaderStrategies: [{ extensions: ['.sql'], loader: (paths) => Promise.all(paths.map(load)) }],
});

async function load(path: string) {
  const text = await readFile(path, 'utf8');
  const [, up, down] = text.split(/^-- (?:Up|Down) Migration$/m);
  if (up === undefined || down === undefined) throw new Error(`${path} lacks its up or its down part`);
  const run = (sql: string) => (builder: MigrationBuilder) => {
    if (!outsideTransactions.test(text)) return builder.sql(sql);
    builder.noTransaction();
    for (const one of [longLockTimeout, ...(sql.match(statement) ?? []), 'RESET lock_timeout']) {
      if (one.trim() !== '') builder.sql(one);
    }
  };
  return { id: path, filePaths: [path], actions: { up: run(up), down: run(down) } };
}
