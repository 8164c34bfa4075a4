import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Keyring } from '../../crypto/keyring.ts';
import { currentVersions } from '../../db/payments/payment-history.ts';
import { findPayment, listPayments } from '../../db/payments/payments.ts';
import type { Queryable } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { checkoutIsUsable, type PaymentRecord } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import { pathId, rawQuery } from '../../http/request.ts';
import { readPayment } from '../../operations/payments/payment-reads.ts';
import { principalOf } from '../http/admission.ts';
import { orRefuse } from '../http/input.ts';
import { parseListQuery } from '../http/list-query.ts';
import { type Waiting, waitForChange, waitSecondsOf } from './waiting.ts';

/** Returns the facts whose change ends a caller's wait. */
const lifeOf = ({ status, refundedCents, checkoutStatus }: PaymentRecord): string =>
  [status, refundedCents, checkoutIsUsable({ checkoutStatus })].join(' ');

/**
 * GET /v1/payments/{id}: 200 `{data: Payment}` from stored state. With `waitSeconds` the answer comes when
 * the payment's status, its refunds or whether it can still be paid have changed since the call, or after
 * that time. It comes at once if too many calls wait already. Refuses: invalid_request (400),
 * not_found (404).
 */
export const retrieve =
  (
    deps: { tenants: TenantReads; database: Queryable; keyring: Keyring; now: () => number },
    waiting: Waiting,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const id = pathId(request);
    const waitSeconds = waitSecondsOf(request);
    const tenant = principalOf(request);
    const read = async (): Promise<PaymentRecord> => {
      const payment = await deps.tenants.read(tenant, (database) => findPayment(database, tenant, id));
      if (!payment) throw new Refusal('not_found');
      return payment;
    };
    const payment = await read();
    if (waitSeconds === 0) return { data: readPayment(deps.keyring, payment) };
    const endMs = deps.now() + waitSeconds * 1_000;
    const again = async () => {
      // Read before the payment, so that no change between the two reads is missed.
      const [current] = await currentVersions(deps.database, [id]);
      return { read: await read(), version: current?.version ?? 0, rightUntilMs: endMs };
    };
    const changed = await waitForChange(
      { ...waiting, now: deps.now },
      reply,
      { tenant, id, endMs },
      await again(),
      {
        again,
        isSame: (latest) => lifeOf(latest) === lifeOf(payment),
      },
    );
    return { data: readPayment(deps.keyring, changed) };
  };

/** GET /v1/payments: 200 `{data: Payment[], meta}`, newest first. Refuses: invalid_query (400). */
export const list =
  ({ lists, keyring }: { lists: TenantReads; keyring: Keyring }) =>
  async (request: FastifyRequest) => {
    const parsed = orRefuse(parseListQuery(rawQuery(request)), 'invalid_query');
    const { status, from, to, page, perPage } = parsed.query;
    const principal = principalOf(request);
    const filter = { status: status ?? null, from: from ?? null, until: to ?? null, page, perPage };
    const { payments, total } = await lists.read(principal, (database) =>
      listPayments(database, principal, filter),
    );
    return {
      data: payments.map((payment) => readPayment(keyring, payment)),
      meta: { page, perPage, total },
    };
  };
