import { Client, Connection } from '@temporalio/client';
import type { Change } from './change-plan.ts';
import { type ChangeContext, untilFound } from './changes.ts';
import { withDatabase } from './rows.ts';

type HowLost = Extract<Change, { kind: 'lost-runs' }>['how'];

/** How long runs are looked for that can be lost, in ms. */
const lookMs = 7_000;

/**
 * Loses the runs of payments that wait for their customer and of refunds that the network has not decided: its
 * callback comes when there is no run.
 */
export async function loseRuns(
  { runs, how }: Extract<Change, { kind: 'lost-runs' }>,
  context: ChangeContext,
): Promise<void> {
  const lost = new Set<string>();
  await withTemporal(context.stack.temporalAddress, (lose) =>
    untilFound(
      async () => {
        for (const id of await waitingRuns(context)) {
          if (lost.has(id) || lost.size >= runs) continue;
          if (!(await lose(id, how))) continue;
          lost.add(id);
          context.note(`run ${id} is ${how}`);
        }
        return lost.size >= runs ? true : null;
      },
      lookMs,
      context,
    ),
  );
}

/** Terminates the runs of all payments that are under way. */
export async function terminateAll({ stack, since, note }: ChangeContext): Promise<void> {
  const ids = await withDatabase(stack.databaseUrl, async (database) => {
    const { rows } = await database.query<{ id: string }>(
      `SELECT 'payment-' || id AS id FROM payments WHERE created_at >= $1 AND finalized_at IS NULL`,
      [since],
    );
    return rows.map(({ id }) => id);
  });
  await withTemporal(stack.temporalAddress, async (lose) => {
    for (const id of ids) if (await lose(id, 'terminated')) note(`run ${id} is terminated`);
  });
}

function waitingRuns({ stack, since }: ChangeContext): Promise<string[]> {
  return withDatabase(stack.databaseUrl, async (database) => {
    const { rows } = await database.query<{ id: string }>(
      `SELECT 'payment-' || id AS id FROM payments
       WHERE created_at >= $1 AND checkout_status = 'requiresAction'
       UNION ALL
       SELECT 'refund-' || r.id FROM refunds r JOIN payments p ON p.id = r.payment_id
       WHERE p.created_at >= $1 AND r.status = 'pending' AND r.submitted_at IS NOT NULL`,
      [since],
    );
    return rows.map(({ id }) => id);
  });
}

/** Runs `work` with a function that loses a run, and returns whether there was one. */
async function withTemporal(
  address: string,
  work: (lose: (workflowId: string, how: HowLost) => Promise<boolean>) => Promise<unknown>,
): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    const { workflow } = new Client({ connection });
    await work(async (workflowId, how) => {
      try {
        if (how === 'terminated') await workflow.getHandle(workflowId).terminate('lost');
        else {
          await connection.workflowService.deleteWorkflowExecution({
            namespace: 'default',
            workflowExecution: { workflowId },
          });
        }
        return true;
      } catch {
        // It has ended already, or Temporal is down.
        return false;
      }
    });
  } finally {
    await connection.close();
  }
}
