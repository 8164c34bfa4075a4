import type { FastifyRequest } from 'fastify';
import { findPayment } from '../../db/payments/payments.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { readPayment } from '../../operations/payments/payment-reads.ts';
import { pathId } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';

/** GET /v1/payments/{id}: 200 `{data: Payment}` from stored state. Refuses: not_found (404). */
export const retrieve = (deps: ApiDeps) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const principal = principalOf(request);
  const payment = await deps.tenants.read(principal, (database) => findPayment(database, principal, id));
  if (!payment) throw new Refusal('not_found');
  return { data: readPayment(deps.keyring, payment) };
};
