import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { publishedCardBehaviour, publishedCvvLength } from '../../published-cards.ts';
import { hashMatches, randomBase62, sha256Hex } from '../../secrets.ts';
import { parseBody, Refusal } from '../../server.ts';
import { type KnownCards, parseCard } from '../../vault/card-input.ts';
import { requireAccount, requireKey } from './auth.ts';
import { cardOwner } from './card-owner.ts';
import { itemKey, type PciVaultContext } from './context.ts';
import { durationMs } from './durations.ts';
import { withFault } from './faults.ts';
import type { CaptureEndpoint } from './records.ts';

interface IdRoute {
  Params: { id: string };
}

const DEFAULT_TTL_MS = 24 * 60 * 60_000;
const NO_HASH = '0'.repeat(64);
const PUBLISHED: KnownCards = {
  has: (number) => publishedCardBehaviour(number) !== null,
  cvvLength: publishedCvvLength,
};

const uniqueId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const createQuery = z.object({
  user: z.string().min(1).max(128),
  passphrase: z.string().min(1).max(512),
  unique_id: uniqueId.optional(),
  ttl: z.string().max(64).optional(),
  algorithm: z.literal('full').optional(),
});
const captureQuery = z.object({ reference: z.string().min(1).max(128).optional() });

/** Capture endpoints: the account makes and deletes them, and any client with the secret posts to them. */
export function captureRoutes(vault: PciVaultContext): FastifyPluginAsync {
  const account = { onRequest: requireAccount(vault) };
  /** The permission is checked before the body is read. */
  const authorised = {
    onRequest: async (request: FastifyRequest<IdRoute>, reply: FastifyReply) => {
      // Set before any refusal, so that a browser lets the page read the reason.
      allowBrowsers(reply);
      authorise(vault, request);
    },
  };

  return async (app) => {
    app.post('/v1/capture', account, async (request, reply) => {
      const query = parseBody(createQuery, request.query);
      const call = { kind: 'capture.create', reference: query.unique_id ?? '' } as const;
      await withFault(vault, reply, call, async () => createEndpoint(vault, query));
      return reply;
    });

    app.delete<IdRoute>('/v1/capture/:id', account, async (request, reply) => {
      const { id } = request.params;
      await withFault(vault, reply, { kind: 'capture.delete', reference: id }, async () => {
        if (!vault.endpoints.get(id)) throw new Refusal(404, 'not_found', 'There is no such endpoint.');
        vault.endpoints.delete(id);
        return { unique_id: id };
      });
      return reply;
    });

    app.options<IdRoute>('/v1/capture/:id', async (_request, reply) =>
      allowBrowsers(reply)
        .headers({
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers': 'content-type, x-pcivault-capture-secret',
          'access-control-max-age': '600',
        })
        .code(204)
        .send(),
    );

    app.post<IdRoute>('/v1/capture/:id', authorised, async (request, reply) => {
      const call = { kind: 'capture', reference: request.params.id } as const;
      await withFault(vault, reply, call, async () => capture(vault, request));
      return reply;
    });
  };
}

function createEndpoint(vault: PciVaultContext, query: z.infer<typeof createQuery>) {
  requireKey(vault, query.user, query.passphrase);
  const now = vault.now();
  const ttlMs = query.ttl === undefined ? DEFAULT_TTL_MS : durationMs(query.ttl);
  if (ttlMs === null) throw new Refusal(400, 'invalid_request', 'The field ttl is wrong.', 'ttl');
  const id = query.unique_id ?? randomBase62(21);
  const known = vault.endpoints.get(id);
  // An endpoint that has ended keeps its name until it is cleaned up.
  if (known) throw new Refusal(409, 'unique_id_in_use', 'This unique id is in use.', 'unique_id');
  const secret = randomBase62(64);
  const endpoint = vault.endpoints.put(id, {
    id,
    key: query.user,
    secretSha256: sha256Hex(secret),
    createdAt: now,
    expiresAt: ttlMs === 0 ? null : now + ttlMs,
  });
  return {
    url: `/v1/capture/${id}`,
    unique_id: id,
    secret,
    ...(endpoint.expiresAt === null ? {} : { expires_at: new Date(endpoint.expiresAt).toISOString() }),
  };
}

/** Refuses a wrong secret, and an endpoint that is unknown, has ended or was deleted, with the same 401. */
function authorise(vault: PciVaultContext, request: FastifyRequest<IdRoute>): CaptureEndpoint {
  const endpoint = vault.endpoints.get(request.params.id);
  const { 'x-pcivault-capture-secret': header } = request.headers;
  const matches = hashMatches(typeof header === 'string' ? header : '', endpoint?.secretSha256 ?? NO_HASH);
  const ended = endpoint !== undefined && endpoint.expiresAt !== null && vault.now() >= endpoint.expiresAt;
  if (!endpoint || !matches || ended) {
    throw new Refusal(401, 'unauthorized', 'The capture access is not valid.');
  }
  return endpoint;
}

function capture(vault: PciVaultContext, request: FastifyRequest<IdRoute>) {
  const now = vault.now();
  const { reference: named } = parseBody(captureQuery, request.query);
  const { card, cvv } = parseCard(request.body, now, PUBLISHED);
  // Checked again in the same turn as the write, because the endpoint may have been deleted meanwhile.
  const endpoint = authorise(vault, request);
  const reference = named ?? endpoint.id;
  const token = createHmac('sha256', vault.tokenKey).update(card.number).digest('hex');
  const item = { token, reference, key: endpoint.key, storedAt: now };
  vault.cards.put(itemKey(token, reference), cardOwner(item), card, cvv, now);
  vault.items.put(itemKey(token, reference), item);
  return { token, user: endpoint.key, reference };
}

/** Forms of any origin may capture: the secret is the permission. */
const allowBrowsers = (reply: FastifyReply): FastifyReply => reply.header('access-control-allow-origin', '*');
