import type { Keyring } from '../../crypto/keyring.ts';
import { sealContext } from '../../crypto/seal-contexts.ts';
import { newSigningSeed, type SigningKey, signingKey } from '../../crypto/signing.ts';
import type { Queryable } from './database.ts';

/** Loaded keys, cached while the process runs. */
const found = new WeakMap<Keyring, SigningKey>();

/**
 * Returns the key that signs the chains of this database; the first caller creates it. Throws when these
 * encryption keys cannot open it, because nothing may be written with other keys. ADR 0065.
 */
export async function loadChainKey(database: Queryable, keyring: Keyring): Promise<SigningKey> {
  const known = found.get(keyring);
  if (known) return known;
  const stored = await findChainKey(database, keyring);
  if (stored) {
    // A key that this very transaction created is not cached, because a rollback would remove it.
    if (stored.isCommitted) found.set(keyring, stored);
    return stored;
  }
  await database.query(
    `INSERT INTO chain_keys (name, private_key_sealed) VALUES ('chains', $1) ON CONFLICT (name) DO NOTHING`,
    [keyring.seal(newSigningSeed(), sealContext.chainKey())],
  );
  const made = await findChainKey(database, keyring);
  if (!made) throw new Error('the signing key was not stored');
  return made;
}

/** Returns the signing key without creating one; null if there is none yet. */
export async function findChainKey(
  database: Queryable,
  keyring: Keyring,
): Promise<(SigningKey & { isCommitted: boolean }) | null> {
  const { rows } = await database.query<{ sealed: Buffer; isCommitted: boolean }>(
    'SELECT private_key_sealed AS sealed, created_at < now() AS "isCommitted" FROM chain_keys',
  );
  const [row] = rows;
  if (!row) return null;
  try {
    return { ...signingKey(keyring.open(row.sealed, sealContext.chainKey())), isCommitted: row.isCommitted };
  } catch (error) {
    throw new Error('ENCRYPTION_KEYS cannot open the signing key of this database: set its own keys', {
      cause: error,
    });
  }
}
