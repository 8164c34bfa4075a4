import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../support/harness/project-root.ts';
import type { Guide } from './samples.ts';

const folder = 'docs/guides';

/** Returns the guides whose name contains `only`, by name. */
export function readGuides(only = ''): Guide[] {
  return readdirSync(join(projectRoot, folder))
    .filter((name) => name.endsWith('.md') && name.includes(only))
    .toSorted()
    .map((name) => `${folder}/${name}`)
    .map((file) => ({ file, text: readFileSync(join(projectRoot, file), 'utf8') }));
}
