import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { unfinishedPayments } from './rows.ts';
import type { Stack } from './stack.ts';

const pauseMs = 40;
const answerMs = 500;
/** The queries that the Temporal UI sends for a workflow whose page is open. */
const questions = ['__temporal_workflow_metadata', '__stack_trace'] as const;

/**
 * Queries the workflows of all open payments repeatedly, as operators with open pages do, until it is
 * stopped. Queries must change nothing. The answers do not matter.
 */
export function queryAsOperators({ databaseUrl, temporalAddress }: Stack, since: Date): () => Promise<void> {
  const calledOff = new AbortController();
  const querying = (async () => {
    const connection = await Connection.connect({ address: temporalAddress });
    try {
      const { workflow } = new Client({ connection });
      for (let round = 0; !calledOff.signal.aborted; round += 1) {
        const question = questions[round % questions.length] ?? questions[0];
        const ids = await unfinishedPayments(databaseUrl, since);
        await Promise.all(
          ids.map((id) =>
            connection
              .withDeadline(Date.now() + answerMs, () => workflow.getHandle(`payment-${id}`).query(question))
              .catch(() => null),
          ),
        );
        await sleep(pauseMs);
      }
    } finally {
      await connection.close();
    }
  })();
  return async () => {
    calledOff.abort();
    await querying;
  };
}
