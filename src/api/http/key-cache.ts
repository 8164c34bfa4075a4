import { type StoredKey, findKey } from '../../db/api-keys.ts';
import type { Queryable } from '../../db/database.ts';

/** The keys of callers, as the database holds them or held them a moment ago. */
export interface KeyCache {
  /** Returns the key, at most `keptMs` old; null for an unknown one. Throws when the database is away. */
  find: (keyId: string) => Promise<StoredKey | null>;
  /** Forgets all: something changed. */
  clear: () => void;
}

/** How long a key is kept, in ms, where no notice of a change arrives: less than the second promised. */
const keptMs = 900;

/** Keys kept at most. */
const mostKeys = 5_000;

/**
 * Returns a cache of API keys: one look at the database serves all calls of a key for a moment, so that a
 * revocation holds within a second, and usually at once. Unknown keys are not kept. `now`: epoch ms. AUTH-16.
 */
export function createKeyCache({ database, now }: { database: Queryable; now: () => number }): KeyCache {
  const kept = new Map<string, { until: number; key: Promise<StoredKey | null> }>();
  return {
    find: (keyId) => {
      const at = now();
      const known = kept.get(keyId);
      if (known && at < known.until) return known.key;
      if (kept.size >= mostKeys) kept.clear();
      const key = findKey(database, keyId);
      const entry = { until: at + keptMs, key };
      kept.set(keyId, entry);
      const forget = (): void => {
        if (kept.get(keyId) === entry) kept.delete(keyId);
      };
      key.then((found) => found ?? forget(), forget);
      return key;
    },
    clear: () => kept.clear(),
  };
}
