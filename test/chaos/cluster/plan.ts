import { Random } from '../../support/harness/random.ts';
import { type ClientPlan, planOf } from '../plan.ts';
import { type Pair, pairs } from './pairs.ts';

/** The kinds of fault of `--cluster`. A failover uses up its stack, so it comes with a stack of its own. */
export const clusterFaultKinds = [
  'partition',
  'full-disk',
  'slow-disk',
  'clock-step',
  'temporal-away',
  'dns-away',
  'failover',
] as const;
export type ClusterFaultKind = (typeof clusterFaultKinds)[number];

/** Processes whose clock and whose look-ups of names can be disturbed. */
const ownProcesses = ['api', 'api-2', 'worker-1', 'worker-2'] as const;
export type OwnProcess = (typeof ownProcesses)[number];

/** A fault that begins at `atMs` after the schedule's start and lasts `forMs`. */
export type ClusterFault = { atMs: number; forMs: number } & (
  | { kind: 'partition'; pair: Pair; mode: 'hold' | 'refuse' }
  | { kind: 'full-disk' }
  | { kind: 'slow-disk'; delayMs: number }
  | { kind: 'clock-step'; target: OwnProcess; stepSeconds: number }
  | { kind: 'temporal-away' }
  | { kind: 'dns-away'; targets: readonly OwnProcess[] }
  | { kind: 'failover' }
);

/** One schedule on a cluster. */
export interface ClusterPlan {
  seed: number;
  clients: ClientPlan[];
  faults: ClusterFault[];
}

/** One seed in this many is a failover. */
const failoverEvery = 10;
/** One absence of Temporal in this many lasts ten minutes. */
const longAbsenceEvery = 8;
const longAbsenceMs = 600_000;
const hourSeconds = 3_600;

const drawn = clusterFaultKinds.filter((kind) => kind !== 'failover');

/** Returns whether the seed's schedule is a failover, which needs a stack with a standby. */
export const isFailover = (seed: number, only?: ClusterFaultKind): boolean =>
  only === undefined ? seed % failoverEvery === failoverEvery - 1 : only === 'failover';

/**
 * Returns the schedule of a seed: the clients of `planOf`, and one to three faults of a cluster; with `only`,
 * one fault of that kind. Pure.
 */
export function clusterPlanOf(seed: number, only?: ClusterFaultKind): ClusterPlan {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x51ed270b);
  const { clients } = planOf(seed);
  if (isFailover(seed, only)) {
    return { seed, clients, faults: [{ kind: 'failover', atMs: random.between(2_000, 6_000), forMs: 0 }] };
  }
  const kinds =
    only === undefined ? Array.from({ length: random.between(1, 3) }, () => random.pick(drawn)) : [only];
  const faults = [...new Set(kinds)].map((kind) => drawFault(kind, random));
  return { seed, clients, faults: faults.toSorted((one, other) => one.atMs - other.atMs) };
}

function drawFault(kind: (typeof drawn)[number] | 'failover', random: Random): ClusterFault {
  const when = { atMs: random.between(500, 5_000), forMs: random.between(4_000, 15_000) };
  switch (kind) {
    case 'partition':
      return { ...when, kind, pair: random.pick(pairs), mode: random.pick(['hold', 'refuse'] as const) };
    case 'slow-disk':
      return { ...when, kind, delayMs: random.pick([50, 200, 1_000]) };
    case 'clock-step':
      return {
        ...{ ...when, kind, target: random.pick(ownProcesses) },
        stepSeconds: random.pick([hourSeconds, -hourSeconds]),
      };
    case 'temporal-away': {
      const isLong = random.between(1, longAbsenceEvery) === 1;
      return { ...when, kind, forMs: isLong ? longAbsenceMs : random.between(10_000, 60_000) };
    }
    case 'dns-away':
      return { ...when, kind, targets: ownProcesses.filter(() => random.chance(0.6)) };
    case 'full-disk':
    case 'failover':
      return { ...when, kind };
  }
}
