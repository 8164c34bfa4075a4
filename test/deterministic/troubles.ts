import { setTimeout as sleep } from 'node:timers/promises';
import type { Violation } from '../chaos/violation.ts';
import { Random } from '../support/harness/random.ts';
import type { Scheduler, SimulatedProcess } from './scheduler.ts';
import { isStalledForLong } from './stalls.ts';
import type { World } from './world.ts';
import { frozenRunLost } from './themes.ts';

/** The faults of a process of the service, with their relative frequency. */
const troubles = [
  ['killed', 5],
  ['stopped', 2],
  ['frozen', 2],
  ['clock set wrong', 2],
] as const;

/** The pause between two of these faults, in ms. */
const pauseMs = [2_000, 14_000] as const;

/** The kind of fault of a worker that is frozen for as long as the seed is played. */
const longFault = 'worker frozen for long';

/** How long a process is frozen, in ms: from a short pause to longer than a lease. */
const frozenMs = [300, 25_000] as const;
/**
 * Returns whether a violation is only an answer that came late because its API was frozen: here an API is
 * frozen for longer than in the chaos harness, whose longest answer the checker allows.
 */
export const isOfFrozenApi = ({ faults }: Scheduler, { invariant, detail }: Violation): boolean =>
  invariant === 'I21' &&
  detail.includes('was answered after') &&
  [...faults.keys()].some((kind) => kind === 'api frozen' || kind.startsWith('frozen before'));

/** The share of seeds in which a worker is frozen until all is checked, how long, and when, in ms. */
const longShare = 0.15;
const longMs = 900_000;
const longFromMs = [2_000, 20_000] as const;

/**
 * The share of seeds in which only the clocks of workers are set wrong, often and far: with other faults
 * beside it, a wrong clock rarely meets the work that it can harm.
 */
const clocksShare = 0.1;
const farMs = [-1_200_000, -30_000, 30_000, 1_200_000] as const;
const clocksPauseMs = [1_000, 4_000] as const;

/** How far a clock is wrong, in ms: from a tolerated difference to one that stops a process from leading. */
const skewsMs = [-1_200_000, -30_000, -1_500, 1_500, 9_000, 30_000, 1_200_000] as const;
/** How long a clock is wrong, in ms. */
const wrongMs = [1_000, 40_000] as const;

/**
 * Kills, stops and freezes the service's processes and sets their clocks, one after the other, until
 * `untilMs` (epoch ms). Afterwards all of them run with a true clock.
 */
export async function troubleProcesses(world: World, scheduler: Scheduler, untilMs: number): Promise<void> {
  const { random } = scheduler;
  const onlyClocks = scheduler.isAmong('only clocks set wrong', clocksShare);
  const [pauseLowMs, pauseHighMs] = onlyClocks ? clocksPauseMs : pauseMs;
  for (;;) {
    await sleep(random.between(pauseLowMs, pauseHighMs));
    if (Date.now() > untilMs || !scheduler.troubled) return;
    const running = world
      .running()
      .filter(
        (each) => !isStalledForLong(scheduler, each) && (!onlyClocks || each.name.startsWith('worker')),
      );
    if (running.length === 0) continue;
    const victim = random.pick(running);
    const trouble = onlyClocks ? 'clock set wrong' : random.weighted(troubles);
    const kind = `${victim.name.replace(/-\d+$/, '')} ${trouble}`;
    const [lowMs, highMs] = trouble === 'frozen' ? frozenMs : wrongMs;
    const forMs = random.between(lowMs, highMs);
    const skewMs = random.pick(onlyClocks ? farMs : skewsMs);
    if (!scheduler.allows(kind)) continue;
    if (trouble === 'frozen' && !(await hasNoTransaction(world, victim))) continue;
    scheduler.met(kind);
    if (trouble === 'killed') world.kill(victim);
    else if (trouble === 'stopped') world.stop(victim);
    else if (trouble === 'frozen')
      victim.frozenUntilMs = Math.max(victim.frozenUntilMs, scheduler.nowMs + forMs);
    else skewClock(scheduler, victim, skewMs, forMs);
  }
}

/**
 * In some seeds, freezes one of the workers for longer than everything may take to be final. The other one
 * then recovers what it left, and leads the sweeps in its place.
 */
export async function freezeForLong(world: World, scheduler: Scheduler, seed: number): Promise<void> {
  const random = new Random(Math.imul(seed, 0x27d4eb2f) ^ 0x2545f491);
  // Where the theme freezes a worker for minutes, the other one has to go on.
  if (scheduler.isOfTheme(frozenRunLost)) return;
  if (!random.chance(longShare) || !scheduler.allows(longFault)) return;
  await sleep(random.between(...longFromMs));
  const workers = world.running().filter(({ name }) => name.startsWith('worker'));
  if (workers.length < 2) return;
  const victim = random.pick(workers);
  if (!(await hasNoTransaction(world, victim))) return;
  scheduler.met(longFault);
  victim.frozenUntilMs = scheduler.nowMs + longMs;
}

function skewClock(scheduler: Scheduler, victim: SimulatedProcess, skewMs: number, forMs: number): void {
  victim.skewMs = skewMs;
  scheduler.note(`the clock of ${victim.name} is wrong by ${skewMs} ms`);
  scheduler.outside(forMs, `the clock of ${victim.name} is true again`, () => {
    victim.skewMs = 0;
  });
}

/** Waits until a process holds no session that others need. Frozen with it, it would stop all others. */
async function hasNoTransaction(world: World, victim: SimulatedProcess): Promise<boolean> {
  for (let tries = 0; tries < 100 && victim.isAlive; tries += 1) {
    if (!world.holdsDatabase(victim)) return true;
    await sleep(1);
  }
  return false;
}
