import { randomUUID } from 'node:crypto';
import { inTransaction, type Database, type Queryable } from '../../db/database.ts';
import { loadAnswer, releaseKey, storeAnswer } from '../../db/keyed-answers.ts';
import { Refusal, refusals } from '../../domain/refusals.ts';
import { type IdempotencyClaim, claimKey, finishKey, lookUpKey } from '../../db/idempotency-keys.ts';

/**
 * Runs an operation once per Idempotency-Key and answers the same for every repeat. `check` runs inside the
 * transaction that claims the key and may refuse; `work` gets an operation id that is the same for whoever finishes
 * the work of a request that died, and must be harmless to repeat under it. A refusal frees the key; an unknown end
 * (503) keeps it, so that the next repeat goes on.
 * Refuses: idempotency_in_progress, idempotency_key_reused (409), and what `check` and `work` refuse.
 */
export async function runKeyed<Answer>(
  deps: { database: Database; now: () => number; idempotencyRetentionSeconds: number },
  claim: IdempotencyClaim,
  steps: {
    check?: (transaction: Queryable) => Promise<void>;
    work: (operationId: string) => Promise<Answer>;
  },
): Promise<{ answer: Answer; replayed: boolean }> {
  const { database } = deps;
  // Twice: losing the race for a free key means that the winner's row is there to be looked up.
  for (let round = 0; round < 2; round += 1) {
    const now = new Date(deps.now());
    const known = await lookUpKey(database, claim, now);
    if (known.state === 'finished') {
      return { answer: (await loadAnswer(database, claim)) as Answer, replayed: true };
    }
    let operationId = known.state === 'abandoned' ? known.resourceId : null;
    if (operationId === null) {
      const fresh = randomUUID();
      const won = await inTransaction(database, async (transaction) => {
        if (!(await claimKey(transaction, claim, fresh, now, deps.idempotencyRetentionSeconds))) return false;
        await steps.check?.(transaction);
        return true;
      });
      if (!won) continue;
      operationId = fresh;
    }
    const answer = await workOrRelease(database, claim, operationId, steps.work);
    await inTransaction(database, async (transaction) => {
      await storeAnswer(transaction, claim, answer);
      await finishKey(transaction, claim);
    });
    return { answer, replayed: known.state === 'abandoned' };
  }
  throw new Refusal('idempotency_in_progress', { retryAfterSeconds: 1 });
}

async function workOrRelease<Answer>(
  database: Database,
  claim: IdempotencyClaim,
  operationId: string,
  work: (operationId: string) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work(operationId);
  } catch (error) {
    if (error instanceof Refusal && refusals[error.code].status < 500) {
      await releaseKey(database, claim, operationId);
    }
    throw error;
  }
}
