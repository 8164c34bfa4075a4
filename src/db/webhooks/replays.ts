import type { Queryable } from '../server/database.ts';
import { passesFilterSql } from './events.ts';

/**
 * The range of a replay. `status` `failed` selects the events that this endpoint did not receive; `all` also
 * includes those that it received.
 */
export interface ReplayRange {
  endpointId: string;
  since: Date;
  until: Date;
  /** Types or groups; null for those that the endpoint subscribes to. */
  types: string[] | null;
  status: 'failed' | 'all';
}

const replayable = `FROM webhook_endpoints w
  JOIN events e ON e.merchant_id = w.merchant_id AND e.environment = w.environment
  LEFT JOIN webhook_deliveries d ON d.event_id = e.id AND d.endpoint_id = w.id
  WHERE w.id = $1 AND w.deleted_at IS NULL AND e.created_at >= $2 AND e.created_at < $3
    AND e.payment_id IS NOT NULL AND ${passesFilterSql('e.type', 'coalesce($4::text[], w.events)')}
    AND CASE WHEN $5 THEN d.status IS NULL OR d.status IN ('failed', 'canceled') ELSE d.status IS DISTINCT FROM 'pending' END`;

const replayValues = (range: ReplayRange): unknown[] => [
  range.endpointId,
  range.since,
  range.until,
  range.types,
  range.status === 'failed',
];

/** Returns how many events a replay would send now. */
export async function countReplay(database: Queryable, range: ReplayRange): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count ${replayable}`,
    replayValues(range),
  );
  return rows[0]?.count ?? 0;
}

/** Returns the next events of a replay, in the order of the log, after a position. */
export async function nextReplayEvents(
  database: Queryable,
  range: ReplayRange,
  afterPosition: number,
  limit: number,
): Promise<{ eventId: string; position: number }[]> {
  const { rows } = await database.query<{ eventId: string; position: number }>(
    `SELECT e.id AS "eventId", e.position ${replayable} AND e.position > $6 ORDER BY e.position LIMIT $7`,
    [...replayValues(range), afterPosition, limit],
  );
  return rows;
}
