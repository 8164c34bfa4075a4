/**
 * `npm run test:deterministic -- [--payments N [--from S]] | --kept | --seed S [--until M] [--first N]
 * [--without KINDS] | --mutants [--only NAMES] [--payments N [--from S]]`, each with
 * `[--backend pglite|server]`, and, without --mutants, `[--coverage]`: the service's own processes under a
 * simulated clock, network, disk, PostgreSQL and Temporal, in one process and in an order that the seed draws
 * (docs/reliability.md).
 * `server`: on a real PostgreSQL, with a session for each connection, of which one runs at a time. A failing
 * seed is played again with fewer payments and faults. Exit code 1 when an invariant was violated, 2 for an
 * unknown flag.
 */
import { Problem } from '../../scripts/lib/problem.mjs';
import { parseFlags } from '../support/harness/flags.ts';
import { wholeNumber } from '../support/harness/options.ts';
import { exitWhenPrinted, runTool } from '../support/harness/run-tool.ts';
import { playWithCoverage } from './coverage.ts';
import { keptSeeds } from './kept-seeds.ts';
import type { SeedResult } from './play-seed.ts';
import { runMutants } from './run-mutants.ts';
import { type SeedOrder, SeedProcesses } from './seed-processes.ts';
import { type Play, shrink } from './shrink.ts';

/** Number of payments of one seed. */
const ofOneSeed = 48;

const backends = ['pglite', 'server'] as const;

function flags() {
  try {
    const given = parseFlags(
      {
        name: 'test:deterministic',
        does: 'Plays payments on the service’s own code under a simulated clock, network, disk and servers.',
        flags: {
          payments: { takes: 'n', means: 'how many, of fresh seeds', otherwise: '200' },
          from: {
            takes: 's',
            means: 'the first of these seeds, instead of one that is drawn; of mutants instead of 1',
          },
          kept: { means: 'instead: plays the seeds that once found a defect' },
          mutants: { means: 'instead: plays mistakes in copies of the build until each breaks an invariant' },
          only: { takes: 'names', means: 'of the mutants, these, between commas' },
          seed: { takes: 's', means: 'instead: this seed, with its story' },
          until: { takes: 'm', means: 'of the seed, so many steps' },
          coverage: { means: 'then prints which lines of the money path were executed; slower' },
          backend: { takes: 'pglite|server', means: 'the PostgreSQL of the payments', otherwise: 'pglite' },
          first: { takes: 'n', means: 'of the seed, the first so many payments' },
          without: { takes: 'kinds', means: 'of the seed, without these kinds of faults, between commas' },
        },
      },
      process.argv.slice(2),
    );
    const backend = backends.find((known) => known === given.backend);
    if (backend !== undefined) return { ...given, backend };
    throw new Problem(`--backend must be pglite or server, not ${given.backend}`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    return process.exit(2);
  }
}

const values = flags();
await runTool(values.coverage ? playWithCoverage : chosenWork());
// PGlite and the SDK leave open handles.
await exitWhenPrinted();

function chosenWork(): () => Promise<boolean> {
  const { only, payments, backend } = values;
  if (values.mutants) {
    const from = values.from === undefined ? 1 : wholeNumber('from', values.from);
    return () => runMutants(only, { from, payments: wholeNumber('payments', payments), backend });
  }
  if (values.kept) return () => prepared((processes) => playMany(keptSeeds, Infinity, processes));
  return () => prepared(values.seed === undefined ? playFresh : replaySeed);
}

async function prepared(work: (seeds: SeedProcesses) => Promise<boolean>): Promise<boolean> {
  const seeds = await SeedProcesses.open(values.backend);
  try {
    return await work(seeds);
  } finally {
    await seeds.close();
  }
}

async function replaySeed(seeds: SeedProcesses): Promise<boolean> {
  const seed = wholeNumber('seed', values.seed ?? '');
  const until = values.until === undefined ? null : wholeNumber('until', values.until);
  const play: Play = {
    payments: values.first === undefined ? ofOneSeed : wholeNumber('first', values.first),
    without: values.without?.split(',') ?? [],
  };
  const result = await seeds.play({ ...wholeSeed(seed, play), until, withStory: true });
  for (const line of result.story) console.log(line);
  return report(seed, result);
}

function wholeSeed(seed: number, play: Play): Omit<SeedOrder, 'server'> {
  return { seed, ...play, until: null, withStory: false };
}

function playFresh(processes: SeedProcesses): Promise<boolean> {
  const drawn = 1 + Math.floor(Math.random() * 1_000_000);
  const first = values.from === undefined ? drawn : wholeNumber('from', values.from);
  return playMany(numbersFrom(first), wholeNumber('payments', values.payments), processes);
}

function* numbersFrom(first: number): Generator<number> {
  for (let number = first; ; number += 1) yield number;
}

/** Plays seeds until they made as many payments as wanted, or one broke an invariant. */
async function playMany(seeds: Iterable<number>, wanted: number, processes: SeedProcesses): Promise<boolean> {
  const faults = new Map<string, number>();
  const startedAt = performance.now();
  let cpuSeconds = 0;
  let payments = 0;
  for (const seed of seeds) {
    if (payments >= wanted) break;
    const whole: Play = { payments: ofOneSeed, without: [] };
    const result = await processes.play(wholeSeed(seed, whole));
    for (const [kind, count] of result.faults) faults.set(kind, (faults.get(kind) ?? 0) + count);
    if (result.payments === 0 && result.violations.length === 0) {
      throw new Problem(`seed ${seed} made no payment: the service did not start`);
    }
    payments += result.payments;
    cpuSeconds += result.cpuSeconds;
    const { network, steps } = result;
    process.stderr.write(`seed ${seed}: ${result.payments} payments on ${network}, ${steps} steps\n`);
    if (report(seed, result)) continue;
    await reportSmaller(seed, whole, result, processes);
    return false;
  }
  // A real server's time is not its client's, but one of the two always waits for the other.
  const seconds = values.backend === 'server' ? (performance.now() - startedAt) / 1_000 : cpuSeconds;
  const rate = (payments / seconds).toFixed(1);
  console.log(`faults: ${[...faults].map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
  console.log(`${payments} payments, ${rate} payments/s and core, 0 violations`);
  return true;
}

/** Searches for the same violation with fewer payments and faults, and prints it. */
async function reportSmaller(
  seed: number,
  whole: Play,
  { violations, faults }: SeedResult,
  processes: SeedProcesses,
): Promise<void> {
  const [broken] = violations;
  const fails = async (play: Play): Promise<boolean> => {
    process.stderr.write(
      `seed ${seed} again: ${play.payments} payments, without ${play.without.length} kinds\n`,
    );
    const result = await processes.play(wholeSeed(seed, play));
    return result.violations.some(({ invariant }) => invariant === broken?.invariant);
  };
  const { payments, without } = await shrink(whole, [...faults.keys()], fails);
  const flag = without.length === 0 ? '' : ` --without "${without.join(',')}"`;
  console.log(
    `smaller: npm run test:deterministic -- --seed ${seed} --first ${payments}${flag}${backendFlag()}`,
  );
}

/** Prints the violations; returns whether there were none. */
function report(seed: number, { violations, steps }: SeedResult): boolean {
  for (const { invariant, paymentId, detail } of violations.slice(0, 10)) {
    console.log(`${invariant} ${paymentId ?? ''} ${detail}`);
  }
  if (violations.length === 0) return true;
  console.log(`again: npm run test:deterministic -- --seed ${seed} --until ${steps}${backendFlag()}`);
  return false;
}

function backendFlag(): string {
  return values.backend === 'pglite' ? '' : ` --backend ${values.backend}`;
}
