import { mkdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where built or downloaded programs are kept for every clone of this user. Created when missing. */
export function cacheDir(name: string): string {
  const candidates = [process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), tmpdir()];
  let failure: unknown;
  for (const base of candidates) {
    const path = join(base, 'card-payments', name);
    try {
      mkdirSync(path, { recursive: true });
      return path;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
