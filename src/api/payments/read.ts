import type { FastifyRequest } from 'fastify';
import type { Keyring } from '../../crypto/keyring.ts';
import { findPayment, listPayments } from '../../db/payments/payments.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { Refusal } from '../../domain/refusals.ts';
import { pathId, rawQuery } from '../../http/request.ts';
import { readPayment } from '../../operations/payments/payment-reads.ts';
import { principalOf } from '../http/admission.ts';
import { orRefuse } from '../http/input.ts';
import { parseListQuery } from '../http/list-query.ts';

/** GET /v1/payments/{id}: 200 `{data: Payment}` from stored state. Refuses: not_found (404). */
export const retrieve =
  ({ tenants, keyring }: { tenants: TenantReads; keyring: Keyring }) =>
  async (request: FastifyRequest) => {
    const id = pathId(request);
    const principal = principalOf(request);
    const payment = await tenants.read(principal, (database) => findPayment(database, principal, id));
    if (!payment) throw new Refusal('not_found');
    return { data: readPayment(keyring, payment) };
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
