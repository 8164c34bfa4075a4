import type { FastifyReply, FastifyRequest } from 'fastify';
import { findEvent } from '../../db/webhooks/events.ts';
import { Refusal } from '../../domain/refusals.ts';
import { replayBody } from './bodies.ts';
import { eventEnvelope } from '../../webhooks/envelope.ts';
import {
  type WebhookOperationDeps,
  replay,
  replayEnd,
  sendTest,
} from '../../operations/webhooks/endpoints.ts';
import { actorOf, principalOf } from '../http/admission.ts';
import { jsonBody, requireEmptyBody, orRefuse, parseBody } from '../http/input.ts';
import { pathId } from '../../http/request.ts';
import { ownEndpoint } from './read.ts';

/**
 * POST /v1/webhook-endpoints/{id}/test: 202 `{data: Event}` of type `endpoint.test`, which is sent to this
 * endpoint.
 * Refuses: invalid_request (400), not_found (404), validation_failed (422) while the endpoint is disabled.
 */
export const test = (deps: WebhookOperationDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  pathId(request);
  requireEmptyBody(request);
  const endpoint = await ownEndpoint(deps, request);
  if (endpoint.status === 'disabled') {
    throw new Refusal('validation_failed', { field: 'status', message: 'the endpoint is disabled' });
  }
  const event = await findEvent(
    deps.database,
    principalOf(request),
    await sendTest(deps, endpoint, actorOf(request)),
  );
  if (!event) throw new Refusal('service_unavailable');
  return reply.status(202).send({ data: eventEnvelope(event) });
};

/**
 * POST /v1/webhook-endpoints/{id}/replay: 202 `{data: {id, endpointId, since, until, matched, dryRun}}`.
 * Sends the events of a range again, in the order of the log. `status` `failed` selects those that were not
 * delivered to this endpoint.
 * Refuses: invalid_request (400), not_found (404), validation_failed (422), service_unavailable (503).
 */
export const startReplay =
  (deps: WebhookOperationDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
    pathId(request);
    const parsed = orRefuse(parseBody(replayBody, jsonBody(request)), 'validation_failed');
    const { since, types = null, status, dryRun = false } = parsed.body;
    const until = replayEnd(parsed.body, new Date(deps.now()));
    if (until === null) {
      throw new Refusal('validation_failed', {
        field: 'since',
        message: 'since must be before until and in the past',
      });
    }
    const endpoint = await ownEndpoint(deps, request);
    if (endpoint.status === 'disabled' && !dryRun) {
      throw new Refusal('validation_failed', { field: 'status', message: 'the endpoint is disabled' });
    }
    const begun = await replay(
      deps,
      endpoint,
      { since, until, types, status },
      { dryRun, actor: actorOf(request) },
    );
    return reply.status(202).send({
      data: {
        id: begun.id,
        endpointId: endpoint.id,
        since: since.toISOString(),
        until: until.toISOString(),
        matched: begun.matched,
        dryRun,
      },
    });
  };
