import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { findPayment } from '../../db/payments/payments.ts';
import { findRefund, listRefunds } from '../../db/refunds/refund-reads.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { refundStatuses, refundView } from '../../domain/refund.ts';
import { Refusal } from '../../domain/refusals.ts';
import { pathId, rawQuery } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';
import { oneOf } from '../http/fields.ts';
import { orRefuse } from '../http/input.ts';
import { parseListQuery } from '../http/list-query.ts';
import { uuidParam } from '../http/query-params.ts';

/** GET /v1/refunds/{id}: 200 `{data: Refund}` from stored state. Refuses: not_found (404). */
export const retrieve =
  ({ tenants }: { tenants: TenantReads }) =>
  async (request: FastifyRequest) => {
    const principal = principalOf(request);
    const id = pathId(request);
    const refund = await tenants.read(principal, (database) => findRefund(database, principal, id));
    if (!refund) throw new Refusal('not_found');
    return { data: refundView(refund) };
  };

/** Filters of GET /v1/refunds beside dates and paging. */
const refundFilters = z.object({
  status: oneOf(refundStatuses).optional(),
  paymentId: uuidParam.optional(),
});

/** `lists` reads the list itself; `tenants` reads the payment it belongs to. */
interface ListDeps {
  tenants: TenantReads;
  lists: TenantReads;
}

/** GET /v1/refunds: 200 `{data: Refund[], meta}`, newest first. Refuses: invalid_query (400). */
export const list = (deps: ListDeps) => (request: FastifyRequest) => answer(deps, request, null);

/**
 * GET /v1/payments/{id}/refunds: the same list for one payment. Refuses: not_found (404), invalid_query
 * (400).
 */
export const listOfPayment = (deps: ListDeps) => (request: FastifyRequest) =>
  answer(deps, request, pathId(request));

async function answer(deps: ListDeps, request: FastifyRequest, ofPayment: string | null) {
  const parsed = orRefuse(parseListQuery(rawQuery(request), refundFilters), 'invalid_query');
  const principal = principalOf(request);
  const { status, paymentId, from, to, page, perPage } = parsed.query;
  if (ofPayment !== null) {
    const payment = await deps.tenants.read(principal, (database) =>
      findPayment(database, principal, ofPayment),
    );
    if (!payment) throw new Refusal('not_found');
  }
  if (ofPayment !== null && paymentId !== undefined && paymentId !== ofPayment) {
    return { data: [], meta: { page, perPage, total: 0 } };
  }
  const filter = {
    status: status ?? null,
    paymentId: ofPayment ?? paymentId ?? null,
    from: from ?? null,
    until: to ?? null,
    page,
    perPage,
  };
  const { refunds, total } = await deps.lists.read(principal, (database) =>
    listRefunds(database, principal, filter),
  );
  return { data: refunds.map(refundView), meta: { page, perPage, total } };
}
