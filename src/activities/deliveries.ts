import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { Keyring } from '../crypto/keyring.ts';
import { type Database, inTransaction } from '../db/server/database.ts';
import {
  type DeliveryStatus,
  type DeliveryToSend,
  endDelivery,
  loadDelivery,
  recordAttempt,
  unstartedDeliveries,
} from '../db/webhooks/deliveries.ts';
import { noteEndpointHealth } from '../db/webhooks/endpoints.ts';
import type { DeliveryRef } from '../domain/event.ts';
import { signingSecrets } from '../webhooks/endpoint-secrets.ts';
import type { EndpointSlots } from '../webhooks/endpoint-slots.ts';
import { eventEnvelope } from '../webhooks/envelope.ts';
import { nextTryInMs, parseRetryAfter } from '../webhooks/retry-schedule.ts';
import { type Send, type SendResult, isSuccess } from '../webhooks/sender.ts';
import { signatureHeaders } from '../webhooks/signing.ts';
import type { DeliveryStarter } from '../webhooks/delivery-starter.ts';
import { sendUnderFault } from './webhook-faults.ts';

/** The state of a delivery after a try. */
export type DeliveryStep = { state: 'ended'; status: 'delivered' | 'failed' | 'canceled' } | WaitingDelivery;

export interface WaitingDelivery {
  state: 'waiting';
  waitMs: number;
  /** Tries of this round so far. */
  tries: number;
  /** The result of the last try, for operators; null before the first. */
  lastResult: string | null;
}

/** The activities that bring events to endpoints, as workflows see them. */
export interface DeliveryActivities {
  /** Starts the delivery workflows of a committed event. Repeating it changes nothing. */
  startDeliveries(input: { eventId: string }): Promise<void>;
  /**
   * Makes the try that is due, if any; `evenIfEarly`: now. Records it and returns when the next one is due.
   */
  attemptDelivery(input: DeliveryRef & { evenIfEarly: boolean }): Promise<DeliveryStep>;
  /** Ends a pending delivery without a try. */
  cancelDelivery(input: DeliveryRef): Promise<void>;
}

export interface DeliveryActivityDeps {
  database: Database;
  keyring: Keyring;
  starter: DeliveryStarter;
  send: Send;
  slots: EndpointSlots;
  /** The wait before each try, in ms. */
  schedule: readonly number[];
  now: () => number;
  /** In [0, 1). */
  random: () => number;
}

/**
 * Returns the delivery activities. They read bodies and secrets, so that no workflow history holds either.
 */
export function createDeliveryActivities(deps: DeliveryActivityDeps): DeliveryActivities {
  const { database, starter } = deps;
  return {
    startDeliveries: async ({ eventId }) => starter.startOnce(await unstartedDeliveries(database, eventId)),
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
  // Its event is past its retention.
  if (!delivery) return { state: 'ended', status: 'canceled' };
  if (delivery.status !== 'pending') return { state: 'ended', status: delivery.status };
  if (!delivery.endpointUsable) {
    await endDelivery(deps.database, ref, 'canceled', new Date(deps.now()));
    return { state: 'ended', status: 'canceled' };
  }
  const earlyMs = delivery.dueAt.getTime() - deps.now();
  if (earlyMs > 50 && !evenIfEarly) {
    return { state: 'waiting', waitMs: earlyMs, tries: delivery.tries, lastResult: null };
  }
  const taken = await deps.slots.run(ref.endpointId, () => sendAndRecord(deps, ref, delivery));
  if (!taken) throw endpointBusy();
  return taken.value;
}

async function sendAndRecord(
  deps: DeliveryActivityDeps,
  ref: DeliveryRef,
  delivery: DeliveryToSend,
): Promise<DeliveryStep> {
  const startedAt = new Date(deps.now());
  const secrets = await signingSecrets(deps, ref.endpointId, startedAt);
  if (!secrets) return { state: 'ended', status: 'canceled' };
  const body = JSON.stringify(eventEnvelope(delivery.event));
  const result = await sendUnderFault(deps.database, delivery.event, () =>
    deps.send({
      url: delivery.endpointUrl,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'card-payments-webhooks/1',
        ...signatureHeaders({ id: ref.eventId, body }, secrets, startedAt),
      },
      body,
    }),
  );
  return record(deps, ref, delivery, startedAt, result);
}

async function record(
  deps: DeliveryActivityDeps,
  ref: DeliveryRef,
  delivery: DeliveryToSend,
  startedAt: Date,
  result: SendResult,
): Promise<DeliveryStep> {
  const { statusCode } = result;
  const now = deps.now();
  const success = statusCode !== null && isSuccess(statusCode);
  const gone = statusCode === 410;
  const tries = delivery.tries + 1;
  const waitMs =
    success || gone
      ? null
      : nextTryInMs({
          schedule: deps.schedule,
          tries,
          retryAfterMs: parseRetryAfter(result.retryAfter, now),
          random: deps.random(),
        });
  const disabled = await inTransaction(deps.database, async (transaction) => {
    const nowDisabled = await noteEndpointHealth(
      transaction,
      ref.endpointId,
      success ? 'success' : gone ? 'gone' : 'failure',
      new Date(now),
    );
    const status: DeliveryStatus = success
      ? 'delivered'
      : waitMs === null || nowDisabled
        ? 'failed'
        : 'pending';
    await recordAttempt(
      transaction,
      ref,
      {
        attemptNo: delivery.attemptCount + 1,
        startedAt,
        durationMs: result.durationMs,
        statusCode,
        error: failureClass(result),
        excerpt: result.excerpt,
      },
      { status, dueAt: new Date(now + (waitMs ?? 0)), at: new Date(now) },
    );
    return nowDisabled;
  });
  if (success) return { state: 'ended', status: 'delivered' };
  if (waitMs === null || disabled) return { state: 'ended', status: 'failed' };
  return {
    state: 'waiting',
    waitMs,
    tries,
    lastResult: statusCode === null ? result.error : String(statusCode),
  };
}

/** Why a try was no success, in one word; null for a success. */
function failureClass({ statusCode, error }: SendResult): string | null {
  if (statusCode === null) return error;
  if (isSuccess(statusCode)) return null;
  return statusCode >= 300 && statusCode <= 399 ? 'redirect' : 'status';
}

/**
 * All slots of the endpoint are taken: Temporal offers the try again, later each time, and holds nothing for
 * it here.
 */
function endpointBusy(): ApplicationFailure {
  const { attempt } = Context.current().info;
  return ApplicationFailure.create({
    type: 'EndpointBusy',
    message: 'the endpoint has as many deliveries running as it may',
    nextRetryDelay: Math.min(30_000, 500 * 1.5 ** Math.min(attempt, 20)),
    category: ApplicationFailureCategory.BENIGN,
  });
}
