import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Principal } from '../../db/merchants/api-keys.ts';
import {
  findEventPosition,
  listEvents,
  listEventsOfPayment,
  readLog,
} from '../../db/webhooks/event-lists.ts';
import { findEvent, isEventId } from '../../db/webhooks/events.ts';
import { findEndpoint } from '../../db/webhooks/endpoints.ts';
import type { Queryable } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { Refusal } from '../../domain/refusals.ts';
import { logStart, maxSequence, redeliverBody } from './bodies.ts';
import type { StoredEvent } from '../../domain/event.ts';
import { eventEnvelope } from '../../webhooks/envelope.ts';
import { isEventFilter, testEventType } from '../../domain/event-types.ts';
import { type WebhookOperationDeps, redeliver } from '../../operations/webhooks/endpoints.ts';
import { parseListQuery } from '../http/list-query.ts';
import { integerParam, uuidParam } from '../http/query-params.ts';
import { actorOf, principalOf } from '../http/admission.ts';
import { bodyBytes, rawQuery } from '../../http/request.ts';
import { jsonBody, orRefuse, parseBody } from '../http/input.ts';

const filters = z.object({
  type: z
    .string()
    .refine((text) => isEventFilter(text) || text === testEventType, {
      error: 'must be an event type such as payment.paid, or a group such as payment.*',
    })
    .optional(),
  paymentId: uuidParam.optional(),
  afterSequence: integerParam(0, maxSequence).optional(),
  after: z
    .string()
    .refine((text) => text === logStart || isEventId(text), { error: 'must be the id of an event, or start' })
    .optional(),
});

/**
 * GET /v1/events: 200 `{data: Event[], meta}`, newest first; with `after` (the id of the last event read, or
 * `start`) or `afterSequence` in the order of the log, so that reading from the last event on misses none.
 * Refuses: invalid_query (400).
 */
const list = (deps: { database: Queryable; lists: TenantReads }) => async (request: FastifyRequest) => {
  const principal = principalOf(request);
  const { query } = orRefuse(parseListQuery(rawQuery(request), filters), 'invalid_query');
  const { paymentId, after, afterSequence, page, perPage } = query;
  const filter = {
    type: query.type ?? null,
    from: query.from ?? null,
    until: query.to ?? null,
    page,
    perPage,
  };
  const afterPosition = after === undefined ? null : await placeOf(deps, principal, after);
  if (paymentId === undefined && afterSequence !== undefined) {
    throw new Refusal('invalid_query', {
      field: 'afterSequence',
      message: 'afterSequence counts the events of one payment: give paymentId too',
    });
  }
  if (paymentId === undefined && afterPosition !== null && (filter.from !== null || filter.until !== null)) {
    throw new Refusal('invalid_query', {
      field: 'after',
      message: 'after reads the whole log in its order: leave out from and to, or give paymentId',
    });
  }
  const { events, total } = await deps.lists.read(principal, (database) => {
    if (paymentId !== undefined) {
      return listEventsOfPayment(database, principal, {
        ...filter,
        paymentId,
        afterSequence: afterSequence ?? null,
        afterPosition,
        oldestFirst: after !== undefined || afterSequence !== undefined,
      });
    }
    return afterPosition === null
      ? listEvents(database, principal, filter)
      : readLog(database, principal, { ...filter, afterPosition });
  });
  return { data: events.map(eventEnvelope), meta: { page, perPage, total } };
};

/** The place in the log that `after` names. Refuses: invalid_query (400). */
async function placeOf(
  { database }: { database: Queryable },
  principal: Principal,
  after: string,
): Promise<number> {
  const place = after === logStart ? 0 : await findEventPosition(database, principal, after);
  if (place === null) {
    throw new Refusal('invalid_query', {
      field: 'after',
      message: 'after is no event of the log, which keeps 90 days: begin again with after=start',
    });
  }
  return place;
}

/** The caller's event of the path. Refuses: invalid_request (400), not_found (404). */
async function ownEvent(
  { tenants }: { tenants: TenantReads },
  request: FastifyRequest,
): Promise<StoredEvent> {
  const { id } = request.params as { id: string };
  if (!isEventId(id)) {
    throw new Refusal('invalid_request', { message: 'The path id must be the id of an event.' });
  }
  const principal = principalOf(request);
  const event = await tenants.read(principal, (database) => findEvent(database, principal, id));
  if (!event) throw new Refusal('not_found');
  return event;
}

/** GET /v1/events/{id}: 200 `{data: Event}`, as its webhook carried it. Refuses: not_found (404). */
const retrieve = (deps: { tenants: TenantReads }) => async (request: FastifyRequest) => ({
  data: eventEnvelope(await ownEvent(deps, request)),
});

/**
 * POST /v1/events/{id}/redeliver: 202 `{data: {eventId, endpointIds}}`: sent again, now, to one endpoint or
 * to every enabled one that asks for it. Refuses: invalid_request (400), not_found (404), validation_failed
 * (422).
 */
const sendAgain =
  (deps: WebhookOperationDeps & { tenants: TenantReads }) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const given = (bodyBytes(request)?.length ?? 0) > 0 ? jsonBody(request) : {};
    const parsed = orRefuse(parseBody(redeliverBody, given), 'validation_failed');
    const event = await ownEvent(deps, request);
    const { endpointId = null } = parsed.body;
    if (
      endpointId !== null &&
      (await findEndpoint(deps.database, principalOf(request), endpointId)) === null
    ) {
      throw new Refusal('validation_failed', {
        field: 'endpointId',
        message: 'endpointId is no endpoint of this environment',
      });
    }
    const endpointIds = await redeliver(deps, principalOf(request), event.id, endpointId, actorOf(request));
    return reply.status(202).send({ data: { eventId: event.id, endpointIds } });
  };

export type EventRouteDeps = Parameters<typeof list>[0] & Parameters<typeof sendAgain>[0];

/** The event log of a merchant in the environment of its key, kept 90 days. docs/webhooks.md. */
export function registerEvents(app: FastifyInstance, deps: EventRouteDeps): void {
  app.get('/v1/events', list(deps));
  app.get('/v1/events/:id', retrieve(deps));
  app.post('/v1/events/:id/redeliver', sendAgain(deps));
}
