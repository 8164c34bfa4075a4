import { type Plugin, build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Mutant, mutate } from '../support/harness/mutant.ts';
import { projectRoot } from '../support/harness/project-root.ts';

/** What a checkout is, and what may happen to it. */
export type Decisions = typeof import('../../src/domain/checkout-state.ts') &
  typeof import('../../src/domain/checkout.ts');

/**
 * Returns the decisions as a module compiled for this run alone: as they are, or with a mutant's mistake in
 * them.
 */
export async function loadDecisions(mutant: Mutant | null): Promise<Decisions> {
  const { outputFiles } = await build({
    stdin: {
      contents: "export * from './checkout-state.ts'; export * from './checkout.ts';",
      resolveDir: join(projectRoot, 'src', 'domain'),
      loader: 'ts',
    },
    plugins: mutant ? [mistakeOf(mutant)] : [],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2023',
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []);
  return import(`data:text/javascript;base64,${code.toString('base64')}`);
}

/** Puts the mistake into its file as it is read. */
const mistakeOf = (mutant: Mutant): Plugin => ({
  name: 'mistake',
  setup: (compiling) => {
    const path = join(projectRoot, mutant.file);
    compiling.onLoad({ filter: /\.ts$/ }, (file) =>
      file.path === path ? { contents: mutate(readFileSync(path, 'utf8'), mutant), loader: 'ts' } : undefined,
    );
  },
});
