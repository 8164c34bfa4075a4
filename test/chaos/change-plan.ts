import type { Random } from '../support/harness/random.ts';

/** The kinds of fault that change something instead of ending a process. A schedule has at most one. */
export const faultKinds = [
  'two-builds',
  'shifted-clock',
  'rows-put-back',
  'frozen-leader',
  'moving-disputes',
  'capture-after-decline',
  'lost-runs',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export const isFaultKind = (text: string): text is FaultKind => faultKinds.some((kind) => kind === text);

/** A process whose clock can be wrong, because it reads a clock of its own. */
export type ClockOwner = 'worker-1' | 'worker-2' | 'api-1';

/** The steps that the network takes with a dispute, one after another. */
export type DisputeMove =
  'dueLater' | 'otherAmount' | 'chargeback' | 'unknownStatus' | 'otherCurrency' | 'won' | 'lost';

/** The change of a schedule. Times are in ms from its start. */
export type Change =
  /** Both workers switch builds when this many runs wait, and back after `backAfterMs`, or never. */
  | { kind: 'two-builds'; waiting: number; backAfterMs: number | null }
  /** One process starts with a wrong clock before the payments, and gets the right one after the faults. */
  | { kind: 'shifted-clock'; target: ClockOwner; shiftMs: number }
  /** `afterMs` after a payment is paid, its rows return to an earlier commit, chosen by `back` (0 to 1). */
  | { kind: 'rows-put-back'; payments: number; afterMs: number; back: number }
  /** The worker that leads the sweeps is frozen. Runs are terminated later, which only sweeps resume. */
  | { kind: 'frozen-leader'; atMs: number; forMs: number }
  /** The network opens an inquiry for some paid payments, and changes it. */
  | { kind: 'moving-disputes'; payments: number; moves: readonly DisputeMove[]; pauseMs: number }
  /** The network captures charges `afterMs` after it declined them. */
  | { kind: 'capture-after-decline'; charges: number; afterMs: number }
  /** Runs that wait for a customer's step or for a refund are terminated or deleted. */
  | { kind: 'lost-runs'; runs: number; how: 'terminated' | 'deleted' };

/** How long a leader is frozen in a forced schedule, and in one that draws the freeze from its seed. */
export const forcedFreezeMs = 120_000;
const mixedFreezeMs = 25_000;

/** Deadlines of payments, in s, that give a change time to do harm. Other kinds use the usual one. */
const deadlines: Partial<Record<FaultKind, number>> = {
  'two-builds': 75,
  'lost-runs': 75,
  'shifted-clock': 30,
  'rows-put-back': 30,
};

/** Returns the checkout deadline of schedules with a forced kind; undefined for the usual one. */
export const forcedDeadlineSeconds = (kind: FaultKind): number | undefined => deadlines[kind];

/** The shares of the kinds among schedules that have one; a freeze takes the longest. */
const shares: readonly (readonly [FaultKind, number])[] = [
  ['two-builds', 3],
  ['shifted-clock', 3],
  ['rows-put-back', 3],
  ['frozen-leader', 1],
  ['moving-disputes', 3],
  ['capture-after-decline', 3],
  ['lost-runs', 3],
];

/** Draws the change of an ordinary schedule; null when it has none. */
export function drawMixedChange(random: Random): Change | null {
  return random.chance(0.5) ? drawChange(random, random.weighted(shares), mixedFreezeMs) : null;
}

export function drawChange(random: Random, kind: FaultKind, freezeMs: number): Change {
  switch (kind) {
    case 'two-builds':
      return {
        kind,
        waiting: random.pick([1, 2, 3, 3]),
        backAfterMs: random.chance(0.3) ? random.between(1_000, 4_000) : null,
      };
    case 'shifted-clock':
      return {
        kind,
        target: random.weighted<ClockOwner>([
          ['worker-1', 2],
          ['worker-2', 2],
          ['api-1', 1],
        ]),
        shiftMs: random.pick([20 * 60_000, 3 * 60_000, -20 * 60_000]),
      };
    case 'rows-put-back':
      return { kind, payments: random.between(1, 2), afterMs: random.between(0, 800), back: random.next() };
    case 'frozen-leader':
      return { kind, atMs: random.between(1_500, 3_000), forMs: freezeMs };
    case 'moving-disputes':
      return drawMovingDisputes(random);
    case 'capture-after-decline':
      return drawLateCaptures(random);
    case 'lost-runs':
      return { kind, runs: random.between(1, 4), how: random.pick(['terminated', 'deleted', 'deleted']) };
  }
}

export function drawMovingDisputes(random: Random): Extract<Change, { kind: 'moving-disputes' }> {
  return {
    kind: 'moving-disputes',
    payments: random.between(1, 3),
    moves: [...drawMoves(random), 'chargeback', ...drawMoves(random), random.pick(['won', 'lost'])],
    pauseMs: random.between(300, 1_200),
  };
}

export function drawLateCaptures(random: Random): Extract<Change, { kind: 'capture-after-decline' }> {
  return {
    kind: 'capture-after-decline',
    charges: random.between(1, 3),
    afterMs: random.between(200, 2_000),
  };
}

/** Draws the moves within a stage. The next status replaces an unknown status or another currency. */
function drawMoves(random: Random): DisputeMove[] {
  const moves = ['dueLater', 'otherAmount', 'unknownStatus', 'otherCurrency'] as const;
  return moves.filter(() => random.chance(0.4));
}
