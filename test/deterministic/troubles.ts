import { setTimeout as sleep } from 'node:timers/promises';
import type { Scheduler, SimulatedProcess } from './scheduler.ts';
import type { World } from './world.ts';

/** The faults of a process of the service, with their relative frequency. */
const troubles = [
  ['killed', 5],
  ['frozen', 2],
  ['clock set wrong', 2],
] as const;

/** How long a process is frozen, in ms: from a short pause to longer than a lease. */
const frozenMs = [300, 25_000] as const;
/** How far a clock is wrong, in ms: from a tolerated difference to one that stops a process from leading. */
const skewsMs = [-1_200_000, -30_000, -1_500, 1_500, 9_000, 30_000, 1_200_000] as const;
/** How long a clock is wrong, in ms. */
const wrongMs = [1_000, 40_000] as const;

/**
 * Kills and freezes the service's processes and sets their clocks, one after the other, until `untilMs`
 * (epoch ms). Afterwards all of them run with a true clock.
 */
export async function troubleProcesses(world: World, scheduler: Scheduler, untilMs: number): Promise<void> {
  const { random } = scheduler;
  for (;;) {
    await sleep(random.between(2_000, 14_000));
    if (Date.now() > untilMs || !scheduler.troubled) return;
    const running = world.running();
    if (running.length === 0) continue;
    const victim = random.pick(running);
    const trouble = random.weighted(troubles);
    const kind = `${victim.name.replace(/-\d+$/, '')} ${trouble}`;
    const [lowMs, highMs] = trouble === 'frozen' ? frozenMs : wrongMs;
    const forMs = random.between(lowMs, highMs);
    const skewMs = random.pick(skewsMs);
    if (!scheduler.allows(kind)) continue;
    if (trouble === 'frozen' && !(await hasNoTransaction(world, victim))) continue;
    scheduler.met(kind);
    if (trouble === 'killed') world.kill(victim);
    else if (trouble === 'frozen') victim.frozenUntilMs = scheduler.nowMs + forMs;
    else skewClock(scheduler, victim, skewMs, forMs);
  }
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
