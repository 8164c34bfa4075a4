import type { Environment } from '../domain/statuses.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Queryable } from './database.ts';

/**
 * A key as a request gives it. Scope: merchant plus operation; the environment belongs to what is compared
 * (AMB-10).
 */
export interface IdempotencyClaim {
  merchantId: string;
  environment: Environment;
  operation: string;
  key: string;
  /** SHA-256 of the canonical body. */
  bodyHash: Buffer;
}

/** What a key stands for. */
export type KeyState =
  | { state: 'free' }
  /** An earlier request with this key made this resource; its answer is due again. */
  | { state: 'finished'; resourceId: string }
  /** An earlier request made the resource but died before it answered; this request finishes its work. */
  | { state: 'abandoned'; resourceId: string };

/** How long a running request keeps its key before a retry may finish its work, in ms. */
export const leaseMs = 10_000;

/**
 * Looks a key up at an instant. Refuses: idempotency_key_reused (409) for another body or environment, also
 * while the first request runs; idempotency_in_progress (409). Spec: POST /v1/payments; IDEM-07, -08, -10,
 * -11.
 */
export async function lookUpKey(database: Queryable, claim: IdempotencyClaim, now: Date): Promise<KeyState> {
  const { rows } = await database.query<{
    bodyHash: Buffer;
    environment: Environment;
    resourceId: string;
    finished: boolean;
    leaseUntil: Date;
  }>(
    `SELECT body_hash AS "bodyHash", environment, resource_id AS "resourceId", finished,
       lease_until AS "leaseUntil"
     FROM idempotency_keys WHERE merchant_id = $1 AND operation = $2 AND key = $3 AND expires_at > $4`,
    [claim.merchantId, claim.operation, claim.key, now],
  );
  const [row] = rows;
  if (!row) return { state: 'free' };
  if (row.environment !== claim.environment || !row.bodyHash.equals(claim.bodyHash)) {
    throw new Refusal('idempotency_key_reused');
  }
  if (row.finished) return { state: 'finished', resourceId: row.resourceId };
  if (row.leaseUntil > now) throw new Refusal('idempotency_in_progress', { retryAfterSeconds: 1 });
  return { state: 'abandoned', resourceId: row.resourceId };
}

/**
 * Returns the statement that claims a free key for a resource and returns `resource_id`; no row when another
 * request has the key. Its values are `claimValues`, $1 to $9; a larger statement may go on from there.
 * `finished`: nothing is left to do once it has committed.
 */
export const claimStatement = ({ finished }: { finished: boolean }): string =>
  `INSERT INTO idempotency_keys AS k (merchant_id, operation, key, environment, body_hash, resource_id,
     created_at, lease_until, expires_at, finished)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${finished})
   ON CONFLICT (merchant_id, operation, key) DO UPDATE SET environment = excluded.environment,
     body_hash = excluded.body_hash, resource_id = excluded.resource_id, finished = excluded.finished,
     created_at = excluded.created_at, lease_until = excluded.lease_until, expires_at = excluded.expires_at
   WHERE k.expires_at <= excluded.created_at
   RETURNING resource_id`;

/** The values of `claimStatement`. */
export const claimValues = (
  claim: IdempotencyClaim,
  resourceId: string,
  now: Date,
  retentionSeconds: number,
): unknown[] => [
  claim.merchantId,
  claim.operation,
  claim.key,
  claim.environment,
  claim.bodyHash,
  resourceId,
  now,
  new Date(now.getTime() + leaseMs),
  new Date(now.getTime() + retentionSeconds * 1000),
];

/**
 * Claims a free key inside the transaction that creates its resource, so that neither exists without the
 * other. Returns false when another request claimed it first (it waits for that request's commit): look it up
 * again.
 */
export async function claimKey(
  transaction: Queryable,
  claim: IdempotencyClaim,
  resourceId: string,
  now: Date,
  retentionSeconds: number,
): Promise<boolean> {
  const { rowCount } = await transaction.query(
    claimStatement({ finished: false }),
    claimValues(claim, resourceId, now, retentionSeconds),
  );
  return rowCount === 1;
}

/** Marks the work behind a key as done: from now on it is replayed. */
export async function finishKey(database: Queryable, claim: IdempotencyClaim): Promise<void> {
  await database.query(
    'UPDATE idempotency_keys SET finished = true WHERE merchant_id = $1 AND operation = $2 AND key = $3',
    [claim.merchantId, claim.operation, claim.key],
  );
}

const scope = ({ merchantId, operation, key }: IdempotencyClaim): string[] => [merchantId, operation, key];

/** Keeps the response of an operation, to be given again under its key. */
export async function storeResponse(
  transaction: Queryable,
  claim: IdempotencyClaim,
  response: unknown,
): Promise<void> {
  await transaction.query(
    `INSERT INTO idempotency_responses (merchant_id, operation, key, response) VALUES ($1, $2, $3, $4)
     ON CONFLICT (merchant_id, operation, key) DO UPDATE SET response = excluded.response`,
    [...scope(claim), JSON.stringify(response)],
  );
}

/** The response kept for a finished key, or undefined. */
export async function loadResponse(database: Queryable, claim: IdempotencyClaim): Promise<unknown> {
  const { rows } = await database.query<{ response: unknown }>(
    'SELECT response FROM idempotency_responses WHERE merchant_id = $1 AND operation = $2 AND key = $3',
    scope(claim),
  );
  return rows[0]?.response;
}

/** Frees the key of an operation that was refused: only what was done is replayed. */
export async function releaseKey(
  database: Queryable,
  claim: IdempotencyClaim,
  operationId: string,
): Promise<void> {
  await database.query(
    `DELETE FROM idempotency_keys WHERE merchant_id = $1 AND operation = $2 AND key = $3 AND resource_id = $4
       AND NOT finished`,
    [...scope(claim), operationId],
  );
}
