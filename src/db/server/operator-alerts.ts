import type { Queryable } from './database.ts';

/** An alert about a condition that needs the operator. */
export interface OperatorAlert {
  /** The kind of the alert: the name of the sweep whose checks fail, or of another check such as `clock`. */
  sweep: string;
  /** What the alert is about, such as the id of an object that cannot be checked; empty: the whole sweep. */
  subject: string;
  merchantId: string | null;
  /** The reason: a code, never a third party's text. */
  detail: string;
  since: Date;
}

/** Raises an alert. An alert that is already open keeps its time. Returns whether it is new. */
export async function raiseAlert(database: Queryable, alert: OperatorAlert): Promise<boolean> {
  const { rowCount } = await database.query(
    `INSERT INTO operator_alerts (sweep, subject, merchant_id, detail, since) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (sweep, subject) WHERE cleared_at IS NULL DO NOTHING`,
    [alert.sweep, alert.subject, alert.merchantId, alert.detail, alert.since],
  );
  return rowCount === 1;
}

/**
 * Raises an alert unless `limit` alerts of its sweep are open. Returns since when it is open (null if there
 * are too many), and whether it is new.
 */
export async function raiseBoundedAlert(
  database: Queryable,
  alert: OperatorAlert,
  limit: number,
): Promise<{ since: Date | null; isNew: boolean }> {
  const { rows } = await database.query<{ since: Date | null; raised: number }>(
    `WITH open AS (SELECT subject, since FROM operator_alerts WHERE sweep = $1 AND cleared_at IS NULL)
     SELECT (SELECT since FROM open WHERE subject = $2) AS since,
       (SELECT count(*)::int FROM (SELECT FROM open LIMIT $3) AS counted) AS raised`,
    [alert.sweep, alert.subject, limit],
  );
  const { since = null, raised = 0 } = rows[0] ?? {};
  if (since !== null) return { since, isNew: false };
  if (raised >= limit) return { since: null, isNew: false };
  return { since: alert.since, isNew: await raiseAlert(database, alert) };
}

/** Clears the alert if it is open. Returns whether it was. */
export async function clearAlert(
  database: Queryable,
  sweep: string,
  subject: string,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await database.query(
    'UPDATE operator_alerts SET cleared_at = $3 WHERE sweep = $1 AND subject = $2 AND cleared_at IS NULL',
    [sweep, subject, now],
  );
  return rowCount === 1;
}

/** Returns the open alerts, oldest first, at most `limit`. */
export async function listAlerts(database: Queryable, limit: number): Promise<OperatorAlert[]> {
  const { rows } = await database.query<OperatorAlert>(
    `SELECT sweep, subject, merchant_id AS "merchantId", detail, since FROM operator_alerts
     WHERE cleared_at IS NULL ORDER BY since, id LIMIT $1`,
    [limit],
  );
  return rows;
}

/**
 * Raises an alert that its process confirms at each check, or confirms it with the current detail. Returns
 * whether it is new.
 */
export async function confirmAlert(
  database: Queryable,
  { sweep, subject, detail }: Pick<OperatorAlert, 'sweep' | 'subject' | 'detail'>,
): Promise<boolean> {
  const { rows } = await database.query<{ isNew: boolean }>(
    `INSERT INTO operator_alerts AS a (sweep, subject, detail, since, confirmed_at)
     VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp())
     ON CONFLICT (sweep, subject) WHERE cleared_at IS NULL
     DO UPDATE SET detail = excluded.detail, confirmed_at = excluded.confirmed_at
     RETURNING since = confirmed_at AS "isNew"`,
    [sweep, subject, detail],
  );
  return rows[0]?.isNew === true;
}

/**
 * Clears the alerts of one kind that their process has not confirmed for five minutes, because the process is
 * gone.
 */
export async function clearUnconfirmedAlerts(database: Queryable, sweep: string): Promise<void> {
  await database.query(
    `UPDATE operator_alerts SET cleared_at = clock_timestamp()
     WHERE sweep = $1 AND cleared_at IS NULL AND confirmed_at < clock_timestamp() - interval '5 minutes'`,
    [sweep],
  );
}
