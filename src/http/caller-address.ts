import { isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Returns the address a request came from: that of the connection, or where that is a trusted proxy's
 * (`TRUSTED_PROXIES`) the one it names. What is no address is never taken for one.
 */
export function callerAddress(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? 'unknown') : request.ip;
}

/**
 * Returns what the tries of an address are counted under. Whoever has one IPv6 address usually has all of its
 * network (/64), so that these count as one. IPv4 is the same in both its spellings.
 */
export function countedAs(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIP(address) === 0 || isIPv4(address)) return address;
  const network = groupsOf(address.replace(/%.*$/, '')).slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): string[] {
  const [head = [], tail] = address
    .replace(/\d+\.\d+\.\d+\.\d+$/, '0:0')
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':')));
  if (tail === undefined) return head;
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail];
}
