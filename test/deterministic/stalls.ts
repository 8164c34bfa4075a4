import { type Scheduler, type SimulatedProcess } from './scheduler.ts';

/**
 * The statements before which a process may be frozen, so that others act between its last read and its
 * write. Each is named for the kind of fault.
 */
const points = [
  ['a claim', /^UPDATE attempts a SET claimed_at/],
  ['a reservation', /^WITH paying AS/],
  [
    'a cancellation',
    /^UPDATE attempts SET answer = 'not_sent'\s+WHERE payment_id = \$1 AND attempt_no = \$2\s/,
  ],
  ['an answer', /^WITH named AS/],
  ['a transaction', /^BEGIN/],
] as const;

/** How often a process is frozen before such a statement. Most transactions are those of sweeps. */
const share = 0.02;
const shareOfTransactions = 0.001;

/** How long it is frozen, in ms: from a short pause to longer than its workflow task may take. */
const frozenMs = [100, 15_000] as const;

/** What happens to the runs that a frozen process works on. */
type LoseRun = (owner: SimulatedProcess) => void;

const losers = new WeakMap<Scheduler, LoseRun>();
const stalled = new WeakMap<Scheduler, Set<string>>();

/** Lets the run that a frozen worker works on be lost meanwhile. */
export function loseRunsAtStalls(scheduler: Scheduler, lose: LoseRun): void {
  losers.set(scheduler, lose);
}

/**
 * Freezes a process before one of its statements, with a share of the cases. Resolves when the statement is
 * to be sent: then it is the first thing that the process does. Of two processes, each may be frozen at
 * another point, and a third goes on.
 */
export async function stallBefore(
  text: string,
  owner: SimulatedProcess,
  scheduler: Scheduler,
): Promise<void> {
  const [point] = points.find(([, beginning]) => beginning.test(text)) ?? [];
  if (point === undefined) return;
  const isTransaction = point === 'a transaction';
  const kind = `frozen before ${point}`;
  if (!scheduler.draws(kind, isTransaction ? shareOfTransactions : share)) return;
  const frozen = stalled.get(scheduler) ?? new Set();
  stalled.set(scheduler, frozen);
  if (frozen.has(point)) return;
  frozen.add(point);
  const forMs = scheduler.delay(...frozenMs);
  scheduler.note(`${owner.name} is frozen before ${point} for ${forMs.toFixed(0)} ms`);
  const untilMs = scheduler.nowMs + forMs;
  owner.frozenUntilMs = Math.max(owner.frozenUntilMs, untilMs);
  losers.get(scheduler)?.(owner);
  // A step of the process itself would come after its timers, and these would give the statement up.
  await new Promise<void>((resolve) => {
    scheduler.outside(forMs - beforeTimersMs, null, () => {
      frozen.delete(point);
      if (owner.frozenUntilMs === untilMs) owner.frozenUntilMs = scheduler.nowMs;
      resolve();
    });
  });
}

/** How long before its own timers a process is thawed, in ms. */
const beforeTimersMs = 0.001;
