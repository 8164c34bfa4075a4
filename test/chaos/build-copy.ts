import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../support/harness/project-root.ts';

/**
 * A copy of dist/ that no build replaces while its processes are started again and again, and that may be
 * changed.
 */
export interface BuildCopy {
  dist: string;
  remove(): void;
}

export function copyBuild(name: string): BuildCopy {
  // Below the repository: modules find node_modules and the package's type above them.
  const dist = join(projectRoot, '.cache', `chaos-${name}-${process.pid}`, 'dist');
  cpSync(join(projectRoot, 'dist'), dist, { recursive: true });
  return { dist, remove: () => rmSync(dirname(dist), { recursive: true, force: true }) };
}
