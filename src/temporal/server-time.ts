import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';

const { TaskQueueKind, TaskQueueType } = proto.temporal.api.enums.v1;

/** Longest wait of the poll in ms: Temporal refuses shorter ones. */
const pollMs = 2_500;
const describeMs = 2_000;
/** How long the poll is given to arrive before that is checked, in ms, and how often that is checked. */
const arrivesWithinMs = 50;
const pollChecks = 3;

/**
 * Returns Temporal's time, and the moments of the monotonic clock (ms) between which Temporal read it; null
 * where Temporal shows none. No answer of its API carries the server's time, but a task queue shows when it
 * was last polled: a queue of its own is polled once and described. No workflow is started. Throws what the
 * connection throws.
 */
async function readServerTime(
  client: Pick<Client, 'connection'>,
  namespace: string,
  queue: { prefix: string; identity: string },
): Promise<{ at: number; between: [number, number] } | null> {
  const { connection } = client;
  // Sticky: such a queue has one partition, so that what is described is what was polled.
  const taskQueue = {
    name: `${queue.prefix}clock-${queue.identity}`,
    kind: TaskQueueKind.TASK_QUEUE_KIND_STICKY,
    normalName: `${queue.prefix}clock`,
  };
  // One of its own each time: an earlier poll is not taken for this one.
  const identity = `${queue.identity}:${Math.round(performance.now())}`;
  const askedAt = performance.now();
  // Only its arrival counts; it ends by its deadline, in the background.
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
 * Returns how far this process's system clock is ahead of Temporal's, and how far that may be off either way,
 * in ms; null where Temporal shows no time.
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
