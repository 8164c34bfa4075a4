import { AsyncLocalStorage } from 'node:async_hooks';
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
  ['a cancellation', /^WITH locked AS MATERIALIZED \([^)]*\), released/],
  ['an answer', /^WITH named AS/],
  ['a transaction', /^BEGIN/],
] as const;

type PointName = (typeof points)[number][0] | 'an activity';

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
const letsActAtPointShare = 0.85;
const lostShare = 0.5;

/** The point at which a rival meets a worker that has a decline: the beginning of its own commit. */
const meetsDeclineAt: PointName = 'a transaction';

/** The point at which a worker meets the claim of a run that is gone: it cancels what that run reserved. */
const meetsClaimAt: PointName = 'a cancellation';

/** The payment that an activity works on: the beginning of its transaction names none. */
const workedOn = new AsyncLocalStorage<string | null>();

/** Runs the work of an activity, whose transactions are those of a payment. */
export const runForPayment = <T>(paymentId: string | null, work: () => T): T => workedOn.run(paymentId, work);

/** A process that is frozen at a point of its work. */
export interface Stall {
  owner: SimulatedProcess;
  point: string;
  /** The payment that it works on; null where it is not known. */
  paymentId: string | null;
  /** The key of the charge that was answered; null at other points. */
  chargeKey: string | null;
  /** Whether the network declined that charge. */
  isDeclined: boolean;
}

/** A stall as its listeners see it. */
interface BegunStall extends Stall {
  /** Freezes the process for so many ms from its beginning instead, and lets any rival end that. */
  prolong: (ms: number) => void;
}

/** The stalls of a seed. */
interface Stalls {
  /** The points at which a process is frozen now. */
  points: Set<string>;
  listeners: ((stall: BegunStall) => void)[];
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
export function onStall(scheduler: Scheduler, listener: (stall: BegunStall) => void): void {
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
  const rival = rivalOf({ paymentId: paymentId ?? workedOn.getStore() ?? null, point }, owner, scheduler);
  if (rival !== null && (await meet(rival, scheduler)) === 'lost') return 'lost';
  const ofPoint = point === 'a transaction' ? shareOfTransactions : share;
  if (scheduler.draws(`frozen before ${point}`, ofPoint))
    await freeze({ owner, point, paymentId, ...noCharge }, scheduler);
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
  const rival = rivalOf({ paymentId, point: 'an activity' }, owner, scheduler);
  if (rival !== null) await meet(rival, scheduler);
  if (!stallsOf(scheduler).mayFreeze(owner)) return;
  if (scheduler.draws(`frozen before ${type}`, share))
    await freeze({ owner, point: type, paymentId, ...noCharge }, scheduler);
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
  await freeze({ owner, point: 'the answer to a charge', paymentId, chargeKey, isDeclined }, scheduler);
}

const noCharge = { chargeKey: null, isDeclined: false };

/** A frozen process, and what ends its freeze. */
interface Rival {
  owner: SimulatedProcess;
  /** The only point at which another process meets it; null: at each. */
  meetsAt: PointName | null;
  thaw: () => void;
}

/** Returns the other process that is frozen before a write of this payment; null when there is none. */
function rivalOf(
  { paymentId, point }: { paymentId: string | null; point: PointName },
  owner: SimulatedProcess,
  scheduler: Scheduler,
): Rival | null {
  const rival = paymentId === null ? undefined : stallsOf(scheduler).rivals.get(paymentId);
  if (rival === undefined || rival.owner === owner) return null;
  // Each transaction names no payment but that of its activity, and few of them write what matters.
  const meets = rival.meetsAt === null ? point !== 'a transaction' : rival.meetsAt === point;
  return meets ? rival : null;
}

/**
 * Lets a process meet a rival that is frozen before a write of the same payment. The rival may act first, so
 * that it writes between what this process read and what it writes. Or the statement of this process is lost,
 * so that it looks again while the rival is still frozen.
 */
async function meet(rival: Rival, scheduler: Scheduler): Promise<'lost' | null> {
  if (scheduler.random.chance(rival.meetsAt === null ? letsActShare : letsActAtPointShare)) {
    scheduler.met('rival let first');
    rival.thaw();
    await scheduler.pause(20, 60);
    return null;
  }
  if (!scheduler.troubled || !scheduler.random.chance(lostShare)) return null;
  scheduler.met('statement of a rival lost');
  return 'lost';
}

/**
 * Returns how long a process is frozen, in ms, and where a rival may end that; false: nowhere. After a
 * decline a rival first looks up the charge, which the network may have captured since.
 */
function drawFreeze(
  { paymentId, isDeclined }: Stall,
  scheduler: Scheduler,
): { forMs: number; meetsAt: PointName | null | false } {
  const forRival = paymentId !== null && scheduler.random.chance(rivalShare);
  if (isDeclined) {
    return { forMs: scheduler.random.between(...afterDeclineMs), meetsAt: forRival && meetsDeclineAt };
  }
  if (forRival) return { forMs: scheduler.random.between(...forRivalMs), meetsAt: null };
  return { forMs: scheduler.delay(...frozenMs), meetsAt: false };
}

/** Freezes a process. Resolves just before its own timers. */
async function freeze(stall: Stall, scheduler: Scheduler): Promise<void> {
  const { owner, point, paymentId } = stall;
  const { points: frozen, listeners, rivals, alone } = stallsOf(scheduler);
  // While a process waits for its rival, the rival has to go on.
  if (frozen.has(point) || rivals.size > 0) return;
  frozen.add(point);
  let { forMs, meetsAt } = drawFreeze(stall, scheduler);
  const prolong = (ms: number): void => {
    forMs = ms;
    meetsAt = point === 'a claim' ? meetsClaimAt : null;
    alone.add(owner);
  };
  if (stall.isDeclined) alone.add(owner);
  for (const listener of listeners) listener({ ...stall, prolong });
  scheduler.note(`${owner.name} is frozen at ${point} for ${forMs.toFixed(0)} ms`);
  const untilMs = scheduler.nowMs + forMs;
  owner.frozenUntilMs = Math.max(owner.frozenUntilMs, untilMs);
  // A step of the process itself would come after its timers, and these would give the statement up.
  await new Promise<void>((resolve) => {
    let isOver = false;
    const thaw = (): void => {
      if (isOver) return;
      isOver = true;
      frozen.delete(point);
      if (meetsAt !== false) rivals.delete(paymentId ?? '');
      alone.delete(owner);
      if (owner.frozenUntilMs === untilMs) scheduler.thaw(owner);
      resolve();
    };
    scheduler.outside(forMs - beforeTimersMs, null, thaw);
    if (meetsAt !== false && paymentId !== null) rivals.set(paymentId, { owner, meetsAt, thaw });
  });
}

/** How long before its own timers a process is thawed, in ms. */
const beforeTimersMs = 0.001;
