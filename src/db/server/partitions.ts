import { timeOfEventId } from '../../domain/event-id.ts';
import type { Queryable } from './database.ts';
import type { Retention } from './leftovers.ts';
import {
  days,
  months,
  type Partition,
  type PartitionPlan,
  type Period,
  periodsCovered,
  planPartitions,
} from './partition-plan.ts';

/** Tables whose rows have a partition for each period. */
interface Partitioned {
  /** The table that alerts name. */
  table: string;
  period: Period;
  kept: keyof Retention;
  /** Returns the time in an id that bounds a partition. */
  timeOf: (id: string) => Date | null;
  /** The functions that list, create and drop partitions. Those of one period are one step. */
  functions: { list: string; create: string; drop: string };
  /** The tables that have partitions of the same name. */
  tables: readonly string[];
}

/** The request log: ids are UUIDs, whose first 48 bits are the time of arrival in ms. ADR 0071. */
export const requestLog: Partitioned = {
  table: 'api_requests',
  period: days,
  kept: 'requestsDays',
  timeOf: (id) => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)),
  functions: {
    list: 'request_partitions',
    create: 'create_request_partition',
    drop: 'drop_request_partition',
  },
  tables: ['api_requests'],
};

/** Events, with their deliveries and the tries of these, which have the same partitions. ADR 0083. */
export const eventLog: Partitioned = {
  table: 'events',
  period: months,
  kept: 'eventsDays',
  timeOf: timeOfEventId,
  functions: { list: 'event_partitions', create: 'create_event_partitions', drop: 'drop_event_partitions' },
  tables: ['events', 'webhook_deliveries', 'webhook_attempts'],
};

/** All tables with partitions. */
export const allPartitioned: readonly Partitioned[] = [requestLog, eventLog];

/** Returns the name of a period's partition, such as `api_requests_20300131` or `events_203001`. */
const nameOf = ({ table, period }: Partitioned, start: string): string =>
  `${table}_${start.slice(0, period.nameLength).replaceAll('-', '')}`;

/** Returns the names of all partitions that are created and dropped with one of the table. */
const namesWith = ({ table, tables }: Partitioned, name: string): string[] =>
  tables.map((each) => each + name.slice(table.length));

/**
 * Returns the partitions of a table that end at a time, oldest first. Reads only the catalog. Neither the
 * default partition nor the one with the random ids of earlier builds is among them.
 */
export async function listPartitions(database: Queryable, log: Partitioned): Promise<Partition[]> {
  const { rows } = await database.query<{ name: string; low: string | null; high: string }>(
    `SELECT name, low, high FROM ${log.functions.list}() WHERE high IS NOT NULL`,
  );
  return rows.flatMap(({ name, low, high }) => {
    const to = log.timeOf(high);
    return to === null ? [] : [{ name, from: low === null ? null : log.timeOf(low), to }];
  });
}

/** Returns for how many of the next three periods each table has a partition, without a gap. */
export async function partitionsAhead(
  database: Queryable,
  at: Date,
): Promise<{ table: string; ahead: number }[]> {
  const found: { table: string; ahead: number }[] = [];
  for (const log of allPartitioned) {
    found.push({
      table: log.table,
      ahead: periodsCovered(await listPartitions(database, log), at, log.period),
    });
  }
  return found;
}

/** The instant for which partitions are maintained, and how. */
export interface PartitionWork {
  at: Date;
  retention: Retention;
  /** Returns the names of what would be created and dropped, and changes nothing. */
  dryRun?: boolean;
  /** Called between two steps; returns whether to continue. */
  going?: () => boolean;
}

/**
 * Creates the missing partitions at an instant, and drops those past their retention. Returns the names of
 * both. Those of one period are a transaction of their own, so that a failure leaves no partial one. A period
 * that fails does not block the others; the first fault is thrown at the end. Drops first, because a full
 * disk needs that. ADR 0071 and 0083.
 */
export async function maintainPartitions(
  database: Queryable,
  logs: readonly Partitioned[],
  { at, retention, dryRun = false, going = () => true }: PartitionWork,
): Promise<PartitionPlan> {
  const plans: { log: Partitioned; plan: PartitionPlan }[] = [];
  for (const log of logs) {
    const partitions = await listPartitions(database, log);
    plans.push({ log, plan: planPartitions(partitions, at, retention[log.kept], log.period) });
  }
  const faults: unknown[] = [];
  const isDone = async (text: string, values: unknown[]): Promise<boolean> => {
    if (dryRun) return true;
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
  for (const { log, plan } of plans) {
    for (const name of plan.drop) {
      // Computed from the instant of the plan: the function refuses younger partitions.
      const before = new Date(at.getTime() - retention[log.kept] * 86_400_000);
      const isDropped = await isDone(`SELECT ${log.functions.drop}($1, $2) AS done`, [name, before]);
      if (isDropped) drop.push(...namesWith(log, name));
    }
  }
  const create: string[] = [];
  for (const { log, plan } of plans) {
    for (const start of plan.create) {
      const isCreated = await isDone(`SELECT ${log.functions.create}($1::date) AS done`, [start]);
      if (isCreated) create.push(...namesWith(log, nameOf(log, start)));
    }
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

/** Creates the partitions of the next days and months by PostgreSQL's clock, and drops none. */
export async function makePartitions(database: Queryable): Promise<void> {
  const retention = { eventsDays: Infinity, requestsDays: Infinity };
  await maintainPartitions(database, allPartitioned, { at: await databaseTime(database), retention });
}
