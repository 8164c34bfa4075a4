/** A partition for one period, and the instants between which its rows were created. */
export interface Partition {
  name: string;
  /** Null for a partition that begins with the first row. */
  from: Date | null;
  /** Exclusive. */
  to: Date;
}

/** The partitions to create and to drop. */
export interface PartitionPlan {
  /** The first days of periods, in UTC, such as `2030-01-31`. */
  create: string[];
  /** Names of partitions. */
  drop: string[];
}

/** The period of a table's partitions. */
export interface Period {
  /** Returns the start of the period that is `steps` after that of an instant, epoch ms. */
  startOf: (instant: Date, steps: number) => number;
  /** How many characters of its first day, such as `2030-01-31`, name it. */
  nameLength: number;
}

const dayMs = 86_400_000;

/** Days in UTC. */
export const days: Period = {
  startOf: (instant, steps) => Math.floor(instant.getTime() / dayMs) * dayMs + steps * dayMs,
  nameLength: 10,
};

/** Months in UTC. */
export const months: Period = {
  startOf: (instant, steps) => Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + steps),
  nameLength: 7,
};

/** How many periods after the current one have a partition. */
const periodsAhead = 3;
/**
 * The maximum number of periods after the current one that are considered; a first partition may cover some
 * of them.
 */
const maxPeriods = 31;

const dayOf = (startMs: number): string => new Date(startMs).toISOString().slice(0, 10);

/** Returns whether one partition holds the whole period that is `steps` after an instant's. */
const holds = (partitions: readonly Partition[], at: Date, steps: number, { startOf }: Period): boolean =>
  partitions.some(
    ({ from, to }) =>
      (from === null || from.getTime() <= startOf(at, steps)) && to.getTime() >= startOf(at, steps + 1),
  );

/**
 * Returns the partitions to create, so that the period of an instant and the three after it have one, and
 * those to drop, whose rows are all older than `keptDays`. Pure; returns the same plan until it is carried
 * out.
 */
export function planPartitions(
  partitions: readonly Partition[],
  at: Date,
  keptDays: number,
  period: Period = days,
): PartitionPlan {
  const create: string[] = [];
  const begins = new Set(partitions.map(({ from }) => from?.getTime()));
  let ahead = 0;
  for (let steps = 0; steps <= maxPeriods && ahead < periodsAhead; steps += 1) {
    const start = period.startOf(at, steps);
    const isHeld = holds(partitions, at, steps, period);
    if (!isHeld) create.push(dayOf(start));
    if (steps > 0 && (!isHeld || begins.has(start))) ahead += 1;
  }
  const limit = at.getTime() - keptDays * dayMs;
  return { create, drop: partitions.filter(({ to }) => to.getTime() <= limit).map(({ name }) => name) };
}

/** Returns for how many of the next three periods there is a partition, without a gap. */
export function periodsCovered(partitions: readonly Partition[], at: Date, period: Period = days): number {
  let covered = 0;
  while (covered < periodsAhead && holds(partitions, at, covered + 1, period)) covered += 1;
  return covered;
}
