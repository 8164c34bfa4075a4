import type { Queryable } from './database.ts';

/** Late and undecided payments of one environment, by PostgreSQL's clock. */
export interface PaymentFigures {
  environment: 'sandbox' | 'live';
  unknownAttempts: number;
  /** 0 if there is none. */
  oldestUnknownSeconds: number;
  overduePayments: number;
}

/** Deliveries of one environment whose next try is due. */
export interface DueDeliveryFigures {
  environment: 'sandbox' | 'live';
  deliveriesWaiting: number;
  /** 0 if there is none. */
  oldestDeliverySeconds: number;
}

/** The maximum number of rows of one kind that are counted; from there on the number means "at least". */
const maxCounted = 10_000;

/**
 * A payment's workflow ends it at its deadline, and the sweep checks it 30 s later. It is compared with
 * `now()`, which is one instant for the whole statement, because only that can bound an index scan.
 */
const overdueSql = `p.finalized_at IS NULL AND p.expires_at < now() - interval '30 seconds'`;

/**
 * Returns the attempts whose outcome is unknown and the payments that are open past their deadline. Reads the
 * partial indexes of open attempts and of overdue payments, and the payments that are being checked.
 */
export async function readPaymentFigures(database: Queryable): Promise<PaymentFigures[]> {
  const { rows } = await database.query<PaymentFigures>(
    `WITH unknown AS (
       SELECT p.environment, a.unknown_since FROM (
         SELECT payment_id, unknown_since FROM attempts
         WHERE status IN ('processing', 'requiresAction') AND unknown_since IS NOT NULL LIMIT $1) a
       JOIN payments p ON p.id = a.payment_id
     ), overdue AS (
       (SELECT p.environment FROM payments p
        WHERE ${overdueSql} AND NOT p.check_scheduled ORDER BY p.expires_at LIMIT $1)
       UNION ALL
       (SELECT p.environment FROM (SELECT payment_id FROM payment_checks ORDER BY next_check_at LIMIT $1) c
        JOIN payments p ON p.id = c.payment_id
        WHERE ${overdueSql} AND p.check_scheduled)
     )
     SELECT e.environment,
       (SELECT count(*)::int FROM unknown u WHERE u.environment = e.environment) AS "unknownAttempts",
       (SELECT greatest(0, coalesce(extract(epoch FROM clock_timestamp() - min(u.unknown_since)), 0))::float8
        FROM unknown u WHERE u.environment = e.environment) AS "oldestUnknownSeconds",
       (SELECT count(*)::int FROM overdue o WHERE o.environment = e.environment) AS "overduePayments"
     FROM unnest(ARRAY['sandbox', 'live']) AS e (environment)`,
    [maxCounted],
  );
  return rows;
}

/**
 * Returns the deliveries whose next try is due. The sweep checks a delivery within ten minutes after its try
 * is due, so only those that it checks soon are read, in that order.
 */
export async function readDeliveryFigures(database: Queryable): Promise<DueDeliveryFigures[]> {
  const { rows } = await database.query<DueDeliveryFigures>(
    `WITH due AS (
       SELECT w.environment, d.due_at FROM (
         SELECT endpoint_id, due_at FROM webhook_deliveries
         WHERE status = 'pending' AND next_check_at < now() + interval '15 minutes'
         ORDER BY next_check_at LIMIT $1) d
       JOIN webhook_endpoints w ON w.id = d.endpoint_id WHERE d.due_at <= now()
     )
     SELECT e.environment,
       (SELECT count(*)::int FROM due d WHERE d.environment = e.environment) AS "deliveriesWaiting",
       (SELECT greatest(0, coalesce(extract(epoch FROM clock_timestamp() - min(d.due_at)), 0))::float8
        FROM due d WHERE d.environment = e.environment) AS "oldestDeliverySeconds"
     FROM unnest(ARRAY['sandbox', 'live']) AS e (environment)`,
    [maxCounted],
  );
  return rows;
}

/** Returns how many operator alerts of each kind are open. */
export async function countOpenAlerts(database: Queryable): Promise<{ kind: string; open: number }[]> {
  const { rows } = await database.query<{ kind: string; open: number }>(
    `SELECT sweep AS kind, count(*)::int AS open FROM (
       SELECT sweep FROM operator_alerts WHERE cleared_at IS NULL ORDER BY since, id LIMIT $1) open
     GROUP BY sweep ORDER BY sweep`,
    [maxCounted],
  );
  return rows;
}
