import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../support/harness/project-root.ts';

/** A copy of dist/ that may be changed, and that no build replaces while its processes are restarted. */
export interface BuildCopy {
  dist: string;
  remove(): void;
}

export function copyBuild(name: string, from = join(projectRoot, 'dist')): BuildCopy {
  // It is below the repository, so that modules find node_modules and the package's type above them.
  const dist = join(projectRoot, '.cache', `chaos-${name}-${process.pid}`, 'dist');
  cpSync(from, dist, { recursive: true });
  return { dist, remove: () => rmSync(dirname(dist), { recursive: true, force: true }) };
}

/** The workflows that get one additional line in the other build, in files below dist/. */
export const changedWorkflows = ['payment/payment', 'refund', 'dispute', 'sandbox', 'deliver-webhook'].map(
  (name) => `src/workflows/${name}.js`,
);

/** Returns a workflow's source with one more command at the start. Throws when no workflow starts in it. */
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

/** Returns a copy of a build with one more line in each workflow, so no open run of the build replays. */
export function copyOtherBuild(from: string): BuildCopy {
  const copy = copyBuild('other', from);
  for (const file of changedWorkflows) {
    const path = join(copy.dist, file);
    writeFileSync(path, withOneLineMore(readFileSync(path, 'utf8')));
  }
  bundleWorkflows(copy.dist);
  return copy;
}

/** Builds the workflow bundle of a build again. */
export function bundleWorkflows(dist: string): void {
  execFileSync(process.execPath, [join(dist, 'src', 'worker', 'bundle.js')], { stdio: 'ignore' });
}
