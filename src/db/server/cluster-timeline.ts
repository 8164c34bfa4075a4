import type { Queryable } from './database.ts';

/**
 * A state of a PostgreSQL cluster. A promotion begins another timeline, and a restore another timeline or
 * cluster.
 */
export interface Timeline {
  /** A 64-bit number, as text. */
  systemIdentifier: string;
  timelineId: number;
}

/**
 * Returns the cluster's timeline, and the one that was recorded last. The control file shows a new timeline
 * only after the first checkpoint, but the name of the next segment shows it at once, so the higher one is
 * right.
 */
export async function readTimeline(
  database: Queryable,
): Promise<{ now: Timeline; before: Timeline | null; isNew: boolean }> {
  const { rows } = await database.query<Timeline & { before: Timeline | null }>(
    `SELECT (pg_control_system()).system_identifier::text AS "systemIdentifier",
       greatest((pg_control_checkpoint()).timeline_id,
         ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int) AS "timelineId",
       (SELECT json_build_object('systemIdentifier', system_identifier::text, 'timelineId', timeline_id)
        FROM cluster_timeline) AS before`,
  );
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL did not return its timeline');
  const { before, ...now } = row;
  const isNew = before?.systemIdentifier !== now.systemIdentifier || before.timelineId !== now.timelineId;
  return { now, before, isNew };
}

/** Records the cluster's timeline, after checks were scheduled for what the previous one may have lost. */
export async function recordTimeline(
  database: Queryable,
  { systemIdentifier, timelineId }: Timeline,
): Promise<void> {
  await database.query(
    `INSERT INTO cluster_timeline (system_identifier, timeline_id, seen_at) VALUES ($1, $2, clock_timestamp())
     ON CONFLICT (only_row) DO UPDATE SET system_identifier = excluded.system_identifier,
       timeline_id = excluded.timeline_id, seen_at = excluded.seen_at`,
    [systemIdentifier, timelineId],
  );
}

/** The state of a server after a failover. */
export interface Promotion {
  /** It replays another server's log and accepts no writes. */
  isStandby: boolean;
  /** Commits wait for a synchronous standby, and none is connected. */
  commitsWait: boolean;
  /** When a timeline after the first was last recorded; null: there was none. */
  recordedAt: Date | null;
}

/** Returns whether a server was promoted, and whether its commits succeed. */
export async function readPromotion(database: Queryable): Promise<Promotion> {
  const { rows } = await database.query<Promotion>(
    `SELECT pg_is_in_recovery() AS "isStandby",
       current_setting('synchronous_standby_names') <> ''
         AND current_setting('synchronous_commit') NOT IN ('off', 'local')
         AND NOT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state IS DISTINCT FROM 'async')
         AS "commitsWait",
       (SELECT seen_at FROM cluster_timeline WHERE timeline_id > 1) AS "recordedAt"`,
  );
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL did not return its state');
  return row;
}
