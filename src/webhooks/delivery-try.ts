import type { Keyring } from '../crypto/keyring.ts';
import { type Database, inTransaction } from '../db/server/database.ts';
import { type DeliveryStatus, type DeliveryToSend, recordAttempt } from '../db/webhooks/deliveries.ts';
import { recordEndpointHealth } from '../db/webhooks/endpoints.ts';
import type { DeliveryRef } from '../domain/event.ts';
import { deliveriesTotal } from '../metrics/series.ts';
import { signingSecrets } from './endpoint-secrets.ts';
import { eventEnvelope } from './envelope.ts';
import { nextTryInMs, parseRetryAfter } from './retry-schedule.ts';
import { sendUnderFault } from './sandbox-faults.ts';
import { type Send, type SendResult, isSuccess } from './sender.ts';
import { signedRequest } from './signing.ts';

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

/** The dependencies of a try. */
export interface TryDeps {
  database: Database;
  keyring: Keyring;
  send: Send;
  /** The wait before each try, in ms. */
  schedule: readonly number[];
  now: () => number;
  /** Returns a number in [0, 1), for the jitter of the next wait. */
  random: () => number;
}

/**
 * Makes a try of a delivery now, and records it with the endpoint's health. Returns the delivery's state
 * after it. Throws when the database does not answer; a try that was sent may then be missing from the rows.
 */
export async function tryDelivery(
  deps: TryDeps,
  ref: DeliveryRef,
  delivery: DeliveryToSend,
): Promise<DeliveryStep> {
  const startedAt = new Date(deps.now());
  const secrets = await signingSecrets(deps, ref.endpointId, startedAt);
  if (!secrets) {
    deliveriesTotal.inc({ result: 'canceled' });
    return { state: 'ended', status: 'canceled' };
  }
  const body = JSON.stringify(eventEnvelope(delivery.event));
  const message = { id: ref.eventId, body };
  const result = await sendUnderFault(deps.database, delivery.event, () =>
    deps.send(signedRequest(delivery.endpointUrl, message, secrets, startedAt)),
  );
  return record(deps, ref, delivery, startedAt, result);
}

/** Records a try with the endpoint's health. Returns the delivery's state after it. */
async function record(
  deps: TryDeps,
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
    const nowDisabled = await recordEndpointHealth(
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
  const isLast = waitMs === null || disabled;
  deliveriesTotal.inc({ result: success ? 'delivered' : isLast ? 'failed' : 'retried' });
  if (success) return { state: 'ended', status: 'delivered' };
  if (waitMs === null || disabled) return { state: 'ended', status: 'failed' };
  return {
    state: 'waiting',
    waitMs,
    tries,
    lastResult: statusCode === null ? result.error : String(statusCode),
  };
}

/** Returns why a try did not succeed, in one word; null for a success. */
function failureClass({ statusCode, error }: SendResult): string | null {
  if (statusCode === null) return error;
  if (isSuccess(statusCode)) return null;
  return statusCode >= 300 && statusCode <= 399 ? 'redirect' : 'status';
}
