import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';

/** Longest wait for the server when a schedule is made or changed, in ms. */
const waitMs = 10_000;

export interface RecurringWorkflow {
  /** Unique in the namespace: put the queue prefix in front. */
  id: string;
  everySeconds: number;
  workflowType: string;
  taskQueue: string;
}

/**
 * Makes sure that a short workflow without input runs every so many seconds, one run at a time. Every worker
 * calls it at its start: the first one makes the schedule, the others bring it up to date. A run that nobody
 * serves is given up after a minute, so an absent worker leaves no queue of runs behind.
 */
export async function ensureSchedule(client: Client, recurring: RecurringWorkflow): Promise<void> {
  const { id, everySeconds, workflowType, taskQueue } = recurring;
  const parts: Omit<ScheduleOptions, 'scheduleId' | 'state'> = {
    spec: { intervals: [{ every: everySeconds * 1000 }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10 seconds' },
    action: {
      type: 'startWorkflow',
      workflowType,
      workflowId: id,
      taskQueue,
      workflowExecutionTimeout: '1 minute',
    },
  };
  await client.connection.withDeadline(Date.now() + waitMs, async () => {
    try {
      await client.schedule.create({ scheduleId: id, ...parts });
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      await client.schedule.getHandle(id).update(({ state }) => ({ ...parts, state }));
    }
  });
}
