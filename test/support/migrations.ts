import { cp, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const own = fileURLToPath(new URL('../../src/db/migrations', import.meta.url));

/**
 * Creates a directory with this version's migrations and later ones, given by name and file content. Returns
 * its path.
 */
export async function withLaterMigrations(later: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'card-payments-migrations-'));
  await cp(own, directory, { recursive: true });
  for (const [name, text] of Object.entries(later)) await writeFile(join(directory, `${name}.sql`), text);
  return directory;
}

/** Creates a directory with the migrations before the named one. Returns its path. */
export async function migrationsBefore(name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'card-payments-migrations-'));
  const names = (await readdir(own)).filter((file) => file < `${name}.sql`);
  for (const file of names) await cp(join(own, file), join(directory, file));
  return directory;
}
