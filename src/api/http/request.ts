import type { FastifyRequest } from 'fastify';
import type { Principal } from '../../db/merchants/api-keys.ts';
import type { Actor } from '../../domain/audit.ts';
import { Refusal } from '../../domain/refusals.ts';
import { callerAddress } from '../../http/caller-address.ts';
import { isJsonContentType } from './content-type.ts';
import { parseIdempotencyKey } from './idempotency-key.ts';
import { parseStrictJson, StrictJsonError, TooManyValuesError } from './strict-json.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set by the authentication hook before any handler of `/v1` runs. */
    principal: Principal | null;
  }
}

/** The caller of an authenticated route. */
export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Refusal('unauthorized');
  return request.principal;
}

/** Who the audit trail says makes a change: the caller's key. */
export function actorOf(request: FastifyRequest): Actor {
  const { keyId } = principalOf(request);
  return { kind: 'apiKey', id: keyId, name: keyId, address: callerAddress(request) };
}

/** Whether a text of a path is a UUID, in either case. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);

/** The path's `id` in lower case. Refuses: invalid_request (400). Spec: EP-08, AMB-41. */
export function pathId(request: FastifyRequest): string {
  const { id } = request.params as { id?: string };
  if (id === undefined || !isUuid(id))
    throw new Refusal('invalid_request', { message: 'The path id must be a UUID.' });
  return id.toLowerCase();
}

/** The Idempotency-Key. Refuses: invalid_request (400). */
export function idempotencyKey(request: FastifyRequest): string {
  const parsed = parseIdempotencyKey(request.raw.rawHeaders);
  if (!parsed.ok) throw new Refusal('invalid_request', { message: parsed.message });
  return parsed.key;
}

/** The raw bytes of the body; every content type arrives unparsed. */
export function bodyBytes(request: FastifyRequest): Uint8Array | undefined {
  return request.body instanceof Uint8Array ? request.body : undefined;
}

/**
 * The body as strictly parsed JSON. Refuses: invalid_request (400) for another content type or malformed
 * JSON; throws TooManyValuesError where the route sets a bound of its own.
 */
export function jsonBody(request: FastifyRequest, bounds: { maxValues?: number } = {}): unknown {
  if (!isJsonContentType(request.headers['content-type'])) {
    throw new Refusal('invalid_request', { message: 'The Content-Type must be application/json.' });
  }
  try {
    return parseStrictJson(bodyBytes(request) ?? new Uint8Array(), bounds);
  } catch (error) {
    if (error instanceof TooManyValuesError && bounds.maxValues !== undefined) throw error;
    if (error instanceof StrictJsonError) throw new Refusal('invalid_request', { message: error.message });
    throw error;
  }
}

/** The query string as sent, without `?`: repeated and empty parameters stay visible. */
export function rawQuery(request: FastifyRequest): string {
  const url = request.raw.url ?? '';
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at + 1);
}
