import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/refusals.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Principal } from '../../db/merchants/api-keys.ts';
import type { Actor } from '../../domain/audit.ts';
import { isListed } from '../../operations/address-list.ts';
import { callerAddress, clientKey, isUuid } from '../../http/request.ts';
import { type KeyCache, authenticate, authenticationFaults } from './authentication.ts';
import { requireScope } from './scope.ts';
import type { Bucket, RateDecision, RateLimit, RateLimiter } from '../../operations/rate-limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set by the authentication hook before any handler of `/v1` runs. */
    principal: Principal | null;
  }
}

/** Returns the caller of an authenticated route. */
export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Refusal('unauthorized');
  return request.principal;
}

/** Returns the author of a change for the audit log: the caller's key. */
export function actorOf(request: FastifyRequest): Actor {
  const { keyId } = principalOf(request);
  return { kind: 'apiKey', id: keyId, name: keyId, address: callerAddress(request) };
}

export interface AdmissionDeps {
  keys: Pick<KeyCache, 'find'>;
  keyring: Keyring;
  limiter: RateLimiter;
  /**
   * Whether failed keys from loopback addresses count. Off in development, where all tools share one address.
   */
  countLoopbackFailures: boolean;
}

/**
 * Performs steps 2 and 3 of every `/v1` request before any other work (AMB-14): authentication (401), the
 * allowed addresses of the key (403), rate limits (429), then the scopes of the key (403). Failed keys are
 * limited per address. Throws `Refusal`.
 */
export async function admitCaller(
  deps: AdmissionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const authentication = await authenticate(deps, request.raw.rawHeaders, callerAddress(request));
  if (!authentication.ok) {
    const address = callerAddress(request);
    if (deps.countLoopbackFailures || !isLoopback(address)) {
      const failures = await deps.limiter.take([{ name: 'failures', subject: clientKey(address) }]);
      if (failures?.admitted === false) {
        throw new Refusal('rate_limited', { retryAfterSeconds: failures.retryAfterSeconds });
      }
    }
    throw new Refusal('unauthorized', { message: authenticationFaults[authentication.fault] });
  }
  const { principal } = authentication;
  if (principal.allowFrom !== null && !isListed(principal.allowFrom, callerAddress(request)))
    throw new Refusal('address_not_allowed');
  request.principal = principal;
  // A program that was given a key can read here what it may do with it. docs/merchants.md.
  void reply.header('Key-Scopes', principal.scopes === null ? 'full' : principal.scopes.join(', '));
  const { keyId, environment } = principal;
  const buckets: [Bucket, ...Bucket[]] = [{ name: `${environment}.all`, subject: keyId }];
  const route = `${request.method} ${request.routeOptions.url ?? ''}`;
  if (route === 'POST /v1/payments') buckets.push({ name: `${environment}.create`, subject: keyId });
  const { id } = (request.params ?? {}) as { id?: string };
  const perPayment = perPaymentLimits[route];
  if (perPayment && id !== undefined) {
    // A malformed id is refused right after this. All malformed ids share one bucket, and none is stored.
    buckets.push({ name: perPayment, subject: `${keyId}:${isUuid(id) ? id.toLowerCase() : 'malformed'}` });
  }
  const decision = await deps.limiter.take(buckets);
  if (decision) limitCaller(decision, reply);
  const path = request.routeOptions.url;
  // Checked before anything is read for the call.
  if (principal.scopes !== null && path !== undefined)
    requireScope(principal.scopes, { method: request.method, path });
}

/** Refuses a call beyond the limits, with the remaining quota in the headers. Throws `Refusal`. */
function limitCaller(decision: RateDecision, reply: FastifyReply): void {
  void reply.headers({
    'RateLimit-Policy': rateLimitPolicy(decision.limit),
    RateLimit: rateLimitState(decision),
  });
  if (!decision.admitted)
    throw new Refusal('rate_limited', { retryAfterSeconds: decision.retryAfterSeconds });
}

/** The routes that are also limited per payment. A busy payment is 409, never 429. */
const perPaymentLimits: Readonly<Record<string, 'payment.read' | 'payment.act'>> = {
  'GET /v1/payments/:id/status': 'payment.read',
  'GET /v1/payments/:id/checkout': 'payment.read',
  'POST /v1/payments/:id/capture': 'payment.act',
  'POST /v1/payments/:id/pay': 'payment.act',
  'POST /v1/payments/:id/confirm': 'payment.act',
};

const isLoopback = (address: string): boolean => /^(::ffff:)?127\.|^::1$/.test(address);

/** Returns the RateLimit-Policy header of a limit (draft 10): quota, and window in whole seconds. */
function rateLimitPolicy(limit: RateLimit): string {
  return `"default";q=${limit.burst};w=${Math.max(1, Math.round((limit.burst * limit.gapMs) / 1000))}`;
}

/**
 * Returns the RateLimit header of a decision (draft 10): the remaining quota, and the seconds until it is
 * full again or, for a refused call, until a call is admitted.
 */
function rateLimitState(decision: RateDecision): string {
  if (!decision.admitted) return `"default";r=0;t=${decision.retryAfterSeconds}`;
  const missing = decision.limit.burst - decision.remaining;
  return `"default";r=${decision.remaining};t=${Math.ceil((missing * decision.limit.gapMs) / 1000)}`;
}
