import type { Random } from '../support/harness/random.ts';

/** The kinds of fault that are no death but a change; a schedule has at most one of them. */
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

/** A process whose clock can be wrong: one that reads its own. */
export type ClockOwner = 'worker-1' | 'worker-2' | 'api-1';

/** What the network does to a dispute: one step after another. */
export type DisputeMove =
  'dueLater' | 'otherAmount' | 'chargeback' | 'unknownStatus' | 'otherCurrency' | 'won' | 'lost';

/** The change of a schedule. Instants in ms from its start. */
export type Change =
  /** Both workers change to the other build when so many runs wait; back again after so long, or not. */
  | { kind: 'two-builds'; waiting: number; backAfterMs: number | null }
  /** One process starts with a wrong clock before the payments; the right one comes when the faults end. */
  | { kind: 'shifted-clock'; target: ClockOwner; shiftMs: number }
  /** `afterMs` after a payment is paid its rows become those of an earlier commit; `back` from 0 to 1. */
  | { kind: 'rows-put-back'; payments: number; afterMs: number; back: number }
  /** The worker that leads the sweeps is stopped; a moment later runs are terminated, which sweeps resume. */
  | { kind: 'frozen-leader'; atMs: number; forMs: number }
  /** The network opens an inquiry for each of some paid payments, and moves it. */
  | { kind: 'moving-disputes'; payments: number; moves: readonly DisputeMove[]; pauseMs: number }
  /** The network captures charges that it declined, `afterMs` after it did. */
  | { kind: 'capture-after-decline'; charges: number; afterMs: number }
  /** Runs that wait for a customer's step or for a refund are terminated or deleted. */
  | { kind: 'lost-runs'; runs: number; how: 'terminated' | 'deleted' };

/** The length of a leader's freeze in a forced schedule, and in one that has it by its seed. */
export const forcedFreezeMs = 120_000;
const mixedFreezeMs = 25_000;

/** Deadlines of payments, in s, that leave a change the time to do harm; not named: the schedules' own. */
const deadlines: Partial<Record<FaultKind, number>> = {
  'two-builds': 75,
  'lost-runs': 75,
  'shifted-clock': 30,
  'rows-put-back': 30,
};

/** Returns the checkout deadline of schedules in which a kind is forced; undefined: as in all others. */
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

/** Draws the change of an ordinary schedule; null: it has none. */
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
      return {
        kind,
        payments: random.between(1, 3),
        moves: [...drawMoves(random), 'chargeback', ...drawMoves(random), random.pick(['won', 'lost'])],
        pauseMs: random.between(300, 1_200),
      };
    case 'capture-after-decline':
      return { kind, charges: random.between(1, 3), afterMs: random.between(200, 2_000) };
    case 'lost-runs':
      return { kind, runs: random.between(1, 4), how: random.pick(['terminated', 'deleted', 'deleted']) };
  }
}

/** What happens within a stage. An unknown status and another currency are over with the next status. */
function drawMoves(random: Random): DisputeMove[] {
  const moves = ['dueLater', 'otherAmount', 'unknownStatus', 'otherCurrency'] as const;
  return moves.filter(() => random.chance(0.4));
}
