/** A partition by day, and the instants between which its rows were made. */
export interface Partition {
  name: string;
  /** Null: from the first row on. */
  from: Date | null;
  /** Exclusive. */
  to: Date;
}

/** What is to be made and dropped. */
export interface PartitionPlan {
  /** Days in UTC, such as `2030-01-31`. */
  create: string[];
  /** Names of partitions. */
  drop: string[];
}

/** How many days after the present one have a partition. */
export const daysAhead = 3;

const dayMs = 86_400_000;
/** Days that are looked at after the present one; a first partition may hold some of them. */
const mostDays = 31;

/** Returns the first instant of a day that is `days` after that of an instant, in UTC. */
const startOf = (instant: Date, days: number): number =>
  Math.floor(instant.getTime() / dayMs) * dayMs + days * dayMs;

const dayOf = (startMs: number): string => new Date(startMs).toISOString().slice(0, 10);

const holds = (partitions: readonly Partition[], startMs: number): boolean =>
  partitions.some(
    ({ from, to }) => (from === null || from.getTime() <= startMs) && to.getTime() >= startMs + dayMs,
  );

/**
 * Returns what has to be made so that the day of an instant and three partitions after it exist, and the
 * partitions whose rows are all older than `keptDays` then. Pure, and the same again until it is done.
 */
export function planPartitions(partitions: readonly Partition[], at: Date, keptDays: number): PartitionPlan {
  const create: string[] = [];
  const begins = new Set(partitions.map(({ from }) => from?.getTime()));
  let ahead = 0;
  for (let days = 0; days <= mostDays && ahead < daysAhead; days += 1) {
    const start = startOf(at, days);
    const isHeld = holds(partitions, start);
    if (!isHeld) create.push(dayOf(start));
    if (days > 0 && (!isHeld || begins.has(start))) ahead += 1;
  }
  const limit = at.getTime() - keptDays * dayMs;
  return { create, drop: partitions.filter(({ to }) => to.getTime() <= limit).map(({ name }) => name) };
}

/** Returns how many of the next three days have a partition, without a gap. */
export function daysCovered(partitions: readonly Partition[], at: Date): number {
  let covered = 0;
  while (covered < daysAhead && holds(partitions, startOf(at, covered + 1))) covered += 1;
  return covered;
}
