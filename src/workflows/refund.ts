import {
  condition,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { RefundActivities } from '../activities/refunds.ts';
import type { RefundStatus } from '../domain/refund.ts';
import { type RefundWorkflowInput, refundChangedSignal } from '../temporal/contract/refund.ts';
import { withOperatorAlert } from './operator-alert.ts';
import { providerRetryOptions } from './provider-activities.ts';
import { createWebhookDispatcher } from './webhook-dispatch.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Waits between looks at a refund the network has not decided; the last one repeats. In ms. */
const pendingWaits = [3 * second, 10 * second, 30 * second, 2 * minute, 10 * minute, hour, 6 * hour, day];
/**
 * Waits between looks at a refund that succeeded: it may still come back, and a callback may be lost. In ms.
 */
const succeededWaits = [10 * second, minute, 10 * minute, hour, day, 7 * day, 30 * day];

/**
 * The life of one refund: waits while it may be canceled, submits it, follows it until it has failed, was
 * canceled, or stood for weeks. The rows decide what it is; this only brings it forward.
 * docs/refunds-and-disputes.md.
 */
export async function refundWorkflow(input: RefundWorkflowInput): Promise<{ status: RefundStatus }> {
  const { followRefund } = proxyActivities<RefundActivities>(providerRetryOptions(workflowInfo().taskQueue));
  const webhooks = createWebhookDispatcher(workflowInfo().taskQueue);
  let hints = 0;
  let submitNow = false;
  setHandler(
    refundChangedSignal,
    (hint) => {
      hints += 1;
      submitNow ||= hint.submitNow;
      webhooks.dispatch(hint.eventIds);
    },
    { description: 'The refund may have changed at the network; it is read again.' },
  );

  webhooks.dispatch(input.eventIds);
  const cancelableMs = input.submitAtMs - Date.now();
  if (cancelableMs > 0) {
    setCurrentDetails(`Waits until ${new Date(input.submitAtMs).toISOString()}: may be canceled`);
    await condition(() => submitNow, cancelableMs);
  }
  let status: RefundStatus = 'pending';
  let round = 0;
  for (;;) {
    const known = hints;
    const before: RefundStatus = status;
    const followed = await withOperatorAlert(() => followRefund({ refundId: input.refundId }));
    status = followed.status;
    webhooks.dispatch(followed.eventIds);
    setCurrentDetails(`**${status}**`);
    if (status !== 'pending' && status !== 'succeeded') break;
    round = status === before ? round + 1 : 0;
    const waits = status === 'pending' ? pendingWaits : succeededWaits;
    if (status === 'succeeded' && round >= waits.length) break;
    await condition(() => hints > known, waits[Math.min(round, waits.length - 1)] ?? day);
  }
  await webhooks.flushed();
  return { status };
}
