import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Keyring } from '../../crypto/keyring.ts';
import { findDispute, listDisputes, listDisputesByDeadline } from '../../db/disputes/dispute-reads.ts';
import { findPayment } from '../../db/payments/payments.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { disputeStatuses, disputeView } from '../../domain/dispute.ts';
import { Refusal } from '../../domain/refusals.ts';
import { pathId, rawQuery } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';
import { oneOf } from '../http/fields.ts';
import { orRefuse } from '../http/input.ts';
import { disputesByDeadline, sealCursor } from '../../operations/list-cursor.ts';
import { readCursor } from '../http/cursor.ts';
import { cursorParams, defaultPerPage, parseListQuery } from '../http/list-query.ts';
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
 * Parameters of GET /v1/disputes beside dates and pages. `dueBefore` is exclusive: a UTC day or an instant.
 * `limit` and `cursor` are allowed only with `dueBefore`.
 */
const disputeParams = z.object({
  status: oneOf(disputeStatuses).optional(),
  paymentId: uuidParam.optional(),
  dueBefore: z
    .union([utcDayParam, instantParam], { error: 'must be a date YYYY-MM-DD or an ISO 8601 instant' })
    .optional(),
  ...cursorParams,
});

/** `lists` reads the list itself; `tenants` reads the payment it belongs to. */
interface ListDeps {
  tenants: TenantReads;
  lists: TenantReads;
  keyring: Keyring;
}

/**
 * GET /v1/disputes: 200 `{data: Dispute[], meta}`, newest first, in pages; with `dueBefore` ordered by
 * deadline, earliest first, by cursor. Refuses: invalid_query (400).
 */
export const list = (deps: ListDeps) => (request: FastifyRequest) => answer(deps, request, null);

/**
 * GET /v1/payments/{id}/disputes: the same list for one payment. Refuses: not_found (404), invalid_query
 * (400).
 */
export const listOfPayment = (deps: ListDeps) => (request: FastifyRequest) =>
  answer(deps, request, pathId(request));

const pageNames = ['page', 'perPage'] as const;
const cursorNames = ['limit', 'cursor'] as const;

/** Refuses parameters that belong to the other kind of paging: invalid_query (400). */
function refuseOtherPaging(search: string, byDeadline: boolean): void {
  const given = new URLSearchParams(search);
  const field = (byDeadline ? pageNames : cursorNames).find((name) => given.has(name));
  if (field === undefined) return;
  const message = byDeadline
    ? `${field} is not taken beside dueBefore: that list is read by limit and cursor`
    : `${field} is taken beside dueBefore only: this list is read by page and perPage`;
  throw new Refusal('invalid_query', { field, message });
}

async function answer(deps: ListDeps, request: FastifyRequest, ofPayment: string | null) {
  const search = rawQuery(request);
  const { query } = orRefuse(parseListQuery(search, disputeParams), 'invalid_query');
  refuseOtherPaging(search, query.dueBefore !== undefined);
  const principal = principalOf(request);
  if (ofPayment !== null) {
    const payment = await deps.tenants.read(principal, (database) =>
      findPayment(database, principal, ofPayment),
    );
    if (!payment) throw new Refusal('not_found');
  }
  const { page, perPage, limit = defaultPerPage, cursor = null, ...given } = query;
  const filter = {
    status: given.status ?? null,
    paymentId: ofPayment ?? given.paymentId ?? null,
    from: given.from ?? null,
    until: given.to ?? null,
  };
  const isOfAnother = ofPayment !== null && (given.paymentId ?? ofPayment) !== ofPayment;
  if (given.dueBefore === undefined) {
    if (isOfAnother) return { data: [], meta: { page, perPage, total: 0 } };
    const { disputes, total } = await deps.lists.read(principal, (database) =>
      listDisputes(database, principal, { ...filter, page, perPage }),
    );
    return { data: disputes.map(disputeView), meta: { page, perPage, total } };
  }
  if (isOfAnother) return { data: [], meta: { nextCursor: null } };
  const byDeadline = { ...filter, dueBefore: given.dueBefore };
  const source = disputesByDeadline(byDeadline);
  const position = readCursor(deps.keyring, principal, source, cursor);
  const { rows, next } = await deps.lists.read(principal, (database) =>
    listDisputesByDeadline(database, principal, byDeadline, position, limit),
  );
  return {
    data: rows.map(disputeView),
    meta: { nextCursor: next && sealCursor(deps.keyring, principal, source, next) },
  };
}
