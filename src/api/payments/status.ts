import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Keyring } from '../../crypto/keyring.ts';
import type { CheckoutRecord } from '../../db/payments/checkouts.ts';
import type { Queryable } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { pathId } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';
import type { StatusObject } from './checkout-schema.ts';
import {
  type CheckoutNow,
  type CheckoutStateDeps,
  readCheckout,
  statusObject,
} from '../../operations/payments/checkout-view.ts';
import { findCustomCheckout } from '../../operations/payments/make-attempt.ts';
import { type Reading, type Waiting, waitForChange, waitSecondsOf } from './waiting.ts';

const isFinal = ({ status }: CheckoutNow): boolean => status === 'paid' || status === 'expired';

/**
 * GET /v1/payments/{id}/status: 200 `{data: StatusObject}`, the durable checkout state. With `waitSeconds`
 * the answer comes when the status has changed since the call, or after that time. It comes at once if the
 * status is final or too many calls wait already. Refuses: invalid_request (400), not_found (404).
 */
export const status =
  (
    deps: CheckoutStateDeps & { database: Queryable; keyring: Keyring; tenants: TenantReads },
    waiting: Waiting,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<{ data: StatusObject }> => {
    const id = pathId(request);
    const endMs = deps.now() + waitSecondsOf(request) * 1_000;
    const tenant = principalOf(request);
    const again = async (): Promise<Reading<{ checkout: CheckoutRecord; shown: CheckoutNow }>> => {
      const checkout = await findCustomCheckout(deps.tenants, tenant, id);
      const shown = await readCheckout(deps, checkout);
      // A passed deadline changes the status, but no row is written at that instant.
      return { read: { checkout, shown }, version: checkout.version, rightUntilMs: shown.expiresAtMs };
    };
    const first = await again();
    const { checkout, shown } = isFinal(first.read.shown)
      ? first.read
      : await waitForChange({ ...waiting, now: deps.now }, reply, { tenant, id, endMs }, first, {
          again,
          isSame: (read) => read.shown.status === first.read.shown.status,
        });
    return { data: await statusObject(deps, checkout, shown) };
  };
