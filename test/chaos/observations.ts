import { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from './history.ts';
import { type Ledger, readLedger } from './ledger.ts';
import type { Made } from './made.ts';
import type { Delivery } from './receiver.ts';
import { type Rows, readRows } from './rows.ts';
import type { Stack } from './stack.ts';

/** Everything that the checker judges, read from each system separately. */
export interface Observations extends Rows, Made {
  history: Call[];
  /** The network's charges, by payment. */
  ledgers: Map<string, Ledger['charges']>;
  /** The network's refunds and disputes, of all payments. */
  ledgerRefunds: Ledger['refunds'];
  networkDisputes: Ledger['disputes'];
  /** Whether the network stores refunds that it refused. */
  keepsRefusedRefunds: boolean;
  /** How often the service sent each charge, by its key; absent where the harness does not count it. */
  sentCharges?: ReadonlyMap<string, number>;
  /** The state of each payment's workflow, `MISSING` when there is none. */
  workflows: Map<string, string>;
  /** Runs of any workflow whose task has failed more than once and is still being tried. */
  stuckRuns: { workflowId: string; tries: number }[];
  received: Delivery[];
  logs: { name: string; text: string }[];
  /** Secrets that no log may contain. */
  canaries: string[];
}

/** The parts of a stack that are read. */
export type Observed = Pick<
  Stack,
  'databaseUrl' | 'temporalAddress' | 'networkUrl' | 'networkKey' | 'network' | 'apiKey' | 'logsDirectory'
> & { receiver: Pick<Stack['receiver'], 'received'> };

/** Returns the state of the payments created since `since`, with what their clients saw. */
export async function observe(
  stack: Observed,
  history: Call[],
  since: Date,
  made: Made,
): Promise<Observations> {
  const rows = await readRows(stack.databaseUrl, since);
  const ids = rows.payments.map(({ id }) => id);
  return {
    ...rows,
    ...made,
    ...(await askNetwork(stack, ids)),
    history,
    ...(await describeWorkflows(stack.temporalAddress, ids, since)),
    received: stack.receiver.received.filter(({ body }) => ids.some((id) => body.includes(id))),
    logs: readLogs(stack.logsDirectory),
    canaries: [stack.apiKey, ...secretsSeen(history)],
  };
}

async function askNetwork(
  stack: Observed,
  paymentIds: readonly string[],
): Promise<Pick<Observations, 'ledgers' | 'ledgerRefunds' | 'networkDisputes' | 'keepsRefusedRefunds'>> {
  const ledgers: Observations['ledgers'] = new Map();
  const ledgerRefunds: Observations['ledgerRefunds'] = [];
  const networkDisputes: Observations['networkDisputes'] = [];
  for (const id of paymentIds) {
    const { charges, refunds, disputes } = await readLedger(stack, id);
    ledgers.set(id, charges);
    ledgerRefunds.push(...refunds);
    networkDisputes.push(...disputes.map(inOurWords));
  }
  return { ledgers, ledgerRefunds, networkDisputes, keepsRefusedRefunds: stack.network !== 'stripe' };
}

/** Returns a dispute with Stripe's status as the rows store it. */
const inOurWords = <Dispute extends { status: string }>(dispute: Dispute): Dispute => ({
  ...dispute,
  status: { needs_response: 'needsResponse', under_review: 'underReview' }[dispute.status] ?? dispute.status,
});

/** Reads the runs from Temporal as they are: their memos are sealed, and the keys are not available here. */
async function describeWorkflows(
  address: string,
  paymentIds: readonly string[],
  since: Date,
): Promise<Pick<Observations, 'workflows' | 'stuckRuns'>> {
  const connection = await Connection.connect({ address });
  const { workflowService } = connection;
  // A run may end or be lost in the meantime.
  const describe = (workflowId: string) =>
    workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } }).catch(() => null);
  try {
    const workflows = new Map<string, string>();
    for (const id of paymentIds) {
      const status = (await describe(`payment-${id}`))?.workflowExecutionInfo?.status;
      workflows.set(id, statusNames.get(status ?? 0) ?? 'MISSING');
    }
    const stuckRuns: Observations['stuckRuns'] = [];
    const query = `ExecutionStatus = 'Running' AND StartTime >= '${since.toISOString()}'`;
    const { executions } = await workflowService.listWorkflowExecutions({ namespace, query, pageSize: 500 });
    for (const { execution } of executions) {
      const workflowId = execution?.workflowId ?? '';
      const tries = (await describe(workflowId))?.pendingWorkflowTask?.attempt ?? 0;
      if (tries > maxTries) stuckRuns.push({ workflowId, tries });
    }
    return { workflows, stuckRuns };
  } finally {
    await connection.close();
  }
}

const namespace = 'default';
const statuses = proto.temporal.api.enums.v1.WorkflowExecutionStatus;
const statusNames = new Map<number, string>([
  [statuses.WORKFLOW_EXECUTION_STATUS_RUNNING, 'RUNNING'],
  [statuses.WORKFLOW_EXECUTION_STATUS_COMPLETED, 'COMPLETED'],
  [statuses.WORKFLOW_EXECUTION_STATUS_FAILED, 'FAILED'],
  [statuses.WORKFLOW_EXECUTION_STATUS_CANCELED, 'CANCELLED'],
  [statuses.WORKFLOW_EXECUTION_STATUS_TERMINATED, 'TERMINATED'],
  [statuses.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW, 'CONTINUED_AS_NEW'],
  [statuses.WORKFLOW_EXECUTION_STATUS_TIMED_OUT, 'TIMED_OUT'],
]);

/** A restarted worker's task is tried once more. A task that fails is tried again and again. */
const maxTries = 2;

function readLogs(directory: string): { name: string; text: string }[] {
  return readdirSync(directory)
    .filter((name) => /^(api|worker)/.test(name))
    .map((name) => ({ name, text: readFileSync(join(directory, name), 'utf8') }));
}

function secretsSeen(history: readonly Call[]): string[] {
  return history.flatMap(({ data }) => (data?.capture ? [data.capture.secret] : []));
}
