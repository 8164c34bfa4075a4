import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { endDelivery, loadDelivery } from '../db/webhooks/deliveries.ts';
import type { DeliveryRef } from '../domain/event.ts';
import { deliveriesTotal } from '../metrics/series.ts';
import { type DeliveryStep, type TryDeps, tryDelivery } from '../webhooks/delivery-try.ts';
import type { WebhookDispatcher } from '../webhooks/dispatcher.ts';
import type { EndpointSlots } from '../webhooks/endpoint-slots.ts';

export type { DeliveryStep } from '../webhooks/delivery-try.ts';

/** Longest wait for the first try of another process before the row is read again, in ms. */
const leaseCheckMs = 1_000;

/**
 * A try that is due within this time, in ms, is made now: Temporal's timers run by another clock than `now`.
 */
const earlyToleranceMs = 50;

/** The activities that deliver events to endpoints, as workflows see them. */
export interface DeliveryActivities {
  /** Starts the deliveries of a committed event and does not wait for them. Repeating it changes nothing. */
  startDeliveries(input: { eventId: string }): Promise<void>;
  /**
   * Makes the try that is due, if any, or makes one now with `evenIfEarly`. Records it and returns when the
   * next one is due. Throws, to be repeated, while the endpoint has no free slot, and with `evenIfEarly`
   * while another process makes the first try.
   */
  attemptDelivery(input: DeliveryRef & { evenIfEarly: boolean }): Promise<DeliveryStep>;
  /** Ends a pending delivery without a try. */
  cancelDelivery(input: DeliveryRef): Promise<void>;
}

export interface DeliveryActivityDeps extends TryDeps {
  dispatcher: Pick<WebhookDispatcher, 'dispatch'>;
  slots: EndpointSlots;
}

/**
 * Returns the delivery activities. They read bodies and secrets, so that no workflow history holds either.
 */
export function createDeliveryActivities(deps: DeliveryActivityDeps): DeliveryActivities {
  const { database, dispatcher } = deps;
  return {
    startDeliveries: async ({ eventId }) => dispatcher.dispatch(eventId),
    attemptDelivery: ({ evenIfEarly, ...ref }) => attemptDelivery(deps, ref, evenIfEarly),
    cancelDelivery: (ref) => endDelivery(database, ref, 'canceled', new Date(deps.now())),
  };
}

async function attemptDelivery(
  deps: DeliveryActivityDeps,
  ref: DeliveryRef,
  evenIfEarly: boolean,
): Promise<DeliveryStep> {
  const delivery = await loadDelivery(deps.database, ref);
  // The event was deleted after its retention.
  if (!delivery) return { state: 'ended', status: 'canceled' };
  if (delivery.status !== 'pending') return { state: 'ended', status: delivery.status };
  if (!delivery.endpointUsable) {
    await endDelivery(deps.database, ref, 'canceled', new Date(deps.now()));
    deliveriesTotal.inc({ result: 'canceled' });
    return { state: 'ended', status: 'canceled' };
  }
  if (delivery.leasedForMs > 0) {
    // Another process makes the first try now, which this one must not repeat beside it.
    const waitMs = Math.min(delivery.leasedForMs, leaseCheckMs);
    if (evenIfEarly) throw firstTryInProgress(ref, waitMs);
    return { state: 'waiting', waitMs, tries: delivery.tries, lastResult: null };
  }
  const earlyMs = delivery.dueAt.getTime() - deps.now();
  if (earlyMs > earlyToleranceMs && !evenIfEarly) {
    return { state: 'waiting', waitMs: earlyMs, tries: delivery.tries, lastResult: null };
  }
  const taken = await deps.slots.run(ref.endpointId, () => tryDelivery(deps, ref, delivery));
  if (!taken) throw endpointBusy(ref);
  return taken.value;
}

/** Returns the failure that makes Temporal repeat an immediate try until the first try is over. */
function firstTryInProgress({ eventId, endpointId }: DeliveryRef, waitMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'FirstTryUnderWay',
    message: `another process makes the first try of event ${eventId} at endpoint ${endpointId}`,
    // Temporal takes whole ms; the rest of a lease may be a fraction.
    nextRetryDelay: Math.ceil(waitMs),
    category: ApplicationFailureCategory.BENIGN,
  });
}

/**
 * Returns the failure for an endpoint without a free slot. Temporal repeats the try, later each time, and
 * nothing is held for it in this process.
 */
function endpointBusy({ endpointId }: DeliveryRef): ApplicationFailure {
  const { attempt } = Context.current().info;
  return ApplicationFailure.create({
    type: 'EndpointBusy',
    message: `endpoint ${endpointId} has the maximum number of running deliveries`,
    nextRetryDelay: Math.min(30_000, 500 * 1.5 ** Math.min(attempt, 20)),
    category: ApplicationFailureCategory.BENIGN,
  });
}
