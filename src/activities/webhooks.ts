import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { Keyring } from '../crypto/keyring.ts';
import { type Database, inTransaction } from '../db/database.ts';
import {
  type DeliveryRef,
  type DeliveryStatus,
  type DeliveryToSend,
  type StartableDelivery,
  abandonedDeliveries,
  loadDelivery,
  nextReplayEvents,
  noteStarted,
  recordAttempt,
  renewDeliveries,
  settleDelivery,
  unstartedDeliveries,
} from '../db/deliveries.ts';
import { removeOldEvents } from '../db/events.ts';
import { noteEndpointHealth, wipePreviousSecrets } from '../db/webhooks.ts';
import type { DeliveryWorkflows } from '../temporal/clients/deliveries.ts';
import { signingSecrets } from '../webhooks/endpoint-secrets.ts';
import type { EndpointSlots } from '../webhooks/endpoint-slots.ts';
import { eventEnvelope } from '../webhooks/envelope.ts';
import { nextTryInMs, parseRetryAfter } from '../webhooks/retry-schedule.ts';
import { type Send, type SendResult, isSuccess } from '../webhooks/sender.ts';
import { signatureHeaders } from '../webhooks/signing.ts';
import type { FaultLog } from './fault-log.ts';
import { withHeartbeat } from './heartbeat.ts';
import { sendUnderFault } from './webhook-faults.ts';
import type { DeliveryStep, WebhookActivities } from './webhook-types.ts';

const sweepPage = 200;
const replayPageSize = 50;
const removedPerSweep = 500;
/** Starts asked of the server at a time. */
const startsAtOnce = 8;

export interface WebhookActivityDeps {
  database: Database;
  keyring: Keyring;
  workflows: DeliveryWorkflows;
  send: Send;
  slots: EndpointSlots;
  /** The wait before each try, in ms. */
  schedule: readonly number[];
  now: () => number;
  /** In [0, 1). */
  random: () => number;
  logFault: FaultLog;
}

/** Deliveries: everything that reads bodies and secrets, so that neither ever enters a workflow's history. */
export function createWebhookActivities(deps: WebhookActivityDeps): WebhookActivities {
  const { database, workflows } = deps;
  const instant = (): Date => new Date(deps.now());

  const startAll = async (
    deliveries: StartableDelivery[],
    start: 'once' | 'again' | 'now',
  ): Promise<void> => {
    const waiting = [...deliveries];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        await (start === 'now' ? workflows.hurry(next) : workflows.start(next, start === 'again'));
        await noteStarted(database, next, instant());
      }
    };
    await Promise.all(Array.from({ length: startsAtOnce }, work));
  };

  return {
    startDeliveries: ({ eventId }) =>
      telling(deps, 'startDeliveries', eventId, async () =>
        startAll(await unstartedDeliveries(database, eventId), 'once'),
      ),

    attemptDelivery: ({ evenIfEarly, ...ref }) =>
      telling(deps, 'attemptDelivery', ref.eventId, () =>
        withHeartbeat(() => attemptDelivery(deps, ref, evenIfEarly)),
      ),

    cancelDelivery: (ref) =>
      telling(deps, 'cancelDelivery', ref.eventId, () =>
        settleDelivery(database, ref, 'canceled', instant()),
      ),

    sweepDeliveries: () =>
      telling(deps, 'sweepDeliveries', 'all', () =>
        withHeartbeat(async () => {
          const abandoned = await abandonedDeliveries(database, instant(), sweepPage);
          await startAll(abandoned, 'again');
          await wipePreviousSecrets(database, instant());
          const removed = await removeOldEvents(database, instant(), removedPerSweep);
          return { more: abandoned.length === sweepPage || removed === removedPerSweep };
        }),
      ),

    replayPage: ({ sinceMs, untilMs, afterPosition, ...range }) =>
      telling(deps, 'replayPage', range.endpointId, () =>
        withHeartbeat(async () => {
          const found = await nextReplayEvents(
            database,
            { ...range, since: new Date(sinceMs), until: new Date(untilMs) },
            afterPosition,
            replayPageSize,
          );
          for (const { eventId } of found) {
            await startAll(await renewDeliveries(database, eventId, range.endpointId, instant()), 'now');
          }
          const last = found.length === replayPageSize ? found.at(-1) : undefined;
          return { next: last?.position ?? null, sent: found.length };
        }),
      ),
  };
}

async function attemptDelivery(
  deps: WebhookActivityDeps,
  ref: DeliveryRef,
  evenIfEarly: boolean,
): Promise<DeliveryStep> {
  const delivery = await loadDelivery(deps.database, ref);
  // Its event is past its retention.
  if (!delivery) return { state: 'settled', status: 'canceled' };
  if (delivery.status !== 'pending') return { state: 'settled', status: delivery.status };
  if (!delivery.endpointUsable) {
    await settleDelivery(deps.database, ref, 'canceled', new Date(deps.now()));
    return { state: 'settled', status: 'canceled' };
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
  deps: WebhookActivityDeps,
  ref: DeliveryRef,
  delivery: DeliveryToSend,
): Promise<DeliveryStep> {
  const startedAt = new Date(deps.now());
  const secrets = await signingSecrets(deps, ref.endpointId, startedAt);
  if (!secrets) return { state: 'settled', status: 'canceled' };
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
  deps: WebhookActivityDeps,
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
  if (success) return { state: 'settled', status: 'delivered' };
  if (waitMs === null || disabled) return { state: 'settled', status: 'failed' };
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

/** All slots of the endpoint are taken: Temporal offers the try again, later each time, and holds nothing for it here. */
function endpointBusy(): ApplicationFailure {
  const { attempt } = Context.current().info;
  return ApplicationFailure.create({
    type: 'EndpointBusy',
    message: 'the endpoint has as many deliveries running as it may',
    nextRetryDelay: Math.min(30_000, 500 * 1.5 ** Math.min(attempt, 20)),
    category: ApplicationFailureCategory.BENIGN,
  });
}

/** Tells operators of faults; what Temporal does with them is its retry policy's business. */
async function telling<T>(
  deps: WebhookActivityDeps,
  activity: string,
  subject: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) deps.logFault(activity, subject, error);
    throw error;
  }
}
