import type { Tenant } from '../payments/payments.ts';
import type { Queryable } from '../server/database.ts';
import type { DeliveryStatus } from './deliveries.ts';

/** The latest delivery to an endpoint, and how many of the last day's failed so far. */
export interface EndpointHealth {
  endpointId: string;
  /** Null if nothing was sent to it yet. */
  last: { status: DeliveryStatus; attemptCount: number; createdAt: Date } | null;
  failures: number;
}

/** The maximum number of a day's failures that are counted. */
export const maxCountedFailures = 100;
/** The maximum number of a day's deliveries that are read to count them. */
const maxReadDeliveries = 2_000;

/** Returns the health of each endpoint of the tenant. `since`: the beginning of the day that is counted. */
export async function readEndpointHealth(
  database: Queryable,
  tenant: Tenant,
  since: Date,
): Promise<EndpointHealth[]> {
  const { rows } = await database.query<
    Omit<EndpointHealth, 'last'> & { status: DeliveryStatus | null; attemptCount: number; createdAt: Date }
  >(
    `SELECT w.id AS "endpointId", l.status, l.attempt_count AS "attemptCount", l.created_at AS "createdAt", f.failures
     FROM webhook_endpoints w
     LEFT JOIN LATERAL (SELECT * FROM webhook_deliveries d WHERE d.endpoint_id = w.id
       ORDER BY d.created_at DESC, d.event_id DESC LIMIT 1) l ON true
     CROSS JOIN LATERAL (SELECT count(*)::int AS failures FROM (
       SELECT FROM (SELECT status, attempt_count FROM webhook_deliveries d
                    WHERE d.endpoint_id = w.id AND d.status IN ('failed', 'pending') AND d.created_at >= $3
                    LIMIT ${maxReadDeliveries}) unsuccessful
       WHERE status = 'failed' OR attempt_count > 0 LIMIT ${maxCountedFailures}) counted) f
     WHERE w.merchant_id = $1 AND w.environment = $2 AND w.deleted_at IS NULL`,
    [tenant.merchantId, tenant.environment, since],
  );
  return rows.map(({ endpointId, failures, status, attemptCount, createdAt }) => ({
    endpointId,
    failures,
    last: status === null ? null : { status, attemptCount, createdAt },
  }));
}

/** Why the newest try of a failing endpoint failed. */
export interface EndpointFailure {
  endpointId: string;
  /** Null if there was no response. */
  statusCode: number | null;
  error: string | null;
}

/** The maximum number of deliveries of one status that are looked at for it, and of their latest failures. */
const maxSearched = 500;
const maxCompared = 20;

/**
 * Returns the newest failure of each failing endpoint of the tenant, among its newest deliveries that were
 * tried. The cost depends on the number of endpoints, not on the number of deliveries.
 */
export async function readEndpointFailures(database: Queryable, tenant: Tenant): Promise<EndpointFailure[]> {
  const { rows } = await database.query<EndpointFailure>(
    `SELECT w.id AS "endpointId", f.status_code AS "statusCode", f.error
     FROM webhook_endpoints w
     CROSS JOIN LATERAL (
       SELECT a.status_code, a.error FROM (VALUES ('failed'), ('pending'), ('canceled')) AS s (status)
       CROSS JOIN LATERAL (
         SELECT event_id FROM (SELECT d.event_id, d.attempt_count FROM webhook_deliveries d
                               WHERE d.endpoint_id = w.id AND d.status = s.status
                               ORDER BY d.created_at DESC, d.event_id DESC LIMIT ${maxSearched}) searched
         WHERE attempt_count > 0 LIMIT ${maxCompared}) tried
       CROSS JOIN LATERAL (
         SELECT t.status_code, t.error, t.started_at FROM webhook_attempts t
         WHERE t.event_id = tried.event_id AND t.endpoint_id = w.id AND t.error IS NOT NULL
         ORDER BY t.attempt_no DESC LIMIT 1) a
       ORDER BY a.started_at DESC LIMIT 1) f
     WHERE w.merchant_id = $1 AND w.environment = $2 AND w.deleted_at IS NULL AND w.failing_since IS NOT NULL`,
    [tenant.merchantId, tenant.environment],
  );
  return rows;
}
