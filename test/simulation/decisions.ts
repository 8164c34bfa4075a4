import { buildSync } from 'esbuild';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Mutant, mutate } from '../support/harness/mutant.ts';
import { projectRoot } from '../support/harness/project-root.ts';

/** The exports of src/domain/checkout.ts. */
export type Decisions = typeof import('../../src/domain/checkout.ts');

const path = join(projectRoot, 'src', 'domain', 'checkout.ts');

/**
 * Returns the decisions as a module compiled for this run alone: as they are, or with a mutant's mistake in
 * them.
 */
export async function loadDecisions(mutant: Mutant | null): Promise<Decisions> {
  const source = readFileSync(path, 'utf8');
  const { outputFiles } = buildSync({
    stdin: {
      contents: mutant ? mutate(source, mutant) : source,
      resolveDir: dirname(path),
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2023',
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []);
  return import(`data:text/javascript;base64,${code.toString('base64')}`);
}
