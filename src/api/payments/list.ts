import type { FastifyRequest } from 'fastify';
import { listPayments } from '../../db/payments/payments.ts';
import type { ApiDeps } from '../deps.ts';
import { parseListQuery } from '../http/list-query.ts';
import { readPayment } from '../../operations/payments/payment-reads.ts';
import { principalOf } from '../http/admission.ts';
import { rawQuery } from '../../http/request.ts';
import { orRefuse } from '../http/input.ts';

/** GET /v1/payments: 200 `{data: Payment[], meta}`, newest first. Refuses: invalid_query (400). */
export const list = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const parsed = orRefuse(parseListQuery(rawQuery(request)), 'invalid_query');
  const { status, from, to, page, perPage } = parsed.query;
  const principal = principalOf(request);
  const filter = { status: status ?? null, from: from ?? null, until: to ?? null, page, perPage };
  const { payments, total } = await deps.lists.read(principal, (database) =>
    listPayments(database, principal, filter),
  );
  return {
    data: payments.map((payment) => readPayment(deps.keyring, payment)),
    meta: { page, perPage, total },
  };
};
