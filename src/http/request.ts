import { isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../domain/refusals.ts';

/* Functions with which API and pages read a request as it arrived. */

/** Whether a text in a path is a UUID, in upper or lower case. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);

/** Returns the path's `id` in lower case. Refuses: invalid_request (400). Spec: EP-08, AMB-41. */
export function pathId(request: FastifyRequest): string {
  const { id } = request.params as { id?: string };
  if (id === undefined || !isUuid(id))
    throw new Refusal('invalid_request', { message: 'The path id must be a UUID.' });
  return id.toLowerCase();
}

/** Returns the raw bytes of the body: every content type arrives unparsed. */
export function bodyBytes(request: FastifyRequest): Uint8Array | undefined {
  return request.body instanceof Uint8Array ? request.body : undefined;
}

/** Returns the query string as sent, without `?`, so that repeated and empty parameters stay visible. */
export function rawQuery(request: FastifyRequest): string {
  const url = request.raw.url ?? '';
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at + 1);
}

/**
 * Returns the address that a request came from: that of the connection, or, if the connection is a trusted
 * proxy's (`TRUSTED_PROXIES`), the one the proxy names. A malformed address is ignored.
 */
export function callerAddress(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? 'unknown') : request.ip;
}

/**
 * Returns the name under which the requests of an address are counted. A client with one IPv6 address usually
 * has its whole network (/64), so the network counts as one. Both spellings of an IPv4 address are the same.
 */
export function clientKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIP(address) === 0 || isIPv4(address)) return address;
  const network = groupsOf(address.replace(/%.*$/, '')).slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** Returns the eight groups of an IPv6 address. */
function groupsOf(address: string): string[] {
  const [head = [], tail] = address
    .replace(/\d+\.\d+\.\d+\.\d+$/, '0:0')
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':')));
  if (tail === undefined) return head;
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail];
}
