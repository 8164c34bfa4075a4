import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Queryable } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { integerParam } from '../http/query-params.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ConcurrencyLimit } from '../../operations/concurrency-limit.ts';
import { pathId, rawQuery } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';
import { type StatusObject, maxWaitSeconds } from './checkout-schema.ts';
import {
  type CheckoutNow,
  type CheckoutStateDeps,
  readCheckout,
  statusObject,
} from '../../operations/payments/checkout-view.ts';
import { findCustomCheckout } from '../../operations/payments/make-attempt.ts';
import type { StatusWatch } from '../../operations/payments/status-watch.ts';

/** The most calls that wait at a time, in this process and for one merchant and environment. */
export const waitBounds = { all: 1_000, each: 100 };

/** Shortest pause between two reads of one call, in ms, whatever its deadlines are. */
const shortestMs = 100;

const seconds = integerParam(1, maxWaitSeconds);

/**
 * Returns the seconds that a caller would wait; 0 for none. Other parameters are ignored. Refuses:
 * invalid_request (400).
 */
function waitSecondsOf(request: FastifyRequest): number {
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

const isFinal = ({ status }: CheckoutNow): boolean => status === 'paid' || status === 'expired';

/**
 * GET /v1/payments/{id}/status: 200 `{data: StatusObject}`, the durable checkout state. With `waitSeconds` it
 * is answered when the status differs from that at the call, or after that time; at once where it is final or
 * too many calls wait already.
 */
export const status =
  (
    deps: CheckoutStateDeps & { database: Queryable; keyring: Keyring; tenants: TenantReads },
    { watch, waitLimit }: { watch: StatusWatch; waitLimit: ConcurrencyLimit },
  ) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<{ data: StatusObject }> => {
    const id = pathId(request);
    const endMs = deps.now() + waitSecondsOf(request) * 1_000;
    const principal = principalOf(request);
    let checkout = await findCustomCheckout(deps.tenants, principal, id);
    let shown = await readCheckout(deps, checkout);
    const first = shown.status;
    const leave =
      endMs > deps.now() && !isFinal(shown)
        ? waitLimit.take(`${principal.environment}:${principal.merchantId}`)
        : null;
    if (leave !== null) {
      const gone = whenGone(reply);
      try {
        while (shown.status === first && deps.now() < endMs && !watch.stopped && !gone.aborted) {
          // A deadline that passes changes the status, but is not stored at that instant.
          const withinMs = Math.min(endMs, shown.expiresAtMs) - deps.now();
          await watch.changed(id, checkout.version, Math.max(shortestMs, withinMs), gone);
          if (watch.stopped || gone.aborted) break;
          checkout = await findCustomCheckout(deps.tenants, principal, id);
          shown = await readCheckout(deps, checkout);
        }
      } finally {
        leave();
      }
    }
    return { data: await statusObject(deps, checkout, shown) };
  };

/** Aborts when the caller has closed the connection. */
function whenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
