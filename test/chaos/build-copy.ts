import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

export function copyBuild(name: string, from = join(projectRoot, 'dist')): BuildCopy {
  // Below the repository: modules find node_modules and the package's type above them.
  const dist = join(projectRoot, '.cache', `chaos-${name}-${process.pid}`, 'dist');
  cpSync(from, dist, { recursive: true });
  return { dist, remove: () => rmSync(dirname(dist), { recursive: true, force: true }) };
}

/** The workflows that get one line more in the other build, in files below dist/. */
export const changedWorkflows = ['payment/payment', 'refund', 'dispute', 'sandbox', 'deliver-webhook'].map(
  (name) => `src/workflows/${name}.js`,
);

/** Returns the source of a workflow with one command more at its beginning. Throws when it begins nowhere. */
export function withOneLineMore(source: string): string {
  const begins = /^export async function \w+Workflow\([^)]*\) \{$/gm;
  const places = source.match(begins)?.length ?? 0;
  if (places !== 1) throw new Error(`a workflow begins in ${places} places instead of one`);
  const line = "    addedToMemo({ build: 'other' });";
  return (
    `import { upsertMemo as addedToMemo } from '@temporalio/workflow';\n` +
    source.replace(begins, (beginning) => `${beginning}\n${line}`)
  );
}

/** Returns a copy of a build whose workflows have one line more each: no open run of the build replays. */
export function copyOtherBuild(from: string): BuildCopy {
  const copy = copyBuild('other', from);
  for (const file of changedWorkflows) {
    const path = join(copy.dist, file);
    writeFileSync(path, withOneLineMore(readFileSync(path, 'utf8')));
  }
  bundleWorkflows(copy.dist);
  return copy;
}

/** Makes the workflow bundle of a build anew. */
export function bundleWorkflows(dist: string): void {
  execFileSync(process.execPath, [join(dist, 'src', 'worker', 'bundle.js')], { stdio: 'ignore' });
}
