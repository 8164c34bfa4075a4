import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { eventually } from './shop.ts';

/** Actions of an attacker who has access to Temporal and none of the service's keys. */

/** Returns the events of a workflow's latest run. */
export const historyOf = async (
  client: Client,
  workflowId: string,
): Promise<temporal.api.history.v1.IHistoryEvent[]> =>
  (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];

/** Returns the id of an activity of this type, as soon as one runs that is not one of `before`. */
export const runningActivity = (
  client: Client,
  workflowId: string,
  type: string,
  before: readonly string[] = [],
): Promise<string> =>
  eventually(async () => {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    return raw.pendingActivities
      ?.filter(({ activityType }) => activityType?.name === type)
      .map(({ activityId }) => activityId ?? '')
      .find((activityId) => !before.includes(activityId));
  }, 90_000);

/** Returns the sealed result of a workflow's first activity, once there is one. */
export const firstReport = (client: Client, workflowId: string): Promise<Payload> =>
  eventually(async () => {
    const events = await historyOf(client, workflowId);
    const found = events.find((event) => event.activityTaskCompletedEventAttributes);
    return found?.activityTaskCompletedEventAttributes?.result?.payloads?.[0];
  }, 60_000);

/** Ends an activity by hand. Between two of its tries there is none to end, so this is repeated. */
export async function endByHand(
  client: Client,
  { workflowId, activityId }: { workflowId: string; activityId: string },
  end: { completed: Payload } | { failed: string },
): Promise<void> {
  const activity = { namespace: client.options.namespace, workflowId, activityId, identity: 'attacker' };
  const attempt = async (): Promise<unknown> => {
    if ('completed' in end) {
      const result = { payloads: [end.completed] };
      return client.workflowService.respondActivityTaskCompletedById({ ...activity, result });
    }
    const applicationFailureInfo = { type: 'ByHand', nonRetryable: true };
    const failure = { message: end.failed, applicationFailureInfo };
    return client.workflowService.respondActivityTaskFailedById({ ...activity, failure });
  };
  const until = Date.now() + 100_000;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (!String(error).includes('NOT_FOUND') || Date.now() > until) throw error;
    }
  }
}
