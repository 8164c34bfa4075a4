import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { MigrationBuilder, RunnerOption } from 'node-pg-migrate';

type MigrationSource = Pick<RunnerOption, 'dir' | 'migrationsTable' | 'migrationLoaderStrategies'>;

/** First line of a migration that builds indexes beside writers, which no transaction can. */
const outsideTransactions = /^-- No transaction/;
/** A statement up to the semicolon that ends its line; those in the body of a function (`$$`) end none. */
const statement = /(?:\$\$[\s\S]*?\$\$|[^$]|\$)+?(?:;$|(?![\s\S]))/gm;
/** Such a build waits for older transactions, and no writer waits for it. */
const longLockTimeout = "SET lock_timeout = '10min'";

const ownDirectory = fileURLToPath(new URL('../migrations', import.meta.url));

/**
 * Returns how the migrations of a directory (`migrations/` unless given) are found, read and recorded. A file
 * runs in one transaction; one that begins with `-- No transaction` statement by statement (each ends its
 * line with a semicolon, bodies of functions aside), and from the start again when it failed in the middle.
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
