import type { Queryable } from './database.ts';
import { type Partition, type PartitionPlan, planPartitions } from './partition-plan.ts';

/** The name of a day's partition, such as `api_requests_20300131`. */
const nameOf = (day: string): string => `api_requests_${day.replaceAll('-', '')}`;

/** Returns when the request with this id arrived: its first 48 bits are the time in ms. */
const instantOf = (id: string): Date => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));

/**
 * Returns the partitions of the request log, oldest first, without the default partition. Reads only the
 * catalog.
 */
export async function listRequestPartitions(database: Queryable): Promise<Partition[]> {
  const { rows } = await database.query<{ name: string; low: string | null; high: string }>(
    'SELECT name, low, high FROM request_partitions() WHERE high IS NOT NULL',
  );
  return rows.map(({ name, low, high }) => ({
    name,
    from: low === null ? null : instantOf(low),
    to: instantOf(high),
  }));
}

/** The instant for which partitions are maintained, and how. */
export interface PartitionWork {
  at: Date;
  keptDays: number;
  /** Returns the names of what would be created and dropped, and changes nothing. */
  dryRun?: boolean;
  /** Called between two steps; returns whether to continue. */
  going?: () => boolean;
}

/**
 * Creates the missing partitions of the request log at an instant, and drops those past their retention.
 * Returns the names of both. Each partition is a transaction of its own, so that a failure leaves no partial
 * one. A partition that fails does not block the others; the first fault is thrown at the end. Drops first,
 * because a full disk needs that. ADR 0071.
 */
export async function maintainRequestPartitions(
  database: Queryable,
  { at, keptDays, dryRun = false, going = () => true }: PartitionWork,
): Promise<PartitionPlan> {
  const plan = planPartitions(await listRequestPartitions(database), at, keptDays);
  if (dryRun) return { create: plan.create.map(nameOf), drop: plan.drop };
  const faults: unknown[] = [];
  const done = async (text: string, values: unknown[]): Promise<boolean> => {
    if (!going()) return false;
    try {
      const { rows } = await database.query<{ done: boolean }>(text, values);
      return rows[0]?.done === true;
    } catch (error) {
      faults.push(error);
      return false;
    }
  };
  const drop: string[] = [];
  for (const name of plan.drop) {
    // Computed from the instant of the plan: the function refuses younger partitions.
    const before = new Date(at.getTime() - keptDays * 86_400_000);
    if (await done('SELECT drop_request_partition($1, $2) AS done', [name, before])) drop.push(name);
  }
  const create: string[] = [];
  for (const day of plan.create) {
    if (await done('SELECT create_request_partition($1::date) AS done', [day])) create.push(nameOf(day));
  }
  if (faults.length > 0) throw faults[0];
  return { create, drop };
}

/** Returns PostgreSQL's current time. */
export async function databaseTime(database: Queryable): Promise<Date> {
  const { rows } = await database.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  const [clock] = rows;
  if (!clock) throw new Error('PostgreSQL returned no time');
  return clock.at;
}

/** Creates the partitions of the next days by PostgreSQL's clock, and drops none. */
export async function makeRequestPartitions(database: Queryable): Promise<void> {
  await maintainRequestPartitions(database, { at: await databaseTime(database), keptDays: Infinity });
}
