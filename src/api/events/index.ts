import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Principal } from '../../db/merchants/api-keys.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { findEventPosition, listEvents } from '../../db/webhooks/event-lists.ts';
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
import { eventLog, sealCursor } from '../../operations/list-cursor.ts';
import { readCursor } from '../http/cursor.ts';
import { parseCursorQuery } from '../http/list-query.ts';
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

interface ListDeps {
  database: Queryable;
  lists: TenantReads;
  keyring: Keyring;
}

/**
 * GET /v1/events: 200 `{data: Event[], meta: {nextCursor}}`, newest first. With `after` (the id of the last
 * event read, or `start`) or `afterSequence` the order is that of the log, so that a reader who continues
 * after the last event misses none. Refuses: invalid_query (400).
 */
const list = (deps: ListDeps) => async (request: FastifyRequest) => {
  const principal = principalOf(request);
  const { query } = orRefuse(parseCursorQuery(rawQuery(request), filters), 'invalid_query');
  const { limit, cursor, ...given } = query;
  const { paymentId, after, afterSequence, from, to } = given;
  if (paymentId === undefined && afterSequence !== undefined) {
    throw new Refusal('invalid_query', {
      field: 'afterSequence',
      message: 'afterSequence counts the events of one payment: give paymentId too',
    });
  }
  if (paymentId === undefined && after !== undefined && (from !== undefined || to !== undefined)) {
    throw new Refusal('invalid_query', {
      field: 'after',
      message: 'after reads the whole log in its order: leave out from and to, or give paymentId',
    });
  }
  const source = eventLog(given);
  const position = readCursor(deps.keyring, principal, source, cursor);
  const filter = {
    type: given.type ?? null,
    paymentId: paymentId ?? null,
    from: from ?? null,
    until: to ?? null,
    afterSequence: afterSequence ?? null,
    // After the first page only the cursor counts: the event that `after` names may be deleted by then.
    afterPosition: after === undefined || position !== null ? null : await positionOf(deps, principal, after),
    oldestFirst: after !== undefined || afterSequence !== undefined,
  };
  const { rows, next } = await deps.lists.read(principal, (database) =>
    listEvents(database, principal, filter, position, limit),
  );
  return {
    data: rows.map(eventEnvelope),
    meta: { nextCursor: next && sealCursor(deps.keyring, principal, source, next) },
  };
};

/** Returns the position in the log that `after` names. Refuses: invalid_query (400). */
async function positionOf(
  { database }: { database: Queryable },
  principal: Principal,
  after: string,
): Promise<number> {
  const position = after === logStart ? 0 : await findEventPosition(database, principal, after);
  if (position === null) {
    throw new Refusal('invalid_query', {
      field: 'after',
      message: 'after is no event of the log, which keeps 90 days: begin again with after=start',
    });
  }
  return position;
}

/** Returns the caller's event that the path names. Refuses: invalid_request (400), not_found (404). */
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
 * POST /v1/events/{id}/redeliver: 202 `{data: {eventId, endpointIds}}`. Sends the event again at once, to one
 * endpoint or to every enabled one that subscribes to its type. Refuses: invalid_request (400), not_found
 * (404), validation_failed (422).
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

/**
 * Registers the endpoints of a merchant's event log, in the environment of its key. Events are kept for 90
 * days. docs/webhooks.md.
 */
export function registerEvents(app: FastifyInstance, deps: EventRouteDeps): void {
  app.get('/v1/events', list(deps));
  app.get('/v1/events/:id', retrieve(deps));
  app.post('/v1/events/:id/redeliver', sendAgain(deps));
}
