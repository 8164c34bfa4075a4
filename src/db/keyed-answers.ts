import type { IdempotencyClaim } from './idempotency-keys.ts';
import type { Queryable } from './database.ts';

const scope = ({ merchantId, operation, key }: IdempotencyClaim): string[] => [merchantId, operation, key];

/** Keeps the answer of a keyed operation, to be given again. */
export async function storeAnswer(
  transaction: Queryable,
  claim: IdempotencyClaim,
  answer: unknown,
): Promise<void> {
  await transaction.query(
    `INSERT INTO keyed_answers (merchant_id, operation, key, answer) VALUES ($1, $2, $3, $4)
     ON CONFLICT (merchant_id, operation, key) DO UPDATE SET answer = excluded.answer`,
    [...scope(claim), JSON.stringify(answer)],
  );
}

/** The answer kept for a finished key, or undefined. */
export async function loadAnswer(database: Queryable, claim: IdempotencyClaim): Promise<unknown> {
  const { rows } = await database.query<{ answer: unknown }>(
    'SELECT answer FROM keyed_answers WHERE merchant_id = $1 AND operation = $2 AND key = $3',
    scope(claim),
  );
  return rows[0]?.answer;
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
