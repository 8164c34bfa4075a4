import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The repository, whether this runs from its sources or from dist/. */
export const projectRoot = rootAbove(import.meta.dirname);

function rootAbove(directory: string): string {
  if (existsSync(join(directory, 'package.json'))) return directory;
  const parent = dirname(directory);
  if (parent === directory) throw new Error('there is no package.json above this file');
  return rootAbove(parent);
}
