import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tenant } from '../../db/payments/payments.ts';
import { Refusal } from '../../domain/refusals.ts';
import { rawQuery } from '../../http/request.ts';
import type { ConcurrencyLimit } from '../../operations/concurrency-limit.ts';
import type { StatusWatch } from '../../operations/payments/status-watch.ts';
import { integerParam } from '../http/query-params.ts';
import { maxWaitSeconds } from './checkout-schema.ts';

/** The most calls that wait at a time, in this process and for one merchant and environment. */
export const waitBounds = { all: 1_000, each: 100 };

/** Shortest pause between two reads of one call, in ms, whatever its deadlines are. */
const shortestMs = 100;

const seconds = integerParam(1, maxWaitSeconds);

/** What calls that wait for a change share. */
export interface Waiting {
  watch: StatusWatch;
  waitLimit: ConcurrencyLimit;
}

/**
 * Returns the seconds that a caller would wait; 0 for none. Other parameters are ignored. Refuses:
 * invalid_request (400).
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

/** What a call that waits knows of its payment. */
export interface Reading<Read> {
  read: Read;
  version: number;
  /** Until when a reading is right if nothing is stored, in epoch ms. */
  rightUntilMs: number;
}

/**
 * Returns the first reading that differs, or the latest one at `endMs`: earlier where too many calls wait,
 * the caller is gone or the process stops. Each reading is a short read; none holds a connection meanwhile.
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

/** Aborts when the caller has closed the connection. */
function whenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
