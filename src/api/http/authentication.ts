import { parseApiKey } from '../../crypto/api-key.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import type { Principal } from '../../db/merchants/api-keys.ts';
import type { KeyCache } from './key-cache.ts';

/**
 * Finds out who calls, from the raw headers (name, value, name, value, …). Null: missing, repeated,
 * malformed, unknown or revoked key, or a merchant that is not active; the caller cannot tell which, nor
 * by the time it took: a key is looked up by the keyed hash of all of it, so that a known id with a wrong
 * secret is a key that is not there, like any other. Throws when the key store is away.
 * Spec: Authentication 1, 4.
 */
export async function authenticate(
  deps: { keys: Pick<KeyCache, 'find'>; keyring: Keyring },
  rawHeaders: string[],
): Promise<Principal | null> {
  const text = bearerToken(rawHeaders);
  const key = text === null ? null : parseApiKey(text);
  if (!key) return null;
  const stored = await deps.keys.find(deps.keyring.lookupHashes(hashPurposes.apiKey, key.text));
  if (!stored || stored.keyId !== key.keyId) return null;
  if (!stored.usable || stored.environment !== key.environment) return null;
  return stored;
}

/** The token of exactly one `Authorization: Bearer <token>` header; the scheme is compared without case. */
function bearerToken(rawHeaders: string[]): string | null {
  let found: string | null = null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'authorization') continue;
    if (found !== null) return null;
    found = rawHeaders[index + 1] ?? '';
  }
  return found === null ? null : (/^bearer ([!-~]+)$/i.exec(found)?.[1] ?? null);
}
