import {
  ActivityCancellationType,
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { DeliveryActivities, DeliveryStep } from '../activities/deliveries.ts';
import type { DeliveryRef } from '../domain/event.ts';
import { deliverNowSignal } from '../temporal/contract/delivery.ts';

/**
 * Delivers one event to one endpoint: tries and waits in turn until the endpoint accepts the event, the
 * schedule ends or the endpoint is disabled. The rows hold the body, the secret and the count of tries, so a
 * lost run is simply started again. Cancel ends the delivery; the signal `deliverNow` makes the next try at
 * once.
 */
export async function deliverWebhookWorkflow(ref: DeliveryRef): Promise<{ status: string }> {
  const { attemptDelivery, cancelDelivery } = proxyActivities<DeliveryActivities>({
    // Longer than the 15 s that a try may take. A missing heartbeat reveals a dead worker sooner.
    startToCloseTimeout: '25 seconds',
    heartbeatTimeout: '3 seconds',
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    // For this service's own faults and busy endpoints. The tries that merchants see are counted in the rows.
    retry: { initialInterval: '250 milliseconds', maximumInterval: '30 seconds' },
  });
  let tryNow = false;
  setHandler(
    deliverNowSignal,
    () => {
      tryNow = true;
    },
    { description: 'Makes the next try now.' },
  );
  try {
    for (;;) {
      const evenIfEarly = tryNow;
      tryNow = false;
      const step = await attemptDelivery({ ...ref, evenIfEarly });
      setCurrentDetails(describe(step));
      // A redelivery may have been requested while the last try ran.
      if (step.state === 'ended' && !tryNow) return { status: step.status };
      if (step.state === 'waiting') await condition(() => tryNow, step.waitMs);
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => cancelDelivery(ref));
    return { status: 'canceled' };
  }
}

function describe(step: DeliveryStep): string {
  if (step.state === 'ended') return `**${step.status}**`;
  const seconds = Math.round(step.waitMs / 1000);
  return `**waiting** · ${step.tries} tries so far · last: ${step.lastResult ?? 'none'} · next in ${seconds} s`;
}
