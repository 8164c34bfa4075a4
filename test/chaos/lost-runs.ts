import { Connection } from '@temporalio/client';
import type { Change } from './change-plan.ts';
import { type ChangeContext, untilFound } from './changes.ts';
import { withDatabase } from './rows.ts';
import { send } from './stack.ts';

/** How long to search for runs that can be lost, in ms. */
const findWithinMs = 7_000;

/** Longest time that a deleted run stays in Temporal's lists, in ms. */
const goneMs = 5_000;

/**
 * Loses the runs of payments that wait for their customer and of refunds that the network has not decided.
 * The network's callback then arrives without a run.
 */
export async function loseRuns(
  { runs, how }: Extract<Change, { kind: 'lost-runs' }>,
  context: ChangeContext,
): Promise<void> {
  const lost = new Set<string>();
  await withTemporal(context.stack.temporalAddress, (temporal) =>
    untilFound(
      async () => {
        const waiting = (await waitingRuns(context)).filter((id) => !lost.has(id));
        const chosen = waiting.slice(0, runs - lost.size);
        for (const id of chosen) lost.add(id);
        if (how === 'terminated') await each(chosen, context, temporal.terminate);
        else if (chosen.length > 0) await deleteUnseen(chosen, context, temporal);
        return lost.size >= runs ? true : null;
      },
      findWithinMs,
      context,
    ),
  );
}

/** Deletes runs while the workers are stopped, so that afterwards no list of ended runs contains them. */
async function deleteUnseen(
  ids: readonly string[],
  context: ChangeContext,
  temporal: Temporal,
): Promise<void> {
  const pids = (['worker-1', 'worker-2'] as const).map((name) => context.stack.pidOf(name));
  for (const pid of pids) send(pid, 'SIGSTOP');
  try {
    await each(ids, context, temporal.remove);
    const areGone = async () => ((await temporal.areListed(ids)) ? null : true);
    await untilFound(areGone, goneMs, context);
  } finally {
    for (const pid of pids) send(pid, 'SIGCONT');
  }
}

async function each(
  ids: readonly string[],
  { note, made }: ChangeContext,
  lose: (workflowId: string) => Promise<unknown>,
): Promise<void> {
  for (const id of ids) {
    // The run has already ended, or Temporal is down.
    const isLost = await lose(id).then(
      () => true,
      () => false,
    );
    if (isLost) made.terminated.add(id.replace(/^payment-/, ''));
    note(`run ${id} ${isLost ? 'is lost' : 'is not lost'}`);
  }
}

/** Terminates the runs of all open payments. */
export async function terminateAll(context: ChangeContext): Promise<void> {
  const { stack, since } = context;
  const ids = await withDatabase(stack.databaseUrl, async (database) => {
    const { rows } = await database.query<{ id: string }>(
      `SELECT 'payment-' || id AS id FROM payments WHERE created_at >= $1 AND finalized_at IS NULL`,
      [since],
    );
    return rows.map(({ id }) => id);
  });
  await withTemporal(stack.temporalAddress, ({ terminate }) => each(ids, context, terminate));
}

/** Returns the runs that wait for a customer's step, or for the network's decision on a refund. */
export function waitingRuns({ stack, since }: ChangeContext): Promise<string[]> {
  return withDatabase(stack.databaseUrl, async (database) => {
    const { rows } = await database.query<{ id: string }>(
      `SELECT 'payment-' || id AS id FROM payments
       WHERE created_at >= $1 AND checkout_status = 'requiresAction'
       UNION ALL
       SELECT 'refund-' || r.id FROM refunds r JOIN payments p ON p.id = r.payment_id
       WHERE p.created_at >= $1 AND r.status = 'pending'`,
      [since],
    );
    return rows.map(({ id }) => id);
  });
}

/** The calls of Temporal that lose runs. */
interface Temporal {
  terminate: (workflowId: string) => Promise<unknown>;
  remove: (workflowId: string) => Promise<unknown>;
  /** Returns whether a list of Temporal has one of these runs. */
  areListed: (workflowIds: readonly string[]) => Promise<boolean>;
}

async function withTemporal(address: string, work: (temporal: Temporal) => Promise<unknown>): Promise<void> {
  const connection = await Connection.connect({ address });
  const { workflowService } = connection;
  const namespace = 'default';
  try {
    await work({
      terminate: (workflowId) =>
        workflowService.terminateWorkflowExecution({ namespace, workflowExecution: { workflowId } }),
      remove: (workflowId) =>
        workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } }),
      areListed: async (workflowIds) => {
        const query = `WorkflowId IN (${workflowIds.map((id) => `'${id}'`).join(', ')})`;
        const { executions } = await workflowService.listWorkflowExecutions({ namespace, query });
        return executions.length > 0;
      },
    });
  } finally {
    await connection.close();
  }
}
