import { createHash } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import type { Keyring } from '../crypto/keyring.ts';
import { sealContext } from '../crypto/seal-contexts.ts';
import { inTransaction, type Database, type Queryable } from '../db/server/database.ts';
import {
  type IdempotencyClaim,
  type Lease,
  claimKey,
  finishKey,
  leaseMs,
  loadResponse,
  lookUpKey,
  releaseKey,
  renewLease,
  storeResponse,
  takeOverLease,
} from '../db/server/idempotency-keys.ts';
import { Refusal, refusals } from '../domain/refusals.ts';
import { canonicalJson } from '../domain/text.ts';

/**
 * Returns the SHA-256 hash (32 bytes) of a body as it was sent: of its RFC 8785 form after strict parsing and
 * before defaults. Key order, white space and escapes do not matter; a field left out differs from its
 * explicit default. Throws as canonicalJson does; a body that passed its schema never makes it throw. Spec:
 * Create > Idempotency; AMB-11, META-06.
 */
export function bodyHash(body: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(body), 'utf8').digest();
}

export interface IdempotencyDeps {
  database: Database;
  now: () => number;
  idempotencyRetentionSeconds: number;
}

/**
 * The steps of a request under its key. A request that finishes the work of one that died gets the same `id`.
 */
export interface IdempotentSteps<Created, Result> {
  /** Creates the key's resource in the transaction that claims the key. May refuse. */
  create: (transaction: Queryable, id: string, now: Date) => Promise<Created>;
  /**
   * Does the remaining work after that commit. It must be safe to repeat. `created` is null when an earlier
   * request created the resource.
   */
  work: (id: string, created: Created | null) => Promise<Result>;
  /** Writes in the transaction that finishes the key. */
  conclude?: (transaction: Queryable, id: string, result: Result) => Promise<void>;
  /** Returns the result of a finished key. */
  load: (id: string) => Promise<Result>;
}

/**
 * Runs a request once per Idempotency-Key. Every repeat gets the same result, with `replayed`. A refusal
 * frees the key; an unknown end (503) keeps it, so that the next repeat continues.
 * Refuses: idempotency_in_progress, idempotency_key_reused (409), and what the steps refuse.
 * Spec: POST /v1/payments; IDEM-07 to -11.
 */
export async function runIdempotent<Created, Result>(
  deps: IdempotencyDeps,
  claim: IdempotencyClaim,
  steps: IdempotentSteps<Created, Result>,
): Promise<{ result: Result; replayed: boolean }> {
  const { database } = deps;
  // Two rounds: after losing the race for a free key, the second round finds the winner's row.
  for (let round = 0; round < 2; round += 1) {
    const now = new Date(deps.now());
    const known = await lookUpKey(database, claim, now);
    if (known.state === 'finished') return { result: await steps.load(known.resourceId), replayed: true };
    if (known.state === 'abandoned') {
      const lease = await takeOverLease(database, claim, now);
      if (!lease) continue;
      const result = await workAndFinish(deps, lease, steps, known.resourceId, null);
      return { result, replayed: true };
    }
    const id = uuidv7();
    const claimed = await inTransaction(database, async (transaction) => {
      const lease = await claimKey(transaction, claim, id, now, deps.idempotencyRetentionSeconds);
      return lease ? { lease, created: await steps.create(transaction, id, now) } : null;
    });
    if (!claimed) continue;
    const result = await workAndFinish(deps, claimed.lease, steps, id, claimed.created);
    return { result, replayed: false };
  }
  throw new Refusal('idempotency_in_progress', { retryAfterSeconds: 1 });
}

/**
 * Does the work under a lease of the key and finishes the key. A refusal releases the key; a 5xx keeps it.
 */
async function workAndFinish<Created, Result>(
  deps: IdempotencyDeps,
  lease: Lease,
  steps: IdempotentSteps<Created, Result>,
  id: string,
  created: Created | null,
): Promise<Result> {
  const { database } = deps;
  const stopRenewing = startLeaseRenewal(deps, lease);
  try {
    const result = await steps.work(id, created);
    await inTransaction(database, async (transaction) => {
      // Without the lease, its new holder repeats the work and concludes.
      if (await finishKey(transaction, lease)) await steps.conclude?.(transaction, id, result);
    });
    return result;
  } catch (error) {
    if (error instanceof Refusal && refusals[error.code].status < 500) await releaseKey(database, lease);
    throw error;
  } finally {
    stopRenewing();
  }
}

/** Renews a lease while its work runs, which may take longer. Returns the function that ends the renewals. */
function startLeaseRenewal({ database, now }: IdempotencyDeps, lease: Lease): () => void {
  const timer = setInterval(() => {
    renewLease(database, lease, new Date(now())).then(
      (held) => held || clearInterval(timer),
      // The database is unreachable now. The next turn tries again, and a request that takes over the lease
      // repeats the work.
      () => undefined,
    );
  }, leaseMs / 4);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Runs an operation that creates no resource of its own. Its response is stored and returned to repeats.
 * `check` runs in the transaction that claims the key and may refuse.
 */
export function runOperation<Response>(
  deps: IdempotencyDeps & { keyring: Keyring },
  claim: IdempotencyClaim,
  steps: {
    check: (transaction: Queryable) => Promise<void>;
    work: (operationId: string) => Promise<Response>;
  },
): Promise<{ result: Response; replayed: boolean }> {
  // The response is sealed, because it may hold links and customers' data.
  const context = sealContext.response(claim.merchantId, claim.operation, claim.key);
  return runIdempotent<void, Response>(deps, claim, {
    create: (transaction) => steps.check(transaction),
    work: (operationId) => steps.work(operationId),
    conclude: (transaction, _id, response) =>
      storeResponse(transaction, claim, deps.keyring.seal(JSON.stringify(response), context)),
    load: async () => {
      const stored = await loadResponse(deps.database, claim);
      if (!stored?.sealed) return stored?.clear as Response;
      return JSON.parse(deps.keyring.open(stored.sealed, context)) as Response;
    },
  });
}
