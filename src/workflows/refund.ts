import {
  condition,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { RefundActivities } from '../activities/refunds.ts';
import type { RefundStatus } from '../domain/refund.ts';
import { type RefundNews, type RefundWorkflowInput, refundNews } from '../temporal/contract/after-payment.ts';
import { createAnnouncer } from './webhook-dispatch.ts';
import { withAttention } from './operator-alert.ts';
import { followUpOptions } from './follow-up-options.ts';

/** The network may have news of the refund, or it is to be submitted at once. Only a hint: the network is read again. */
const refundNewsSignal = defineSignal<[RefundNews]>(refundNews);

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Waits between looks at a refund the network has not decided; the last one repeats. In ms. */
const pendingWaits = [3 * second, 10 * second, 30 * second, 2 * minute, 10 * minute, hour, 6 * hour, day];
/** Waits between looks at a refund that succeeded: it may still come back, and a callback may be lost. In ms. */
const succeededWaits = [10 * second, minute, 10 * minute, hour, day, 7 * day, 30 * day];

/**
 * The life of one refund: waits while it may be canceled, submits it, follows it until it has failed, was canceled, or
 * stood for weeks. The rows decide what it is; this only brings it forward. Contracts section 6.
 */
export async function refundWorkflow(input: RefundWorkflowInput): Promise<{ status: RefundStatus }> {
  const { followRefund } = proxyActivities<RefundActivities>(followUpOptions(workflowInfo().taskQueue));
  const announcer = createAnnouncer(workflowInfo().taskQueue);
  const announceAll = (eventIds: string[]): void =>
    eventIds.forEach((eventId) => announcer.announce(eventId));
  let news = 0;
  let submitNow = false;
  setHandler(
    refundNewsSignal,
    (hint) => {
      news += 1;
      submitNow ||= hint.submitNow;
      announceAll(hint.eventIds);
    },
    { description: 'The network has news of the refund; it is read again.' },
  );

  announceAll(input.eventIds);
  const cancelableMs = input.submitAtMs - Date.now();
  if (cancelableMs > 0) {
    setCurrentDetails(`Waits until ${new Date(input.submitAtMs).toISOString()}: may be canceled`);
    await condition(() => submitNow, cancelableMs);
  }
  let status: RefundStatus = 'pending';
  let round = 0;
  for (;;) {
    const known = news;
    const before: RefundStatus = status;
    const followed = await withAttention(() => followRefund({ refundId: input.refundId }));
    status = followed.status;
    announceAll(followed.eventIds);
    setCurrentDetails(`**${status}**`);
    if (status !== 'pending' && status !== 'succeeded') break;
    round = status === before ? round + 1 : 0;
    const waits = status === 'pending' ? pendingWaits : succeededWaits;
    if (status === 'succeeded' && round >= waits.length) break;
    await condition(() => news > known, waits[Math.min(round, waits.length - 1)] ?? day);
  }
  await announcer.handedOver();
  return { status };
}
