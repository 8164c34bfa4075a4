import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { deliveryStatuses } from '../../db/webhooks/deliveries.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { listDeliveries } from '../../db/webhooks/delivery-reads.ts';
import { type WebhookEndpoint, findEndpoint, listEndpoints } from '../../db/webhooks/endpoints.ts';
import type { Queryable } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { Refusal } from '../../domain/refusals.ts';
import { oneOf } from '../http/fields.ts';
import { deliveriesTo, sealCursor } from '../../operations/list-cursor.ts';
import { readCursor } from '../http/cursor.ts';
import { parseCursorQuery, parseListQuery } from '../http/list-query.ts';
import { pathId, rawQuery } from '../../http/request.ts';
import { principalOf } from '../http/admission.ts';
import { deliveryView, endpointView } from './views.ts';
import { orRefuse } from '../http/input.ts';

/** Returns the caller's endpoint that the path names. Refuses: invalid_request (400), not_found (404). */
export async function ownEndpoint(
  { database }: { database: Queryable },
  request: FastifyRequest,
): Promise<WebhookEndpoint> {
  const id = pathId(request);
  const endpoint = await findEndpoint(database, principalOf(request), id);
  if (!endpoint) throw new Refusal('not_found');
  return endpoint;
}

/** GET /v1/webhook-endpoints: 200 `{data: Endpoint[], meta}`, newest first. Refuses: invalid_query (400). */
export const list =
  ({ database }: { database: Queryable }) =>
  async (request: FastifyRequest) => {
    const parsed = orRefuse(parseListQuery(rawQuery(request), z.object({})), 'invalid_query');
    const { page, perPage } = parsed.query;
    const { endpoints, total } = await listEndpoints(database, principalOf(request), { page, perPage });
    return { data: endpoints.map(endpointView), meta: { page, perPage, total } };
  };

/** GET /v1/webhook-endpoints/{id}: 200 `{data: Endpoint}`. Refuses: not_found (404). */
export const retrieve = (deps: { database: Queryable }) => async (request: FastifyRequest) => ({
  data: endpointView(await ownEndpoint(deps, request)),
});

const deliveryFilters = z.object({ status: oneOf(deliveryStatuses).optional() });

/**
 * GET /v1/webhook-endpoints/{id}/deliveries: 200 `{data: Delivery[], meta: {nextCursor}}`, newest first, each
 * with its latest tries. Refuses: not_found (404), invalid_query (400).
 */
export const deliveries =
  (deps: { database: Queryable; lists: TenantReads; keyring: Keyring }) =>
  async (request: FastifyRequest) => {
    pathId(request);
    const { query } = orRefuse(parseCursorQuery(rawQuery(request), deliveryFilters), 'invalid_query');
    const principal = principalOf(request);
    const endpoint = await ownEndpoint(deps, request);
    const { limit, cursor, ...given } = query;
    const source = deliveriesTo(endpoint.id, given);
    const position = readCursor(deps.keyring, principal, source, cursor);
    const filter = { status: given.status ?? null, from: given.from ?? null, until: given.to ?? null };
    const { rows, next } = await deps.lists.read(principal, (database) =>
      listDeliveries(database, endpoint.id, filter, position, limit),
    );
    return {
      data: rows.map(deliveryView),
      meta: { nextCursor: next && sealCursor(deps.keyring, principal, source, next) },
    };
  };
