import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDirectory } from '../scripts/lib/make-directory.mjs';

/**
 * Returns a directory that all clones of this user share for built or downloaded programs, created when
 * missing.
 */
export function cacheDir(name: string): string {
  const candidates = [process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), tmpdir()];
  let failure: unknown;
  for (const base of candidates) {
    const path = join(base, 'card-payments', name);
    try {
      makeDirectory(path);
      return path;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
