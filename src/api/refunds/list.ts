import type { FastifyRequest } from 'fastify';
import { findPayment } from '../../db/payments/payments.ts';
import { listRefunds } from '../../db/refunds/refund-reads.ts';
import { refundView } from '../../domain/refund.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { parseListQuery } from '../http/list-query.ts';
import { refundFilters } from './bodies.ts';
import { pathId, rawQuery } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';
import { orRefuse } from '../http/input.ts';

/** GET /v1/refunds: 200 `{data: Refund[], meta}`, newest first. Refuses: invalid_query (400). */
export const list = (deps: ApiDeps) => (request: FastifyRequest) => answer(deps, request, null);

/** GET /v1/payments/{id}/refunds: the same for one payment. Refuses: not_found (404), invalid_query (400). */
export const listOfPayment = (deps: ApiDeps) => (request: FastifyRequest) =>
  answer(deps, request, pathId(request));

async function answer(deps: ApiDeps, request: FastifyRequest, ofPayment: string | null) {
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
