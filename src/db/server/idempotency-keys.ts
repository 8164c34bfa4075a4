import type { Environment } from '../../domain/statuses.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { Queryable } from './database.ts';

/**
 * An idempotency key of a request. Its scope is the merchant and the operation; the environment is one of the
 * compared values (AMB-10).
 */
export interface IdempotencyClaim {
  merchantId: string;
  environment: Environment;
  operation: string;
  key: string;
  /** SHA-256 of the canonical body. */
  bodyHash: Buffer;
}

/** The state of a key. */
export type KeyState =
  | { state: 'free' }
  /** An earlier request with this key created this resource; its response is returned again. */
  | { state: 'finished'; resourceId: string }
  /** An earlier request created the resource but died before it answered: a retry may take over its lease. */
  | { state: 'abandoned'; resourceId: string };

/** The right to do the work of a key. It ends when it has not been renewed for `leaseMs`. */
export interface Lease {
  claim: IdempotencyClaim;
  token: string;
}

/** How long after its last renewal a lease may be taken over, in ms. */
export const leaseMs = 10_000;

/**
 * Returns a key's state at an instant. Refuses: idempotency_key_reused (409) for another body or environment,
 * also while the first request runs; idempotency_in_progress (409). Spec: POST /v1/payments; IDEM-07, -08,
 * -10, -11.
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
  refuseReuse(claim, row);
  if (row.finished) return { state: 'finished', resourceId: row.resourceId };
  if (row.leaseUntil > now) throw new Refusal('idempotency_in_progress', { retryAfterSeconds: 1 });
  return { state: 'abandoned', resourceId: row.resourceId };
}

/**
 * Refuses a key that was used for a different request: idempotency_key_reused (409). IDEM-08, -10. A body
 * without a known hash (null) was already compared in another way.
 */
export function refuseReuse(
  claim: IdempotencyClaim,
  known: { bodyHash: Buffer | null; environment: Environment },
): void {
  const isSameBody = known.bodyHash === null || known.bodyHash.equals(claim.bodyHash);
  if (known.environment === claim.environment && isSameBody) return;
  throw new Refusal('idempotency_key_reused');
}

/**
 * Returns the statement that claims a free key for a resource and returns `resource_id`; it returns no row
 * when another request has the key. Its values are `claimValues`, $1 to $9; a larger statement may add more.
 * `finished`: whether the work is complete when the statement has committed.
 */
export const claimStatement = ({ finished }: { finished: boolean }): string =>
  `INSERT INTO idempotency_keys AS k (merchant_id, operation, key, environment, body_hash, resource_id,
     created_at, lease_until, expires_at, finished, lease_token)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${finished}, gen_random_uuid())
   ON CONFLICT (merchant_id, operation, key) DO UPDATE SET environment = excluded.environment,
     body_hash = excluded.body_hash, resource_id = excluded.resource_id, finished = excluded.finished,
     created_at = excluded.created_at, lease_until = excluded.lease_until, expires_at = excluded.expires_at,
     lease_token = excluded.lease_token
   WHERE k.expires_at <= excluded.created_at
   RETURNING resource_id, lease_token`;

/** Returns the values of `claimStatement`. */
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
 * other. Returns null when another request claimed it first (the call waits for that request's commit); the
 * caller must then look the key up again.
 */
export async function claimKey(
  transaction: Queryable,
  claim: IdempotencyClaim,
  resourceId: string,
  now: Date,
  retentionSeconds: number,
): Promise<Lease | null> {
  const { rows } = await transaction.query<{ lease_token: string }>(
    claimStatement({ finished: false }),
    claimValues(claim, resourceId, now, retentionSeconds),
  );
  return rows[0] ? { claim, token: rows[0].lease_token } : null;
}

/**
 * Takes over the lease of a request that died. Returns null when another request took it over, or when the
 * work is finished.
 */
export async function takeOverLease(
  database: Queryable,
  claim: IdempotencyClaim,
  now: Date,
): Promise<Lease | null> {
  const { rows } = await database.query<{ token: string }>(
    `UPDATE idempotency_keys SET lease_token = gen_random_uuid(), lease_until = $5
     WHERE merchant_id = $1 AND operation = $2 AND key = $3 AND NOT finished AND lease_until <= $4
     RETURNING lease_token AS token`,
    [...scope(claim), now, new Date(now.getTime() + leaseMs)],
  );
  return rows[0] ? { claim, token: rows[0].token } : null;
}

/** Renews a lease from `now` on. Returns false when the lease was lost. */
export async function renewLease(database: Queryable, { claim, token }: Lease, now: Date): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE idempotency_keys SET lease_until = $5
     WHERE merchant_id = $1 AND operation = $2 AND key = $3 AND lease_token = $4 AND NOT finished`,
    [...scope(claim), token, new Date(now.getTime() + leaseMs)],
  );
  return rowCount === 1;
}

/**
 * Marks the work of a key as finished, so that its response is replayed from now on. Returns false when the
 * lease was lost.
 */
export async function finishKey(database: Queryable, { claim, token }: Lease): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE idempotency_keys SET finished = true
     WHERE merchant_id = $1 AND operation = $2 AND key = $3 AND lease_token = $4 AND NOT finished`,
    [...scope(claim), token],
  );
  return rowCount === 1;
}

const scope = ({ merchantId, operation, key }: IdempotencyClaim): string[] => [merchantId, operation, key];

/** Stores the response of an operation, to be returned again under its key. */
export async function storeResponse(
  transaction: Queryable,
  claim: IdempotencyClaim,
  responseSealed: Buffer,
): Promise<void> {
  await transaction.query(
    `INSERT INTO idempotency_responses (merchant_id, operation, key, response_sealed) VALUES ($1, $2, $3, $4)
     ON CONFLICT (merchant_id, operation, key)
       DO UPDATE SET response = NULL, response_sealed = excluded.response_sealed`,
    [...scope(claim), responseSealed],
  );
}

/**
 * Returns the stored response of a finished key, sealed, or unencrypted if an earlier version stored it; null
 * if there is none.
 */
export async function loadResponse(
  database: Queryable,
  claim: IdempotencyClaim,
): Promise<{ sealed: Buffer | null; clear: unknown } | null> {
  const { rows } = await database.query<{ sealed: Buffer | null; clear: unknown }>(
    `SELECT response_sealed AS sealed, response AS clear FROM idempotency_responses
     WHERE merchant_id = $1 AND operation = $2 AND key = $3`,
    scope(claim),
  );
  return rows[0] ?? null;
}

/**
 * Releases the key of refused work, because only finished work is replayed. Only the holder of the lease may
 * do so.
 */
export async function releaseKey(database: Queryable, { claim, token }: Lease): Promise<void> {
  await database.query(
    `DELETE FROM idempotency_keys WHERE merchant_id = $1 AND operation = $2 AND key = $3 AND lease_token = $4
       AND NOT finished`,
    [...scope(claim), token],
  );
}
