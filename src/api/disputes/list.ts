import type { FastifyRequest } from 'fastify';
import { listDisputes } from '../../db/disputes/dispute-reads.ts';
import { findPayment } from '../../db/payments/payments.ts';
import { disputeView } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { disputeFilters } from './bodies.ts';
import { parseListQuery } from '../http/list-query.ts';
import { pathId, rawQuery } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';
import { orRefuse } from '../http/input.ts';

/**
 * GET /v1/disputes: 200 `{data: Dispute[], meta}`, newest first; with `dueBefore` the next deadline first.
 * Refuses: invalid_query (400).
 */
export const list = (deps: ApiDeps) => (request: FastifyRequest) => answer(deps, request, null);

/**
 * GET /v1/payments/{id}/disputes: the same for one payment. Refuses: not_found (404), invalid_query (400).
 */
export const listOfPayment = (deps: ApiDeps) => (request: FastifyRequest) =>
  answer(deps, request, pathId(request));

async function answer(deps: ApiDeps, request: FastifyRequest, ofPayment: string | null) {
  const parsed = orRefuse(parseListQuery(rawQuery(request), disputeFilters), 'invalid_query');
  const principal = principalOf(request);
  const { status, paymentId, dueBefore, from, to, page, perPage } = parsed.query;
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
    dueBefore: dueBefore ?? null,
    from: from ?? null,
    until: to ?? null,
    page,
    perPage,
  };
  const { disputes, total } = await deps.lists.read(principal, (database) =>
    listDisputes(database, principal, filter),
  );
  return { data: disputes.map(disputeView), meta: { page, perPage, total } };
}
