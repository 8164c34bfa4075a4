import type { Queryable } from './database.ts';
import { type DueCondition, anyRow } from './due-work.ts';

/** How long rows are kept, in days. */
export interface Retention {
  /** Events, their seals, and mails, by month: until all of a month is older. */
  eventsDays: number;
  /** The request log. */
  requestsDays: number;
}

/** The default retention. */
export const usualRetention: Retention = { eventsDays: 90, requestsDays: 7 };

/** `rows` finds obsolete rows, as text after FROM, in the order of an index. `clear` is the statement. */
interface ObsoleteRows {
  rows: string;
  clear: (rows: string) => string;
}

/** Deletes rows by the column that identifies them. `skipped`: not those that another process has locked. */
const deleted =
  (table: string, key: string, lock: 'skipped' | 'none' = 'skipped') =>
  (rows: string): string =>
    `DELETE FROM ${table} WHERE ${key} = ANY (ARRAY(
      SELECT ${key} FROM ${rows} LIMIT $2${lock === 'skipped' ? ' FOR UPDATE SKIP LOCKED' : ''}))`;

/**
 * The start of the oldest month (UTC) that may still have events: earlier ones were dropped whole
 * (sweep-partitions.ts), at the latest a day ago.
 */
const keptMonth = `date_trunc('month', $1::timestamptz - ($3::int + 1) * interval '1 day', 'UTC')`;

/**
 * The statements that delete obsolete rows by their age, or erase secrets in them. Each is bounded by `$2` or
 * less. `$1` is now. `$3`, where it is used, is the retention in days.
 */
const leftovers = {
  idempotencyKeys: {
    rows: `idempotency_keys WHERE expires_at < $1::timestamptz - interval '1 minute' ORDER BY expires_at`,
    clear: deleted('idempotency_keys', 'ctid'),
  },
  captureSecrets: {
    rows: `capture_access
      WHERE status IN ('reserved', 'registered') AND ends_at < $1::timestamptz - interval '1 minute'
      ORDER BY ends_at`,
    clear: (rows) => `UPDATE capture_access SET secret_sealed = NULL, status = 'ending', next_check_at = $1
      WHERE payment_id = ANY (ARRAY(SELECT payment_id FROM ${rows} LIMIT $2 FOR UPDATE SKIP LOCKED))`,
  },
  webhookSecrets: {
    rows: `webhook_endpoints WHERE previous_secret_until IS NOT NULL AND previous_secret_until <= $1::timestamptz
      ORDER BY previous_secret_until`,
    clear: (rows) => `UPDATE webhook_endpoints SET previous_secret_sealed = NULL, previous_secret_until = NULL
      WHERE id = ANY (ARRAY(SELECT id FROM ${rows} LIMIT $2 FOR UPDATE SKIP LOCKED))`,
  },
  // Events with random ids, of earlier builds: they are in no month. The condition on the ids excludes the
  // partitions of months, and is true for ids that begin with five zeros by chance. Events are not locked,
  // because that requires the privilege to update them.
  untimedEvents: {
    rows: `events WHERE id >= 'evt_00000A' AND created_at < $1::timestamptz - $3::int * interval '1 day'
      ORDER BY created_at`,
    clear: deleted('events', 'id', 'none'),
  },
  // Events of months that have no partition.
  events: {
    rows: `events WHERE id < first_event_id(${keptMonth}) ORDER BY id`,
    clear: deleted('events', 'id', 'none'),
  },
  // Deleted after the last of their events.
  eventSeals: {
    rows: `event_seals WHERE sealed_at < ${keptMonth} ORDER BY sealed_at`,
    clear: deleted('event_seals', 'ctid', 'none'),
  },
  erasedEvents: {
    rows: `erased_events WHERE erased_at < ${keptMonth} ORDER BY erased_at`,
    clear: deleted('erased_events', 'event_id', 'none'),
  },
  // Partitions are dropped whole (sweep-partitions.ts), a day before this. The remaining rows are in the
  // first partition and in the default one.
  requests: {
    rows: `api_requests WHERE id < first_request_id($1::timestamptz - ($3::int + 1) * interval '1 day')
      ORDER BY id`,
    clear: deleted('api_requests', 'id', 'none'),
  },
  // Kept as long as events, so that a mail is not written twice while its event can be read again.
  mails: {
    rows: `mails WHERE ended_at < ${keptMonth} ORDER BY ended_at`,
    clear: deleted('mails', 'id'),
  },
  cardResults: {
    rows: `card_results WHERE at < $1::timestamptz - interval '2 hours' ORDER BY at`,
    clear: deleted('card_results', 'ctid'),
  },
  signInTries: {
    rows: `member_tries WHERE tried_at < $1::timestamptz - interval '1 day' ORDER BY tried_at`,
    clear: deleted('member_tries', 'ctid', 'none'),
  },
  keyPairings: {
    rows: `key_pairings WHERE expires_at < $1::timestamptz - interval '1 minute' ORDER BY expires_at`,
    clear: deleted('key_pairings', 'id', 'none'),
  },
  // Deleted with their differences, a year and a month after they began.
  reconciliations: {
    rows: `reconciliation_runs WHERE started_at < $1::timestamptz - interval '400 days' ORDER BY started_at`,
    clear: (rows) => `WITH aged AS (
        DELETE FROM reconciliation_runs
        WHERE id = ANY (ARRAY(SELECT id FROM ${rows} LIMIT least($2, 20))) RETURNING id),
      items AS (DELETE FROM reconciliation_items WHERE run_id IN (SELECT id FROM aged))
      DELETE FROM reconciliation_differences WHERE run_id IN (SELECT id FROM aged)`,
  },
  alerts: {
    rows: `operator_alerts WHERE cleared_at IS NOT NULL AND cleared_at < $1::timestamptz - interval '30 days'
      ORDER BY cleared_at`,
    clear: deleted('operator_alerts', 'id'),
  },
} as const satisfies Record<string, ObsoleteRows>;

export type Leftover = keyof typeof leftovers;
export const leftoverKinds = Object.keys(leftovers) as Leftover[];

/** The kinds whose retention is a setting. */
const retained: Readonly<Partial<Record<Leftover, keyof Retention>>> = {
  untimedEvents: 'eventsDays',
  events: 'eventsDays',
  eventSeals: 'eventsDays',
  erasedEvents: 'eventsDays',
  mails: 'eventsDays',
  requests: 'requestsDays',
};

/** Returns the condition that rows of one kind are obsolete. */
export function leftoversAreDue(kind: Leftover, retention: Retention = usualRetention): DueCondition {
  const by = retained[kind];
  const rows = leftovers[kind].rows.replace('$1::timestamptz', 'now()');
  return anyRow(by === undefined ? rows : rows.replace('$3', String(retention[by])));
}

/**
 * Clears at most `limit` obsolete rows of one kind, oldest first. Returns their number; for reconciliations
 * that of the deleted differences.
 */
export async function clearLeftovers(
  database: Queryable,
  kind: Leftover,
  now: Date,
  limit: number,
  retention: Retention = usualRetention,
): Promise<number> {
  const by = retained[kind];
  const days = by === undefined ? [] : [retention[by]];
  const { rows, clear } = leftovers[kind];
  const { rowCount } = await database.query(clear(rows), [now, limit, ...days]);
  return rowCount ?? 0;
}

/**
 * Reads a part of the rate limits in the order of their names, after `after`, and deletes the buckets that
 * are full again. An index by age would slow down every call of every merchant. Returns the name to continue
 * after; null at the end.
 */
export async function clearRateLimits(
  database: Queryable,
  after: string,
  now: Date,
  limit: number,
): Promise<string | null> {
  const { rows } = await database.query<{ last: string | null; seen: number }>(
    `WITH stretch AS MATERIALIZED (
       SELECT bucket, arrival FROM rate_limits WHERE bucket > $1 ORDER BY bucket LIMIT $3),
     gone AS (
       DELETE FROM rate_limits WHERE arrival < $2::timestamptz - interval '1 minute' AND bucket = ANY (ARRAY(
         SELECT bucket FROM stretch WHERE arrival < $2::timestamptz - interval '1 minute')))
     SELECT max(bucket) AS last, count(*)::int AS seen FROM stretch`,
    [after, now, limit],
  );
  return rows[0]?.seen === limit ? rows[0].last : null;
}
