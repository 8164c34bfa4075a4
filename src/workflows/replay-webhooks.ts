import { continueAsNew, proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { ReplayActivities } from '../activities/replay-webhooks.ts';
import type { ReplayInput, ReplayProgress } from '../temporal/contract/delivery.ts';

/**
 * Sends the events of a range to an endpoint again, in the order of the log. It goes page by page, so that
 * the endpoint is never flooded.
 */
export async function replayWebhooksWorkflow(
  input: ReplayInput,
  progress: ReplayProgress = { afterPosition: 0, sent: 0 },
): Promise<{ sent: number }> {
  const { replayPage } = proxyActivities<ReplayActivities>({
    startToCloseTimeout: '60 seconds',
    heartbeatTimeout: '10 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
  });
  let { afterPosition, sent } = progress;
  for (;;) {
    const page = await replayPage({ ...input, afterPosition });
    sent += page.sent;
    setCurrentDetails(`${sent} events sent`);
    if (page.next === null) return { sent };
    afterPosition = page.next;
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof replayWebhooksWorkflow>(input, { afterPosition, sent });
    }
    await sleep('1 second', { summary: 'between pages' });
  }
}
