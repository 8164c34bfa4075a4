import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { newKey } from '../../crypto/api-key.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { pairingCode, randomUrlSecret } from '../../crypto/secrets.ts';
import { claimPairing, insertPairing, pairingSeconds } from '../../db/merchants/key-pairings.ts';
import type { Database } from '../../db/server/database.ts';
import { Refusal } from '../../domain/refusals.ts';
import { type Scope, scopes } from '../../domain/scopes.ts';
import { environments } from '../../domain/statuses.ts';
import { bodyLimits } from '../../http/body-limits.ts';
import { callerAddress, clientKey } from '../../http/request.ts';
import type { RateLimiter, RateLimitName } from '../../operations/rate-limits.ts';
import { expected, object, oneOf, openText } from '../http/fields.ts';
import { jsonBody, orRefuse, parseBody } from '../http/input.ts';

/** How often a command line polls for its key, in seconds. */
const pollSeconds = 2;

const startBody = z.strictObject(
  {
    environment: oneOf(environments),
    scopes: z
      .array(
        z.custom<Scope>((scope) => scopes.some((one) => one === scope), { error: 'must be a scope' }),
        {
          error: expected('a list of scopes'),
        },
      )
      .min(1, { error: 'must name a scope' })
      .max(scopes.length, { error: 'must name each scope once' }),
    computer: openText(1, 60).refine((name) => !/\p{C}/u.test(name), {
      error: 'must not contain control characters',
    }),
  },
  object,
);
const claimBody = z.strictObject({ secret: z.string({ error: expected('a string') }).max(100) }, object);

/** The dependencies of the pairing routes. */
export interface PairingRouteDeps {
  database: Database;
  keyring: Keyring;
  limiter: RateLimiter;
  /** The address of the dashboard in browsers, without a trailing slash. */
  dashboardUrl: string;
  /** Epoch ms. */
  now: () => number;
}

/** Limits the requests that an address sends without a key. Refuses: rate_limited. */
async function limit({ limiter }: PairingRouteDeps, request: FastifyRequest, name: RateLimitName) {
  const decision = await limiter.take([{ name, subject: clientKey(callerAddress(request)) }]);
  if (decision?.admitted === false)
    throw new Refusal('rate_limited', { retryAfterSeconds: decision.retryAfterSeconds });
}

/**
 * POST /pairings, without a key: 201 with the secret of the pairing, which is returned only here, the code to
 * compare, and the address at which a member decides. Refuses: rate_limited (429), invalid_request (400),
 * validation_failed (422), service_unavailable (503) while too many pairings are open.
 */
const start = (deps: PairingRouteDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  await limit(deps, request, 'pairing.start');
  const { body } = orRefuse(parseBody(startBody, jsonBody(request)), 'validation_failed');
  const { environment } = body;
  const pairing = {
    id: randomUUID(),
    code: pairingCode(),
    environment,
    scopes: scopes.filter((scope) => body.scopes.includes(scope)),
    computer: body.computer,
    address: callerAddress(request),
  };
  const secret = randomUrlSecret();
  const secretHash = deps.keyring.lookupHash(hashPurposes.keyPairing, secret);
  if (!(await insertPairing(deps.database, { ...pairing, secretHash }))) {
    throw new Refusal('service_unavailable', { retryAfterSeconds: 60 });
  }
  const url = `${deps.dashboardUrl}/dashboard/${environment}/developers/pairings?pairing=${pairing.id}`;
  const expiresInSeconds = pairingSeconds;
  return reply.status(201).send({ data: { secret, code: pairing.code, url, expiresInSeconds, pollSeconds } });
};

/**
 * POST /pairings/claim with the secret of a pairing: 200 `{data: {status}}`. The status is `pending`,
 * `refused`, `over`, or `approved` with the new key, which is returned once. Refuses: rate_limited (429),
 * invalid_request (400), validation_failed (422).
 */
const claim = (deps: PairingRouteDeps) => async (request: FastifyRequest) => {
  await limit(deps, request, 'pairing.poll');
  const { body } = orRefuse(parseBody(claimBody, jsonBody(request)), 'validation_failed');
  const claimed = await claimPairing(
    deps.database,
    deps.keyring.lookupHashes(hashPurposes.keyPairing, body.secret),
    (environment) => newKey(deps.keyring, environment),
    { address: callerAddress(request), at: new Date(deps.now()) },
  );
  if (claimed.status !== 'approved') return { data: { status: claimed.status } };
  const { status, environment, scopes: given, text } = claimed;
  return { data: { status, environment, scopes: given, apiKey: text } };
};

/**
 * Registers the routes with which a command line gets a key. They are not part of the merchants' API: only
 * the command line of the same version calls them. ADR 0073.
 */
export function registerPairings(app: FastifyInstance, deps: PairingRouteDeps): void {
  const small = { bodyLimit: bodyLimits.small };
  app.post('/pairings', small, start(deps));
  app.post('/pairings/claim', small, claim(deps));
}
