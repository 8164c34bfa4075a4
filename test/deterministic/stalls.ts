import type { Scheduler, SimulatedProcess } from './scheduler.ts';

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

/** The activities before which a worker may be frozen. */
const activities: readonly string[] = ['authorize', 'commitTransition', 'confirmAttempt', 'resumePayment'];

/** How often a process is frozen at such a point. Most transactions are those of sweeps. */
const share = 0.02;
const shareOfTransactions = 0.001;
/** How often a process is frozen after the answer to a charge, and after a decline. */
const shareOfCharges = 0.04;
const shareOfDeclines = 0.15;

/** How long it is frozen, in ms: from a short pause to longer than its workflow task may take. */
const frozenMs = [100, 15_000] as const;
/** How long it is frozen, in ms, when a rival may end that: mostly longer than its workflow task may take. */
const forRivalMs = [6_000, 25_000] as const;
/** How long after a decline, in ms: longer than its workflow task may take, so that another worker looks. */
const afterDeclineMs = [11_000, 25_000] as const;
/** How often a rival may end it. */
const rivalShare = 0.6;
/** How often a rival waits until the frozen process has acted, and how often its own statement is lost. */
const letsActShare = 0.5;
const lostShare = 0.5;

/** A process that is frozen at a point of its work. */
export interface Stall {
  owner: SimulatedProcess;
  point: string;
  /** The payment that it works on; null where it is not known. */
  paymentId: string | null;
  /** The key of the charge that was answered; null at other points. */
  chargeKey: string | null;
}

/** The stalls of a seed. */
interface Stalls {
  /** The points at which a process is frozen now. */
  points: Set<string>;
  listeners: ((stall: Stall) => void)[];
  mayFreeze: (owner: SimulatedProcess) => boolean;
  /** The frozen processes that a rival may let act, by the payment that they work on. */
  rivals: Map<string, Rival>;
  /** The processes that are frozen until others have acted. */
  alone: Set<SimulatedProcess>;
}

const all = new WeakMap<Scheduler, Stalls>();

function stallsOf(scheduler: Scheduler): Stalls {
  const known = all.get(scheduler);
  if (known) return known;
  const none: Stalls = {
    points: new Set(),
    listeners: [],
    mayFreeze: () => true,
    rivals: new Map(),
    alone: new Set(),
  };
  all.set(scheduler, none);
  return none;
}

/** Calls a function for each process that is frozen at a point. */
export function onStall(scheduler: Scheduler, listener: (stall: Stall) => void): void {
  stallsOf(scheduler).listeners.push(listener);
}

/** Lets a function decide whether a process may be frozen at an activity or after an answer. */
export function freezeOnlyIf(scheduler: Scheduler, mayFreeze: (owner: SimulatedProcess) => boolean): void {
  stallsOf(scheduler).mayFreeze = mayFreeze;
}

/** Returns whether a process is frozen until others have acted, so that it must not be killed before. */
export const isStalledForLong = (scheduler: Scheduler, owner: SimulatedProcess): boolean =>
  stallsOf(scheduler).alone.has(owner);

/**
 * Freezes a process before one of its statements, with a share of the cases. Resolves when the statement is
 * to be sent: then it is the first thing that the process does. Of two processes, each may be frozen at
 * another point, and a third goes on. `lost`: its connection breaks instead, while a rival is frozen.
 */
export async function stallBefore(
  { text, paymentId }: { text: string; paymentId: string | null },
  owner: SimulatedProcess,
  scheduler: Scheduler,
): Promise<'sent' | 'lost'> {
  const [point] = points.find(([, beginning]) => beginning.test(text)) ?? [];
  if (point === undefined) return 'sent';
  const rival = rivalOf(paymentId, owner, scheduler);
  if (rival !== null && (await meet(rival, scheduler)) === 'lost') return 'lost';
  const ofPoint = point === 'a transaction' ? shareOfTransactions : share;
  if (scheduler.draws(`frozen before ${point}`, ofPoint))
    await freeze({ owner, point, paymentId, chargeKey: null }, scheduler);
  return 'sent';
}

/** Freezes a worker before an activity that works on a payment, with a share of the cases. */
export async function stallBeforeActivity(
  type: string,
  paymentId: string | null,
  owner: SimulatedProcess | null,
  scheduler: Scheduler,
): Promise<void> {
  if (owner === null || !activities.includes(type)) return;
  const rival = rivalOf(paymentId, owner, scheduler);
  if (rival !== null) await meet(rival, scheduler);
  if (!stallsOf(scheduler).mayFreeze(owner)) return;
  if (scheduler.draws(`frozen before ${type}`, share))
    await freeze({ owner, point: type, paymentId, chargeKey: null }, scheduler);
}

/** Freezes a worker after the network has answered a charge, with a share of the cases. */
export async function stallAfterCharge(
  { chargeKey, isDeclined }: { chargeKey: string; isDeclined: boolean },
  owner: SimulatedProcess,
  scheduler: Scheduler,
): Promise<void> {
  if (!stallsOf(scheduler).mayFreeze(owner)) return;
  const [kind, ofKind] = isDeclined
    ? (['frozen after a decline', shareOfDeclines] as const)
    : (['frozen after a charge', shareOfCharges] as const);
  if (!scheduler.draws(kind, ofKind)) return;
  const [paymentId = null] = chargeKey.split(':');
  const stall = { owner, point: 'the answer to a charge', paymentId, chargeKey };
  await freeze(stall, scheduler, isDeclined ? afterDeclineMs : undefined);
}

/** A frozen process, and what ends its freeze. */
interface Rival {
  owner: SimulatedProcess;
  thaw: () => void;
}

/** Returns the other process that is frozen before a write of this payment; null when there is none. */
function rivalOf(paymentId: string | null, owner: SimulatedProcess, scheduler: Scheduler): Rival | null {
  const rival = paymentId === null ? undefined : stallsOf(scheduler).rivals.get(paymentId);
  return rival === undefined || rival.owner === owner || !scheduler.troubled ? null : rival;
}

/**
 * Lets a process meet a rival that is frozen before a write of the same payment. The rival may act first, so
 * that it writes between what this process read and what it writes. Or the statement of this process is lost,
 * so that it looks again while the rival is still frozen.
 */
async function meet(rival: Rival, scheduler: Scheduler): Promise<'lost' | null> {
  if (scheduler.random.chance(letsActShare)) {
    scheduler.met('rival let first');
    rival.thaw();
    await scheduler.pause(20, 60);
    return null;
  }
  if (!scheduler.random.chance(lostShare)) return null;
  scheduler.met('statement of a rival lost');
  return 'lost';
}

/**
 * Freezes a process. Resolves just before its own timers. `aloneMs`: the shortest and the longest time of a
 * freeze that no rival may end.
 */
async function freeze(
  stall: Stall,
  scheduler: Scheduler,
  aloneMs?: readonly [number, number],
): Promise<void> {
  const { owner, point, paymentId } = stall;
  const { points: frozen, listeners, rivals, alone } = stallsOf(scheduler);
  // While a process waits for its rival, the rival has to go on.
  if (frozen.has(point) || rivals.size > 0) return;
  frozen.add(point);
  const forRival = paymentId !== null && aloneMs === undefined && scheduler.random.chance(rivalShare);
  const longMs = forRival ? forRivalMs : aloneMs;
  const forMs = longMs ? scheduler.random.between(...longMs) : scheduler.delay(...frozenMs);
  scheduler.note(`${owner.name} is frozen at ${point} for ${forMs.toFixed(0)} ms`);
  const untilMs = scheduler.nowMs + forMs;
  owner.frozenUntilMs = Math.max(owner.frozenUntilMs, untilMs);
  for (const listener of listeners) listener(stall);
  // A step of the process itself would come after its timers, and these would give the statement up.
  await new Promise<void>((resolve) => {
    let isOver = false;
    const thaw = (): void => {
      if (isOver) return;
      isOver = true;
      frozen.delete(point);
      if (forRival) rivals.delete(paymentId);
      alone.delete(owner);
      if (owner.frozenUntilMs === untilMs) scheduler.thaw(owner);
      resolve();
    };
    scheduler.outside(forMs - beforeTimersMs, null, thaw);
    if (forRival) rivals.set(paymentId, { owner, thaw });
    if (aloneMs) alone.add(owner);
  });
}

/** How long before its own timers a process is thawed, in ms. */
const beforeTimersMs = 0.001;
