import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { findDispute, listDisputes } from '../../db/disputes/dispute-reads.ts';
import { findPayment } from '../../db/payments/payments.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { disputeStatuses, disputeView } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import { pathId, rawQuery } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';
import { oneOf } from '../http/fields.ts';
import { orRefuse } from '../http/input.ts';
import { parseListQuery } from '../http/list-query.ts';
import { utcDayParam, uuidParam } from '../http/query-params.ts';

/** GET /v1/disputes/{id}: 200 `{data: Dispute}` from stored state. Refuses: not_found (404). */
export const retrieve =
  ({ tenants }: { tenants: TenantReads }) =>
  async (request: FastifyRequest) => {
    const principal = principalOf(request);
    const id = pathId(request);
    const dispute = await tenants.read(principal, (database) => findDispute(database, principal, id));
    if (!dispute) throw new Refusal('not_found');
    return { data: disputeView(dispute) };
  };

const instantParam = z
  .string()
  .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})$/)
  .refine((value) => Number.isFinite(Date.parse(value)))
  .transform((value) => new Date(value));

/**
 * Filters of GET /v1/disputes beside dates and paging. `dueBefore`: a UTC day, which it excludes, or an
 * instant.
 */
const disputeFilters = z.object({
  status: oneOf(disputeStatuses).optional(),
  paymentId: uuidParam.optional(),
  dueBefore: z
    .union([utcDayParam, instantParam], { error: 'must be a date YYYY-MM-DD or an ISO 8601 instant' })
    .optional(),
});

/** `lists`: for the list itself; `tenants`: for the payment it is of. */
interface ListDeps {
  tenants: TenantReads;
  lists: TenantReads;
}

/**
 * GET /v1/disputes: 200 `{data: Dispute[], meta}`, newest first; with `dueBefore` the next deadline first.
 * Refuses: invalid_query (400).
 */
export const list = (deps: ListDeps) => (request: FastifyRequest) => answer(deps, request, null);

/**
 * GET /v1/payments/{id}/disputes: the same for one payment. Refuses: not_found (404), invalid_query (400).
 */
export const listOfPayment = (deps: ListDeps) => (request: FastifyRequest) =>
  answer(deps, request, pathId(request));

async function answer(deps: ListDeps, request: FastifyRequest, ofPayment: string | null) {
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
