import { transformSync } from 'esbuild';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Problem } from '../../scripts/lib/problem.mjs';
import { type BuildCopy, bundleWorkflows, copyBuild } from '../chaos/build-copy.ts';
import { type Mutant, assertMutantsApply, editsOf, mutate } from '../support/harness/mutant.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { mutants } from './mutants.ts';

/** How each mutant is played. */
interface MutantPlay {
  from: number;
  payments: number;
  backend: string;
}

/** The result of a mutant: the line of the violated invariant, null when none was violated. */
interface Outcome {
  name: string;
  broken: string | null;
  payments: number;
  seconds: number;
}

/**
 * Plays each mutant of the build until an invariant is violated, for at most `payments` payments, and prints
 * the table of docs/reliability.md. `only`: names between commas. Returns whether all were caught. Throws
 * Problem, before any is played, when a mutant has no place in the build or a name is unknown. `from`: the
 * first seed of each mutant. `backend`: the PostgreSQL to play on.
 */
export async function runMutants(only: string | undefined, play: MutantPlay): Promise<boolean> {
  const chosen = choose(only);
  assertMutantsApply(chosen.filter(isSource), projectRoot);
  assertMutantsApply(
    chosen.filter((mutant) => !isSource(mutant)),
    join(projectRoot, 'dist'),
  );
  console.log('| mutant | caught as | payments | seconds |\n|---|---|---|---|');
  const outcomes: Outcome[] = [];
  for (const mutant of chosen) {
    const outcome = await playMutant(mutant, play);
    outcomes.push(outcome);
    const { name, broken, seconds } = outcome;
    console.log(`| ${name} | ${broken ?? 'NOT CAUGHT'} | ${outcome.payments} | ${seconds.toFixed(0)} |`);
  }
  const caught = outcomes.filter(({ broken }) => broken !== null).length;
  console.log(`mutants: ${outcomes.length}, caught: ${caught}`);
  return caught === outcomes.length;
}

function choose(only: string | undefined): readonly Mutant[] {
  if (only === undefined) return mutants;
  const names = only.split(',');
  const unknown = names.filter((name) => mutants.every((mutant) => mutant.name !== name));
  if (unknown.length > 0) throw new Problem(`no mutant is called: ${unknown.join(', ')}`);
  return mutants.filter(({ name }) => names.includes(name));
}

const isSource = ({ file }: Mutant): boolean => file.endsWith('.ts');

/** Applies the mutant's edits to the copy, and builds the workflow bundle again. */
function applyMutant({ dist }: BuildCopy, mutant: Mutant): void {
  for (const edit of editsOf(mutant)) {
    const from = join(isSource(edit) ? projectRoot : dist, edit.file);
    const text = mutate(readFileSync(from, 'utf8'), edit);
    writeFileSync(join(dist, edit.file.replace(/\.ts$/, '.js')), isSource(edit) ? compiled(text) : text);
  }
  bundleWorkflows(dist);
}

/** Returns the module of a source. The build has compiled modules beside it. */
function compiled(source: string): string {
  const { code } = transformSync(source, { loader: 'ts', format: 'esm' });
  return code.replace(/(from "\.[^"]*)\.ts"/g, '$1.js"');
}

/** Plays one mutant in a copy of the build, in its own process, which ends with the first violation. */
async function playMutant(mutant: Mutant, { from, payments, backend }: MutantPlay): Promise<Outcome> {
  const copy = copyBuild('simulated');
  const beganAt = performance.now();
  try {
    applyMutant(copy, mutant);
    const flags = ['--from', String(from), '--payments', String(payments), '--backend', backend];
    const main = join(copy.dist, 'test', 'deterministic', 'main.js');
    const child = spawn(process.execPath, [main, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
    let broken: string | null = null;
    let played = 0;
    let lastLine = '';
    createInterface({ input: child.stderr }).on('line', (line) => {
      played += Number(/^seed \d+: (\d+) payments/.exec(line)?.[1] ?? 0);
      lastLine = line;
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (/^I\d+ /.test(line)) broken ??= line.slice(0, 160);
      // After this line the process searches for a smaller failure, which is not needed here.
      if (line.startsWith('again: ')) child.kill('SIGKILL');
    });
    const code = await new Promise<number | null>((resolve) => {
      child.once('close', resolve);
    });
    if (code !== 0 && broken === null) broken = `the simulation ended: ${lastLine.slice(0, 120)}`;
    return { name: mutant.name, broken, payments: played, seconds: (performance.now() - beganAt) / 1_000 };
  } finally {
    copy.remove();
  }
}
