/**
 * `npm run test:deterministic -- [--payments N [--from S]] | --seed S [--until M] [--first N] [--without
 * KINDS] | --mutants [--only NAMES] [--payments N]`, each with `[--backend pglite|server]`, the first two
 * with `[--coverage]`: the service's own processes under a simulated clock, network, disk, PostgreSQL and
 * Temporal, in one process and in an order that the seed draws (docs/reliability.md). `server`: on a real
 * PostgreSQL, with a session for each connection, of which one runs at a time. A failing seed is played again
 * with fewer payments and faults.
 * Exit code 1 when an invariant was violated, 2 for an unknown flag.
 */
import { Problem } from '../../scripts/lib/problem.mjs';
import { parseFlags } from '../support/harness/flags.ts';
import { wholeNumber } from '../support/harness/options.ts';
import { exitWhenPrinted, runTool } from '../support/harness/run-tool.ts';
import { playWithCoverage } from './coverage.ts';
import { simulateGlobals } from './globals.ts';
import { withOneCommandMore } from './other-build.ts';
import { pgliteBackend } from './pglite.ts';
import { type SeedOptions, type SeedResult, playSeed } from './play-seed.ts';
import { runMutants } from './run-mutants.ts';
import { Scheduler } from './scheduler.ts';
import { serverBackend } from './server-backend.ts';
import { type Play, shrink } from './shrink.ts';
import { createWorkflowCreator } from './temporal/creator.ts';
import { bundlePath, otherBundlePath } from './world.ts';

/** Number of payments of one seed. */
const ofOneSeed = 48;

const backends = { pglite: pgliteBackend, server: serverBackend } as const;

function flags() {
  try {
    const given = parseFlags(
      {
        name: 'test:deterministic',
        does: 'Plays payments on the service’s own code under a simulated clock, network, disk and servers.',
        flags: {
          payments: { takes: 'n', means: 'how many, of fresh seeds', otherwise: '200' },
          from: { takes: 's', means: 'the first of these seeds, instead of one that is drawn' },
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
    if (given.backend in backends) return { ...given, backend: given.backend as keyof typeof backends };
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
  if (values.mutants) return () => runMutants(only, wholeNumber('payments', payments), backend);
  return () => prepared(values.seed === undefined ? playMany : replaySeed);
}

/** What all seeds use. */
type Prepared = Pick<SeedOptions, 'backend' | 'builds'>;

async function prepared(work: (common: Prepared) => Promise<boolean>): Promise<boolean> {
  const backend = await backends[values.backend]();
  try {
    return await work({ backend, builds: await simulatedBuilds() });
  } finally {
    await backend.close();
  }
}

async function simulatedBuilds(): Promise<SeedOptions['builds']> {
  const scheduler = new Scheduler(0);
  const putBack = simulateGlobals(() => scheduler, 0);
  try {
    return new Map([
      [bundlePath, await createWorkflowCreator(bundlePath)],
      [otherBundlePath, await createWorkflowCreator(bundlePath, withOneCommandMore)],
    ]);
  } finally {
    putBack();
  }
}

async function replaySeed(common: Prepared): Promise<boolean> {
  const seed = wholeNumber('seed', values.seed ?? '');
  const until = values.until === undefined ? undefined : wholeNumber('until', values.until);
  const play: Play = {
    payments: values.first === undefined ? ofOneSeed : wholeNumber('first', values.first),
    without: values.without?.split(',') ?? [],
  };
  const result = await playSeed({
    ...optionsOf(seed, play),
    ...(until === undefined ? {} : { until }),
    ...common,
  });
  for (const line of result.story) console.log(line);
  return report(seed, result);
}

function optionsOf(seed: number, { payments, without }: Play) {
  return { seed, payments, without: new Set(without) };
}

async function playMany(common: Prepared): Promise<boolean> {
  const wanted = wholeNumber('payments', values.payments);
  const drawn = 1 + Math.floor(Math.random() * 1_000_000);
  const first = values.from === undefined ? drawn : wholeNumber('from', values.from);
  const faults = new Map<string, number>();
  const seconds = stopwatch();
  let payments = 0;
  for (let seed = first; payments < wanted; seed += 1) {
    const whole: Play = { payments: ofOneSeed, without: [] };
    const result = await playSeed({ ...optionsOf(seed, whole), ...common });
    for (const [kind, count] of result.faults) faults.set(kind, (faults.get(kind) ?? 0) + count);
    if (result.payments === 0) throw new Problem(`seed ${seed} made no payment: the service did not start`);
    payments += result.payments;
    const { network, steps } = result;
    process.stderr.write(`seed ${seed}: ${result.payments} payments on ${network}, ${steps} steps\n`);
    if (report(seed, result)) continue;
    await reportSmaller(seed, whole, result, common);
    return false;
  }
  const rate = (payments / seconds()).toFixed(1);
  console.log(`faults: ${[...faults].map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
  console.log(`${payments} payments, ${rate} payments/s and core, 0 violations`);
  return true;
}

/**
 * Returns a function for the seconds of a core that were used since. A real server's are not this process's,
 * but one of the two always waits for the other.
 */
function stopwatch(): () => number {
  const usedAt = process.cpuUsage();
  const startedAt = performance.now();
  return () => {
    if (values.backend === 'server') return (performance.now() - startedAt) / 1_000;
    const { user, system } = process.cpuUsage(usedAt);
    return (user + system) / 1e6;
  };
}

/** Searches for the same violation with fewer payments and faults, and prints it. */
async function reportSmaller(
  seed: number,
  whole: Play,
  { violations, faults }: SeedResult,
  common: Prepared,
): Promise<void> {
  const [broken] = violations;
  const fails = async (play: Play): Promise<boolean> => {
    process.stderr.write(
      `seed ${seed} again: ${play.payments} payments, without ${play.without.length} kinds\n`,
    );
    const result = await playSeed({ ...optionsOf(seed, play), ...common });
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
