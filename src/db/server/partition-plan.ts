/** A partition for one day, and the instants between which its rows were created. */
export interface Partition {
  name: string;
  /** Null for a partition that begins with the first row. */
  from: Date | null;
  /** Exclusive. */
  to: Date;
}

/** The partitions to create and to drop. */
export interface PartitionPlan {
  /** Days in UTC, such as `2030-01-31`. */
  create: string[];
  /** Names of partitions. */
  drop: string[];
}

/** How many days after today have a partition. */
export const daysAhead = 3;

const dayMs = 86_400_000;
/** The maximum number of days after today that are considered; a first partition may cover some of them. */
const maxDays = 31;

/** Returns the start of the UTC day that is `days` after the day of an instant. */
const startOf = (instant: Date, days: number): number =>
  Math.floor(instant.getTime() / dayMs) * dayMs + days * dayMs;

const dayOf = (startMs: number): string => new Date(startMs).toISOString().slice(0, 10);

const holds = (partitions: readonly Partition[], startMs: number): boolean =>
  partitions.some(
    ({ from, to }) => (from === null || from.getTime() <= startMs) && to.getTime() >= startMs + dayMs,
  );

/**
 * Returns the partitions to create, so that the day of an instant and the three days after it have one, and
 * those to drop, whose rows are all older than `keptDays`. Pure; returns the same plan until it is carried
 * out.
 */
export function planPartitions(partitions: readonly Partition[], at: Date, keptDays: number): PartitionPlan {
  const create: string[] = [];
  const begins = new Set(partitions.map(({ from }) => from?.getTime()));
  let ahead = 0;
  for (let days = 0; days <= maxDays && ahead < daysAhead; days += 1) {
    const start = startOf(at, days);
    const isHeld = holds(partitions, start);
    if (!isHeld) create.push(dayOf(start));
    if (days > 0 && (!isHeld || begins.has(start))) ahead += 1;
  }
  const limit = at.getTime() - keptDays * dayMs;
  return { create, drop: partitions.filter(({ to }) => to.getTime() <= limit).map(({ name }) => name) };
}

/** Returns for how many of the next three days there is a partition, without a gap. */
export function daysCovered(partitions: readonly Partition[], at: Date): number {
  let covered = 0;
  while (covered < daysAhead && holds(partitions, startOf(at, covered + 1))) covered += 1;
  return covered;
}
