import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { changeLink, findLink, listLinks } from '../../db/payment-links/payment-links.ts';
import type { Database } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { Refusal } from '../../domain/refusals.ts';
import { bodyLimits } from '../../http/body-limits.ts';
import { pathId, rawQuery } from '../../http/request.ts';
import type { IdempotencyDeps } from '../../operations/idempotency.ts';
import { createLink } from '../../operations/payment-links/create-link.ts';
import { actorOf, principalOf } from '../http/admission.ts';
import { idempotencyKey, jsonBody, orRefuse, parseBody } from '../http/input.ts';
import { parseListQuery } from '../http/list-query.ts';
import { ChangePaymentLinkBody, parseCreateLink } from './bodies.ts';
import { linkView } from './schema.ts';

export interface PaymentLinkRouteDeps extends IdempotencyDeps {
  lists: TenantReads;
  publicUrl: string;
  production: boolean;
}

/** Registers the endpoints of payment links. docs/payment-links.md. */
export function registerPaymentLinks(app: FastifyInstance, deps: PaymentLinkRouteDeps): void {
  app.post('/v1/payment-links', { bodyLimit: bodyLimits.creation }, create(deps));
  app.get('/v1/payment-links', list(deps));
  app.get('/v1/payment-links/:id', retrieve(deps));
  app.patch('/v1/payment-links/:id', { bodyLimit: bodyLimits.small }, change(deps));
}

/**
 * POST /v1/payment-links: 201 `{data: PaymentLink}`, also on replay (then with `Idempotent-Replayed: true`).
 * Refuses: invalid_request (400), idempotency_key_reused, idempotency_in_progress (409), validation_failed
 * (422).
 */
const create = (deps: PaymentLinkRouteDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const key = idempotencyKey(request);
  const body = jsonBody(request);
  const { command } = orRefuse(
    parseCreateLink(body, { allowHttpLoopback: !deps.production }),
    'validation_failed',
  );
  const sent = { key, body, command };
  const { link, replayed } = await createLink(deps, principalOf(request), sent, actorOf(request));
  if (replayed) void reply.header('Idempotent-Replayed', 'true');
  return reply.status(201).send({ data: linkView(link, deps.publicUrl) });
};

/** GET /v1/payment-links: 200 `{data: PaymentLink[], meta}`, newest first. Refuses: invalid_query (400). */
const list = (deps: PaymentLinkRouteDeps) => async (request: FastifyRequest) => {
  const { query } = orRefuse(parseListQuery(rawQuery(request), z.object({})), 'invalid_query');
  const { page, perPage } = query;
  const { links, total } = await listLinks(deps.database, principalOf(request), query);
  return { data: links.map((link) => linkView(link, deps.publicUrl)), meta: { page, perPage, total } };
};

/** GET /v1/payment-links/{id}: 200 `{data: PaymentLink}`. Refuses: not_found (404). */
const retrieve = (deps: PaymentLinkRouteDeps) => async (request: FastifyRequest) => {
  const link = await findLink(deps.database, principalOf(request), pathId(request));
  if (!link) throw new Refusal('not_found');
  return { data: linkView(link, deps.publicUrl) };
};

/**
 * PATCH /v1/payment-links/{id}: 200 `{data: PaymentLink}`. Refuses: not_found (404), validation_failed (422).
 */
const change = (deps: PaymentLinkRouteDeps & { database: Database }) => async (request: FastifyRequest) => {
  const id = pathId(request);
  const { body } = orRefuse(parseBody(ChangePaymentLinkBody, jsonBody(request)), 'validation_failed');
  const by = { actor: actorOf(request), at: new Date(deps.now()) };
  const link = await changeLink(deps.database, principalOf(request), id, body, by);
  if (!link) throw new Refusal('not_found');
  return { data: linkView(link, deps.publicUrl) };
};
