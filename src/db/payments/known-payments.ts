import type { Environment } from '../../domain/statuses.ts';
import type { Queryable } from '../server/database.ts';
import { withArchived } from './archive.ts';
import type { Tenant } from './payments.ts';

/** The rows' facts about a payment, for the comparison with Temporal and the network. ADR 0062. */
export interface KnownPayment {
  id: string;
  merchantId: string;
  environment: Environment;
  isFinal: boolean;
  isPaid: boolean;
  stateSeq: number;
  /** Its attempts, without released ones, and how many seconds each has been open; null: it is over. */
  attempts: { attemptNo: number; openSeconds: number | null }[];
}

/**
 * Returns the rows' facts about these payments, including archived ones. A payment without a row is left out.
 * Ids must be UUIDs.
 */
export async function knownPayments(
  database: Queryable,
  ids: readonly string[],
): Promise<Map<string, KnownPayment>> {
  const { rows } = await database.query<KnownPayment>(
    `SELECT p.id, p.merchant_id AS "merchantId", p.environment, p.finalized_at IS NOT NULL AS "isFinal",
       p.paid_at IS NOT NULL AS "isPaid", p.state_seq AS "stateSeq",
       coalesce((SELECT json_agg(json_build_object('attemptNo', a.attempt_no, 'openSeconds',
           CASE WHEN a.status IN ('processing', 'requiresAction')
             THEN extract(epoch FROM clock_timestamp() - a.started_at) END))
         FROM ${withArchived('attempts', 'payment_id, attempt_no, status, started_at')} a
         WHERE a.payment_id = p.id AND a.status <> 'released'), '[]') AS attempts
     FROM ${withArchived('payments', 'id, merchant_id, environment, finalized_at, paid_at, state_seq')} p
     WHERE p.id = ANY ($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns which of these refunds have rows, including archived ones. Ids must be UUIDs. */
export async function knownRefunds(database: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT id FROM ${withArchived('refunds', 'id')} r WHERE id = ANY ($1::uuid[])`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Returns payments whose workflow was started and is not over, ordered by id, after `after`. */
export async function listOpenPayments(database: Queryable, after: string, limit: number): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT id FROM payments WHERE id > $1 AND finalized_at IS NULL AND workflow_started_at IS NOT NULL
     ORDER BY id LIMIT $2`,
    [after, limit],
  );
  return rows.map(({ id }) => id);
}

/** Returns every merchant and environment that has its own network, and those that the simulators serve. */
export async function listOwners(
  database: Queryable,
  simulated: readonly Environment[],
  limit: number,
): Promise<(Tenant & { connectorId: string | null })[]> {
  const { rows } = await database.query<Tenant & { connectorId: string | null }>(
    `SELECT merchant_id AS "merchantId", environment, id AS "connectorId" FROM connectors
     UNION ALL SELECT m.id, e.name, NULL FROM merchants m CROSS JOIN unnest($1::text[]) AS e (name)
     ORDER BY 1, 2, 3 LIMIT $2`,
    [simulated, limit],
  );
  return rows;
}
