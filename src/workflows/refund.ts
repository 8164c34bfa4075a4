import {
  condition,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { RefundActivities } from '../activities/refunds.ts';
import type { RefundStatus } from '../domain/refund.ts';
import { type RefundWorkflowInput, refundChangedSignal } from '../temporal/contract/refund.ts';
import { paymentStatusKey } from '../temporal/contract/search-attribute-keys.ts';
import { withOperatorAlert } from './operator-alert.ts';
import { providerRetryOptions } from './provider-activities.ts';
import { createWebhookDispatcher } from './webhook-dispatch.ts';

/** The wait of a pending refund without a scheduled query, in ms. */
const longestWaitMs = 3_600_000;

/**
 * Advances one refund to its end: waits while it may be canceled, submits it, and queries the network until
 * the network has decided. A refund that is returned after its success is found by the sweep or reported by a
 * callback. The rows hold the refund's state. docs/refunds-and-disputes.md.
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
  for (;;) {
    const seen = hints;
    const followed = await withOperatorAlert(() => followRefund({ refundId: input.refundId }));
    const { status, paymentStatus, nextLookInMs } = followed;
    setCurrentDetails(`**${status}**`);
    if (paymentStatus) upsertSearchAttributes([{ key: paymentStatusKey, value: paymentStatus }]);
    if (status === 'pending') {
      await condition(() => hints > seen, nextLookInMs ?? longestWaitMs);
      continue;
    }
    await webhooks.flushed();
    // A hint that arrived meanwhile is processed, not lost.
    if (hints === seen) return { status };
  }
}
