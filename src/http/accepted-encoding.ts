import type { FastifyRequest } from 'fastify';

/** Returns the best encoding that the browser accepts; null for none. */
export function acceptedEncoding(request: FastifyRequest): 'br' | 'gzip' | null {
  const accepted = request.headers['accept-encoding'];
  if (typeof accepted !== 'string') return null;
  const names = accepted.split(',').map((entry) => entry.trim().toLowerCase());
  if (names.includes('br')) return 'br';
  return names.includes('gzip') ? 'gzip' : null;
}
