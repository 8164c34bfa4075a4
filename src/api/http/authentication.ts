import { LRUCache } from 'lru-cache';
import { parseApiKey } from '../../crypto/api-key.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { type Principal, type StoredKey, findKey, renewKeyHash } from '../../db/merchants/api-keys.ts';
import { recordKeyUse } from '../../db/merchants/merchant-keys.ts';
import type { Queryable } from '../../db/server/database.ts';

/**
 * The reasons why a call has no principal, as the sentences of its 401. All but `invalidKey` depend on the
 * header alone. `invalidKey` does not reveal whether the key exists: it may be unknown, revoked, or of a
 * merchant that is not active.
 */
export const authenticationFaults = {
  missing: 'The Authorization header is missing. Send "Authorization: Bearer <API key>".',
  repeated: 'Send exactly one Authorization header.',
  notBearer: 'The Authorization header must be "Bearer <API key>".',
  malformedKey:
    'The API key is malformed. Keys begin with cps_sandbox_ or cps_live_; copy the whole key, without spaces.',
  invalidKey: 'Invalid API key.',
} as const;

export type Authentication =
  { ok: true; principal: Principal } | { ok: false; fault: keyof typeof authenticationFaults };

/**
 * Returns the caller, or what is wrong with the raw headers (name, value, name, value, …) or their key.
 * Unknown and revoked keys take the same time: a key is looked up by the keyed hash of the whole key, so a
 * known id with a wrong secret is simply a key that is not stored. Throws if the key store is unavailable.
 * Spec: Authentication 1, 4.
 */
export async function authenticate(
  deps: { keys: Pick<KeyCache, 'find'>; keyring: Keyring },
  rawHeaders: string[],
  address: string | null = null,
): Promise<Authentication> {
  const header = authorizationHeader(rawHeaders);
  if (!header.ok) return header;
  const text = /^bearer ([!-~]+)$/i.exec(header.value)?.[1];
  if (text === undefined) return { ok: false, fault: 'notBearer' };
  const key = parseApiKey(text);
  if (!key) return { ok: false, fault: 'malformedKey' };
  const stored = await deps.keys.find(deps.keyring.lookupHashes(hashPurposes.apiKey, key.text), address);
  const valid = stored?.keyId === key.keyId && stored.usable && stored.environment === key.environment;
  return valid ? { ok: true, principal: stored } : { ok: false, fault: 'invalidKey' };
}

/** Returns the value of the only Authorization header. */
function authorizationHeader(
  rawHeaders: string[],
): { ok: true; value: string } | { ok: false; fault: 'missing' | 'repeated' } {
  const values = rawHeaders.filter(
    (_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'authorization',
  );
  const [value] = values;
  if (value === undefined) return { ok: false, fault: 'missing' };
  return values.length > 1 ? { ok: false, fault: 'repeated' } : { ok: true, value };
}

/** A cache of the API keys that callers use. An entry is at most a second old. */
export interface KeyCache {
  /**
   * Returns the key that has one of these hashes (that of the newest look-up key first), at most `cachedMs`
   * old; null for an unknown key. `address` is the caller's and is stored with the key's last use. Throws if
   * the database is unavailable.
   */
  find: (secretHashes: Buffer[], address?: string | null) => Promise<StoredKey | null>;
  /** Clears the cache, after a change. */
  clear: () => void;
}

/** How long a key is cached, in ms, if no notification of a change arrives. Less than the promised second. */
const cachedMs = 900;

/** The shortest time between two writes of a key's last use, in ms. */
const usedEveryMs = 60_000;

/** The maximum number of cached keys; beyond it the least recently used one is evicted. */
const maxKeys = 5_000;

/**
 * Returns a cache of API keys. One database read serves all calls of a key for less than a second, so a
 * revocation takes effect within a second, and usually at once. Unknown keys are not cached. A key whose hash
 * was made with an older look-up key gets one of `lookupKeyId`, so that the older one can be retired. `now`:
 * epoch ms. AUTH-16.
 */
export function createKeyCache({
  database,
  lookupKeyId,
  now,
}: {
  database: Queryable;
  lookupKeyId: string;
  now: () => number;
}): KeyCache {
  const clock = { perf: { now }, ttlResolution: 0 };
  /** Keys whose use was stored within the last minute. */
  const noted = new LRUCache<string, true>({ max: maxKeys, ttl: usedEveryMs, ...clock });
  const cached = new LRUCache<string, Promise<StoredKey | null>>({ max: maxKeys, ttl: cachedMs, ...clock });

  const load = async (secretHashes: Buffer[], address: string | null): Promise<StoredKey | null> => {
    const found = await findKey(database, secretHashes);
    const [secretHash] = secretHashes;
    if (found && secretHash && found.lookupKeyId !== lookupKeyId) {
      // Runs in the background; if it fails, the next call does it.
      renewKeyHash(database, { keyId: found.keyId, secretHash, lookupKeyId }).catch(() => undefined);
    }
    if (found?.usable) noteUse(found.keyId, address);
    return found;
  };

  /** Stores the use of a key in the background, at most once a minute, because it is shown to the minute. */
  const noteUse = (keyId: string, address: string | null): void => {
    if (noted.has(keyId)) return;
    noted.set(keyId, true);
    recordKeyUse(database, keyId, new Date(now()), address).catch(() => noted.delete(keyId));
  };

  return {
    find: (secretHashes, address = null) => {
      const name = secretHashes[0]?.toString('base64') ?? '';
      const known = cached.get(name);
      if (known) return known;
      const key = load(secretHashes, address);
      cached.set(name, key);
      const forget = (): void => {
        if (cached.peek(name) === key) cached.delete(name);
      };
      key.then((found) => found ?? forget(), forget);
      return key;
    },
    clear: () => cached.clear(),
  };
}
