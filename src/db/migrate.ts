import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';

/**
 * Brings a database to the newest schema; safe to run from several processes at once (advisory lock).
 * Returns the names of the migrations it applied.
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const applied = await runner({
    databaseUrl,
    dir: fileURLToPath(new URL('./migrations', import.meta.url)),
    migrationsTable: 'schema_migrations',
    direction: 'up',
    count: Infinity,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  return applied.map((migration) => migration.name);
}
