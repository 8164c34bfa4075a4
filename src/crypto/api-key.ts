import { crc32 } from 'node:zlib';
import type { Environment } from '../domain/statuses.ts';
import type { Keyring } from './keyring.ts';
import { hashPurposes } from './seal-contexts.ts';
import { base62, randomBase62 } from './secrets.ts';

/**
 * An API key: `cps_<environment>_<8-character id>_<43-character secret><6-character checksum>`
 * (docs/operations.md, "Merchants and keys").
 */
export interface ParsedApiKey {
  keyId: string;
  environment: Environment;
  /** The whole key as sent, which is hashed. */
  text: string;
}

const shape = /^cps_(sandbox|live)_([0-9A-Za-z]{8})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** Returns a new key. Its text is shown once, and only its keyed hash is stored. */
export function createApiKey(environment: Environment): ParsedApiKey {
  const keyId = randomBase62(8);
  const body = `cps_${environment}_${keyId}_${randomBase62(43)}`;
  return { keyId, environment, text: body + checksum62(body) };
}

/** Returns the text of a new key, to be shown once, and the stored part of the key. */
export function newKey(
  keyring: Pick<Keyring, 'lookupHash' | 'lookupKeyId'>,
  environment: Environment,
): { text: string; stored: { id: string; secretHash: Buffer; lookupKeyId: string } } {
  const { keyId, text } = createApiKey(environment);
  const secretHash = keyring.lookupHash(hashPurposes.apiKey, text);
  return { text, stored: { id: keyId, secretHash, lookupKeyId: keyring.lookupKeyId } };
}

/** Returns the key that a caller sent, or null when the text cannot be one of our keys. */
export function parseApiKey(text: string): ParsedApiKey | null {
  const match = shape.exec(text);
  if (!match) return null;
  const [, environment, keyId, , checksum] = match;
  if (checksum62(text.slice(0, -6)) !== checksum) return null;
  return { keyId: keyId ?? '', environment: environment === 'live' ? 'live' : 'sandbox', text };
}

/** Returns CRC-32 (IEEE) as six base62 characters, by which scanners and the parser detect a mistyped key. */
export function checksum62(text: string): string {
  let value = crc32(text);
  let digits = '';
  for (let place = 0; place < 6; place += 1) {
    digits = base62[value % 62] + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}
