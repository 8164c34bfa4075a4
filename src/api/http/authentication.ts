import { parseApiKey } from '../../crypto/api-key.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { type Principal, type StoredKey, findKey, renewKeyHash } from '../../db/merchants/api-keys.ts';
import { noteKeyUse } from '../../db/merchants/merchant-keys.ts';
import type { Queryable } from '../../db/server/database.ts';

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

/** The keys of callers, as the database holds them or held them a moment ago. */
export interface KeyCache {
  /**
   * Returns the key that has one of these hashes, newest look-up key first; at most `keptMs` old; null for an
   * unknown one. Throws when the database is away.
   */
  find: (secretHashes: Buffer[]) => Promise<StoredKey | null>;
  /** Forgets all: something changed. */
  clear: () => void;
}

/** How long a key is kept, in ms, where no notice of a change arrives: less than the second promised. */
const keptMs = 900;

/** How often the use of a key is written down, in ms. */
const usedEveryMs = 60_000;

/** Keys kept at most. */
const mostKeys = 5_000;

/**
 * Returns a cache of API keys: one look at the database serves all calls of a key for a moment, so that a
 * revocation holds within a second, and usually at once. Unknown keys are not kept. A key whose hash was made
 * with an older look-up key gets one of `lookupKeyId`, which allows the older one to be retired. `now`: epoch
 * ms. AUTH-16.
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
  /** When the use of a key was written down last. */
  const noted = new Map<string, number>();
  const kept = new Map<string, { until: number; key: Promise<StoredKey | null> }>();

  const load = async (secretHashes: Buffer[]): Promise<StoredKey | null> => {
    const found = await findKey(database, secretHashes);
    const [secretHash] = secretHashes;
    if (found && secretHash && found.lookupKeyId !== lookupKeyId) {
      // Beside the call: it is done at the next one where it fails.
      renewKeyHash(database, { keyId: found.keyId, secretHash, lookupKeyId }).catch(() => undefined);
    }
    if (found?.usable) noteUse(found.keyId);
    return found;
  };

  /** Beside the call, and seldom: it is shown to the minute. */
  const noteUse = (keyId: string): void => {
    const at = now();
    if (at < (noted.get(keyId) ?? 0) + usedEveryMs) return;
    if (noted.size >= mostKeys) noted.clear();
    noted.set(keyId, at);
    noteKeyUse(database, keyId, new Date(at)).catch(() => noted.delete(keyId));
  };

  return {
    find: (secretHashes) => {
      const name = secretHashes[0]?.toString('base64') ?? '';
      const at = now();
      const known = kept.get(name);
      if (known && at < known.until) return known.key;
      if (kept.size >= mostKeys) kept.clear();
      const key = load(secretHashes);
      const entry = { until: at + keptMs, key };
      kept.set(name, entry);
      const forget = (): void => {
        if (kept.get(name) === entry) kept.delete(name);
      };
      key.then((found) => found ?? forget(), forget);
      return key;
    },
    clear: () => kept.clear(),
  };
}
