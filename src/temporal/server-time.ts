import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';

const { TaskQueueKind, TaskQueueType } = proto.temporal.api.enums.v1;

/** Longest wait of the poll in ms: Temporal refuses shorter ones. */
const pollMs = 2_500;
const describeMs = 2_000;
/** How long the poll has to arrive before each check, in ms, and how many checks there are. */
const arrivesWithinMs = 50;
const pollChecks = 3;

/**
 * Returns Temporal's time, and the moments of the monotonic clock (ms) between which Temporal read it; null
 * when Temporal shows none. Temporal's API returns no server time, but a task queue shows when it was last
 * polled. So this polls a queue of its own once and describes it. It starts no workflow. Throws the
 * connection's errors.
 */
async function readServerTime(
  client: Pick<Client, 'connection'>,
  namespace: string,
  queue: { prefix: string; identity: string },
): Promise<{ at: number; between: [number, number] } | null> {
  const { connection } = client;
  // A sticky queue has one partition, so the described partition is the polled one.
  const taskQueue = {
    name: `${queue.prefix}clock-${queue.identity}`,
    kind: TaskQueueKind.TASK_QUEUE_KIND_STICKY,
    normalName: `${queue.prefix}clock`,
  };
  // A new identity each time, so that an earlier poll is not taken for this one.
  const identity = `${queue.identity}:${Math.round(performance.now())}`;
  const askedAt = performance.now();
  // Only the poll's arrival counts. Its deadline ends it in the background.
  connection
    .withDeadline(Date.now() + pollMs, () =>
      connection.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue, identity }),
    )
    .catch(() => undefined);
  for (let check = 0; check < pollChecks; check += 1) {
    await sleep(arrivesWithinMs);
    const { pollers } = await connection.withDeadline(Date.now() + describeMs, () =>
      connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue,
        taskQueueType: TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
      }),
    );
    const seenAt = performance.now();
    const arrived = pollers?.find((poller) => poller.identity === identity)?.lastAccessTime;
    if (arrived) {
      const at = Number(arrived.seconds) * 1_000 + Number(arrived.nanos) / 1e6;
      return { at, between: [askedAt, seenAt] };
    }
  }
  return null;
}

/**
 * Returns how far this process's system clock is ahead of Temporal's, and the uncertainty either way, in ms;
 * null when Temporal shows no time.
 */
export async function compareWithTemporal(
  ...call: Parameters<typeof readServerTime>
): Promise<{ of: 'Temporal'; offsetMs: number; uncertaintyMs: number } | null> {
  const read = await readServerTime(...call);
  if (read === null) return null;
  const [from, to] = read.between;
  const systemMs = Date.now() - (performance.now() - (from + to) / 2);
  return { of: 'Temporal', offsetMs: systemMs - read.at, uncertaintyMs: (to - from) / 2 };
}
