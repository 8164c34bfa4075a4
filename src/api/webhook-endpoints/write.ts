import type { FastifyReply, FastifyRequest } from 'fastify';
import { removeEndpoint, maxEndpoints, updateEndpoint } from '../../db/webhooks/endpoints.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Database } from '../../db/server/database.ts';
import { Refusal } from '../../domain/refusals.ts';
import { changeEndpointBody, createEndpointBody } from './bodies.ts';
import { rotateSecret } from '../../webhooks/endpoint-secrets.ts';
import { createEndpoint } from '../../operations/webhooks/endpoints.ts';
import { requireEmptyBody, jsonBody, orRefuse, parseBody } from '../http/input.ts';
import { actorOf, principalOf } from '../http/admission.ts';
import { pathId } from '../../http/request.ts';
import { ownEndpoint } from './read.ts';
import { endpointView } from './views.ts';

/** The dependencies of a change to an endpoint. */
interface ChangeDeps {
  database: Database;
  /** Epoch ms. */
  now: () => number;
}

const byOf = (deps: { now: () => number }, request: FastifyRequest) => ({
  actor: actorOf(request),
  at: new Date(deps.now()),
});

const rules = (deps: { production: boolean }) => ({ allowLoopback: !deps.production });

/**
 * POST /v1/webhook-endpoints: 201 `{data: Endpoint with secret}`, the only time the secret is shown.
 * Refuses: invalid_request (400), validation_failed (422).
 */
export const create =
  (deps: ChangeDeps & { keyring: Keyring; production: boolean }) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const { merchantId, environment } = principalOf(request);
    const parsed = orRefuse(
      parseBody(createEndpointBody(rules(deps)), jsonBody(request)),
      'validation_failed',
    );
    const { url, events = null, description = null } = parsed.body;
    const created = await createEndpoint(
      deps,
      { merchantId, environment, url, events, description },
      byOf(deps, request),
    );
    if (created === 'full') {
      throw new Refusal('validation_failed', {
        field: 'url',
        message: `there are ${maxEndpoints} webhook endpoints already: delete one first`,
      });
    }
    if (created === 'unknown') throw new Refusal('not_found');
    return reply.status(201).send({ data: { ...endpointView(created.endpoint), secret: created.secret } });
  };

/**
 * PATCH /v1/webhook-endpoints/{id}: 200 `{data: Endpoint}`. Enabling resets the count of failures; a replay
 * sends the events that were missed while disabled. Refuses: invalid_request (400), validation_failed (422),
 * not_found (404).
 */
export const change = (deps: ChangeDeps & { production: boolean }) => async (request: FastifyRequest) => {
  pathId(request);
  const parsed = orRefuse(parseBody(changeEndpointBody(rules(deps)), jsonBody(request)), 'validation_failed');
  const { id } = await ownEndpoint(deps, request);
  const { url, events, description, status } = parsed.body;
  const changes = {
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events }),
    ...(description === undefined ? {} : { description }),
    ...(status === undefined ? {} : { status }),
    disabledBy: 'merchant' as const,
  };
  const changed = await updateEndpoint(deps.database, id, changes, byOf(deps, request));
  if (!changed) throw new Refusal('not_found');
  return { data: endpointView(changed) };
};

/** DELETE /v1/webhook-endpoints/{id}: 200 `{data: {id, deleted: true}}`. Refuses: not_found (404). */
export const remove = (deps: ChangeDeps) => async (request: FastifyRequest) => {
  const { id } = await ownEndpoint(deps, request);
  await removeEndpoint(deps.database, id, byOf(deps, request));
  return { data: { id, deleted: true } };
};

/**
 * POST /v1/webhook-endpoints/{id}/rotate-secret: 200 `{data: Endpoint with secret}`. The previous secret
 * signs beside the new one for 24 hours. Refuses: invalid_request (400), not_found (404).
 */
export const rotate = (deps: ChangeDeps & { keyring: Keyring }) => async (request: FastifyRequest) => {
  pathId(request);
  requireEmptyBody(request);
  const endpoint = await ownEndpoint(deps, request);
  const rotated = await rotateSecret(deps, endpoint.id, byOf(deps, request));
  if (!rotated) throw new Refusal('not_found');
  const { secret, previousSecretUntil } = rotated;
  return { data: { ...endpointView({ ...endpoint, previousSecretUntil }), secret } };
};
