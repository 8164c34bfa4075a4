import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tenant } from '../../db/payments/payments.ts';
import { Refusal } from '../../domain/refusals.ts';
import { rawQuery } from '../../http/request.ts';
import type { ConcurrencyLimit } from '../../operations/concurrency-limit.ts';
import type { StatusWatch } from '../../operations/payments/status-watch.ts';
import { integerParam } from '../http/query-params.ts';
import { maxWaitSeconds } from './checkout-schema.ts';

/**
 * The maximum number of calls that wait at a time: in this process (`all`), and for one merchant and
 * environment (`each`).
 */
export const waitBounds = { all: 1_000, each: 100 };

/** Shortest time limit of one wait for a change, in ms, even if a deadline is nearer. */
const shortestMs = 100;

const seconds = integerParam(1, maxWaitSeconds);

/** The state that all calls waiting for a change share. */
export interface Waiting {
  watch: StatusWatch;
  waitLimit: ConcurrencyLimit;
}

/**
 * Returns how many seconds the caller is willing to wait; 0 if it does not wait. Other parameters are
 * ignored. Refuses: invalid_request (400).
 */
export function waitSecondsOf(request: FastifyRequest): number {
  const given = new URLSearchParams(rawQuery(request)).getAll('waitSeconds');
  const [text] = given;
  if (text === undefined) return 0;
  const parsed = seconds.safeParse(text);
  if (given.length > 1 || !parsed.success) {
    throw new Refusal('invalid_request', {
      field: 'waitSeconds',
      message: `waitSeconds must be an integer from 1 to ${maxWaitSeconds}`,
    });
  }
  return parsed.data;
}

/** One reading of the payment for a call that waits. */
export interface Reading<Read> {
  read: Read;
  version: number;
  /** The time, in epoch ms, until which the reading stays right if nothing is stored. */
  rightUntilMs: number;
}

/**
 * Returns the first reading that differs, or the latest one at `endMs`. Returns earlier if too many calls
 * wait, the caller disconnects or the process stops. Each reading is a short read; no connection is held in
 * between.
 */
export async function waitForChange<Read>(
  { watch, waitLimit, now }: Waiting & { now: () => number },
  reply: FastifyReply,
  wait: { tenant: Tenant; id: string; endMs: number },
  first: Reading<Read>,
  { again, isSame }: { again: () => Promise<Reading<Read>>; isSame: (read: Read) => boolean },
): Promise<Read> {
  const { tenant, id, endMs } = wait;
  const leave = endMs > now() ? waitLimit.take(`${tenant.environment}:${tenant.merchantId}`) : null;
  let latest = first;
  if (leave === null) return latest.read;
  const gone = whenGone(reply);
  try {
    while (isSame(latest.read) && now() < endMs && !watch.stopped && !gone.aborted) {
      const withinMs = Math.min(endMs, latest.rightUntilMs) - now();
      await watch.changed(id, latest.version, Math.max(shortestMs, withinMs), gone);
      if (watch.stopped || gone.aborted) break;
      latest = await again();
    }
  } finally {
    leave();
  }
  return latest.read;
}

/** Returns a signal that aborts when the caller has closed the connection. */
function whenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
