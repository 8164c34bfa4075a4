import { createHash } from 'node:crypto';
import { canonicalJson } from '../domain/text.ts';

/**
 * SHA-256 (32 bytes) of a body as it was sent: of its RFC 8785 form after strict parsing and before defaults.
 * Key order, white space and escapes do not matter; a field left out differs from its explicit default.
 * Throws as canonicalJson; a body that passed its schema never does. Spec: Create > Idempotency; AMB-11,
 * META-06.
 */
export function bodyHash(body: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(body), 'utf8').digest();
}
