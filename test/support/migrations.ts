import { cp, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const own = fileURLToPath(new URL('../../src/db/migrations', import.meta.url));

/**
 * Makes a directory of this version's migrations and of later ones, given by name as a whole file. Returns
 * its path.
 */
export async function withLaterMigrations(later: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'card-payments-migrations-'));
  await cp(own, directory, { recursive: true });
  for (const [name, text] of Object.entries(later)) await writeFile(join(directory, `${name}.sql`), text);
  return directory;
}

/** Makes a directory of the migrations before one, given by its name. Returns its path. */
export async function migrationsBefore(name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'card-payments-migrations-'));
  const names = (await readdir(own)).filter((file) => file < `${name}.sql`);
  for (const file of names) await cp(join(own, file), join(directory, file));
  return directory;
}
