import { Stripe } from 'stripe';
import { type Agent, fetch } from 'undici';
import { createConnectionPool } from '../connection-pool.ts';
import { wasNeverSent } from '../http.ts';
import { ProviderUnavailable } from '../ports.ts';

/** The version of Stripe's API whose formats are read here. A new one needs a release of the connector. */
export const stripeApiVersion = '2026-10-28.endive';

/** The largest answer that is read from Stripe, in bytes. */
const maxAnswerBytes = 4 * 1024 * 1024;

/** Longest wait for an answer of each kind of call, in ms. A confirmation waits for the issuer. */
export const stripeTimeoutsMs = { confirm: 8_000, other: 5_000 } as const;

/**
 * Returns the connections to Stripe, shared by all connectors of a process; `close` waits for running calls.
 */
export const createStripeAgent = (): Agent =>
  createConnectionPool({ connectTimeoutMs: 2_000, maxAnswerBytes });

/**
 * Returns the SDK's client without its own retries, because the caller decides what an unknown outcome means.
 * With Node's own HTTP client it would still repeat a request when a connection breaks. With `fetch` it does
 * not, and every call that moves money has a key of its own in any case.
 */
export function createStripe(options: { secretKey: string; apiBase: string | null; agent: Agent }): Stripe {
  const { secretKey, apiBase, agent } = options;
  const base = apiBase === null ? null : new URL(apiBase);
  const protocol = base?.protocol === 'http:' ? 'http' : 'https';
  const send = (url: unknown, init: unknown): Promise<unknown> =>
    fetch(url as string, { ...(init as object), dispatcher: agent, redirect: 'error' });
  return new Stripe(secretKey, {
    apiVersion: stripeApiVersion,
    httpClient: Stripe.createFetchHttpClient(send as never),
    maxNetworkRetries: 0,
    timeout: stripeTimeoutsMs.other,
    telemetry: false,
    ...(base === null
      ? {}
      : { host: base.hostname, port: base.port || (protocol === 'http' ? 80 : 443), protocol }),
  });
}

/**
 * Returns the error of a failed call without a definite answer. It holds type, code and status only, because
 * Stripe's own texts may quote keys and customers' input.
 */
export function unavailable(error: unknown): ProviderUnavailable {
  if (error instanceof ProviderUnavailable) return error;
  if (error instanceof Stripe.errors.StripeConnectionError) {
    const cause = (error.detail as { cause?: unknown } | undefined)?.cause;
    return new ProviderUnavailable('network', !wasNeverSent(cause), 'no answer');
  }
  if (error instanceof Stripe.errors.StripeError) {
    const parts = [error.type, error.code, error.statusCode].filter((part) => part !== undefined);
    const failure = new ProviderUnavailable('network', true, parts.join(' '));
    failure.retryAfterMs = retryAfterMs(error.headers);
    failure.keyReused = error instanceof Stripe.errors.StripeIdempotencyError;
    return failure;
  }
  return new ProviderUnavailable('network', true, 'the answer does not match the protocol');
}

/** Returns the wait that Stripe asks for, in ms, at most a minute; undefined when it asks for none. */
function retryAfterMs(headers: Record<string, string> | undefined): number | undefined {
  const seconds = Number(headers?.['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 60) * 1000 : undefined;
}

/** Makes a call. Throws every failure as `ProviderUnavailable`, except those that `known` handles. */
export async function orUnavailable<T>(
  call: Promise<T>,
  known?: (error: unknown) => T | undefined,
): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const answer = known?.(error);
    if (answer !== undefined) return answer;
    throw unavailable(error);
  }
}

/** Returns whether Stripe answers that the object's state does not allow the call. */
export const isUnexpectedState = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError &&
  error.code === 'payment_intent_unexpected_state';

/** Returns whether Stripe has no such object. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing';
