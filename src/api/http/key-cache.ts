import { type StoredKey, findKey, renewKeyHash } from '../../db/api-keys.ts';
import type { Queryable } from '../../db/database.ts';

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
  const kept = new Map<string, { until: number; key: Promise<StoredKey | null> }>();

  const load = async (secretHashes: Buffer[]): Promise<StoredKey | null> => {
    const found = await findKey(database, secretHashes);
    const [secretHash] = secretHashes;
    if (found && secretHash && found.lookupKeyId !== lookupKeyId) {
      // Beside the call: it is done at the next one where it fails.
      renewKeyHash(database, { keyId: found.keyId, secretHash, lookupKeyId }).catch(() => undefined);
    }
    return found;
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
