import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { z } from 'zod';
import type { Queryable } from '../../src/db/server/database.ts';
import { migrate } from '../../src/db/server/migrate.ts';

/*
 * A release as later versions find it: its migrations, and a database that it wrote. Its own migrations,
 * which never change (test/unit/deploy/migrations.test.ts), create the schema; the rows are SQL.
 */

const migrationsDirectory = fileURLToPath(new URL('../../src/db/migrations', import.meta.url));
/**
 * Tables whose rows no later version needs: the record of the migrations, and counters that a crash may lose.
 */
const left = ['schema_migrations', 'rate_limits'];

export const releaseSchema = z.object({
  version: z.string(),
  /** SHA-256 of each migration file, by its name. */
  migrations: z.record(z.string(), z.string()),
  /** The keys that the sealed columns were written with. */
  settings: z.object({ ENCRYPTION_KEYS: z.string() }),
  apiKey: z.string(),
  merchantId: z.string(),
  /** Answers of the API to GET requests, by path. */
  answers: z.record(z.string(), z.record(z.string(), z.unknown())),
});
export type Release = z.infer<typeof releaseSchema>;

/** Returns the checksum of each migration of this version, by name. */
export async function migrationChecksums(): Promise<Record<string, string>> {
  const names = (await readdir(migrationsDirectory)).toSorted();
  const sums = names.map(async (name) => {
    const text = await readFile(join(migrationsDirectory, name));
    return [name.replace(/\.sql$/, ''), createHash('sha256').update(text).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(sums));
}

/** Returns every row of a database as SQL, table by table, one row a line. */
export async function dumpRows(database: Queryable): Promise<string> {
  const { rows: tables } = await database.query<{ name: string; columns: string }>(
    `SELECT c.relname AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
       AND NOT c.relispartition AND c.relname <> ALL ($1)
     GROUP BY c.relname ORDER BY c.relname`,
    [left],
  );
  const parts = ["SET session_replication_role = 'replica';", "SET TIME ZONE 'UTC';"];
  for (const { name, columns } of tables) {
    const { rows } = await database.query<{ row: string }>(
      `SELECT row_to_json(t)::text AS row FROM ${pg.escapeIdentifier(name)} t ORDER BY 1`,
    );
    if (rows.length === 0) continue;
    const json = `[${rows.map(({ row }) => row).join(',\n')}]`;
    parts.push(
      // A migration may have written the only row.
      `DELETE FROM ${name};`,
      `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE\nSELECT ${columns} FROM json_populate_recordset(NULL::${name}, ${pg.escapeLiteral(json)});`,
    );
  }
  const { rows: sequences } = await database.query<{ name: string; value: number | null }>(
    `SELECT sequencename AS name, last_value AS value FROM pg_sequences
     WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY 1`,
  );
  for (const { name, value } of sequences) parts.push(`SELECT setval('${name}', ${value});`);
  return `${parts.join('\n')}\nRESET session_replication_role;\n`;
}

/** Creates the schema of a release in an empty database, with the release's migrations only. */
export async function migrateToRelease(databaseUrl: string, release: Release): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'card-payments-release-'));
  try {
    for (const name of Object.keys(release.migrations)) {
      await copyFile(join(migrationsDirectory, `${name}.sql`), join(directory, `${name}.sql`));
    }
    await migrate(databaseUrl, { directory });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Creates the database of a release in an empty one: its schema and its rows. */
export async function restoreRelease(databaseUrl: string, release: Release, rows: string): Promise<void> {
  await migrateToRelease(databaseUrl, release);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(rows);
  } finally {
    await client.end();
  }
}
