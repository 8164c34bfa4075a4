import { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { Settings } from '../../runtime/settings.ts';
import { connectionOptions, refuseOpenTemporal } from '../../temporal/connection.ts';
import { queueNames, taskQueue } from '../../temporal/contract/ids.ts';
import { searchAttributes } from '../../temporal/contract/search-attributes.ts';
import { type Check, checkOf, reasonOf, runCheck } from './check.ts';

/** Longest wait for one answer, in ms. */
const waitMs = 5_000;
/**
 * A payment's history must outlive its idempotency key. Both are stored for at least a day: the key from the
 * creation of the payment, the history from the end of its run, which is later.
 */
const minRetentionHours = 24;

const { TaskQueueType } = proto.temporal.api.enums.v1;

/**
 * Returns the checks of Temporal: that it answers, that the namespace exists and stores histories long
 * enough, that it has the search attributes, and that a worker polls each task queue.
 */
export async function checkTemporal(settings: Settings): Promise<Check[]> {
  const { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE: namespace, TASK_QUEUE_PREFIX } = settings;
  const open = checkOf('temporal access', refuseOpenTemporal(settings.DEPLOYMENT === 'production'));
  const options = connectionOptions(TEMPORAL_ADDRESS);
  let connection: Connection;
  try {
    connection = await Connection.connect({ ...options, connectTimeout: waitMs });
  } catch (error) {
    const fix = `TEMPORAL_ADDRESS: Temporal does not answer at ${options?.address} (${reasonOf(error)}): start it, or correct the address`;
    return [open, checkOf('temporal', fix)];
  }
  const bounded = <T>(call: () => Promise<T>): Promise<T> =>
    connection.withDeadline(Date.now() + waitMs, call);
  const failed = (reason: string): string => `Temporal refused the question (${reason}): check its logs`;
  try {
    const found = await runCheck(
      'namespace',
      () => bounded(() => namespaceFault(connection, namespace)),
      () => `TEMPORAL_NAMESPACE: the namespace ${namespace} cannot be read: create it, or correct its name`,
    );
    const checks = [open, checkOf('temporal', null), found];
    if (!found.ok) return checks;
    return [
      ...checks,
      await runCheck(
        'search attributes',
        () => bounded(() => attributesFault(connection, namespace)),
        failed,
      ),
      ...(await Promise.all(
        queueNames.map((name) => {
          const queue = taskQueue(TASK_QUEUE_PREFIX, name);
          return runCheck(
            `queue ${queue}`,
            () => bounded(() => queueFault(connection, namespace, queue, name)),
            failed,
          );
        }),
      )),
    ];
  } finally {
    await connection.close();
  }
}

async function namespaceFault({ workflowService }: Connection, namespace: string): Promise<string | null> {
  const { config } = await workflowService.describeNamespace({ namespace });
  const hours = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / 3_600;
  if (hours >= minRetentionHours) return null;
  return (
    `the Temporal namespace ${namespace} keeps histories for ${Math.round(hours)} h: ` +
    `set its retention to ${minRetentionHours} h or more`
  );
}

async function attributesFault({ operatorService }: Connection, namespace: string): Promise<string | null> {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const [first] = Object.entries(searchAttributes).filter(([name]) => !(name in customAttributes));
  if (first === undefined) return null;
  const [name, type] = first;
  return (
    `the Temporal namespace ${namespace} lacks the search attribute ${name}: ` +
    `temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${type}`
  );
}

async function queueFault(
  { workflowService }: Connection,
  namespace: string,
  queue: string,
  role: string,
): Promise<string | null> {
  const kinds = [TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW, TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY];
  const answers = await Promise.all(
    kinds.map((taskQueueType) =>
      workflowService.describeTaskQueue({ namespace, taskQueue: { name: queue }, taskQueueType }),
    ),
  );
  if (answers.some(({ pollers }) => (pollers ?? []).length > 0)) return null;
  return `no worker polls the task queue ${queue}: start one with ${role} in WORKER_ROLES, and the same TASK_QUEUE_PREFIX and namespace`;
}
