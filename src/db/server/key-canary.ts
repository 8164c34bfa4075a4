import { type Keyring, type SealContext, UnknownKey } from '../../crypto/keyring.ts';
import { sealContext } from '../../crypto/seal-contexts.ts';
import type { Queryable } from './database.ts';

const text = 'sealed with the keys of this database';

/**
 * Returns why these encryption keys do not belong to this database, in one line with the fix; null if they
 * do. A process with other keys would answer every merchant with 401 and could open no payment. The first
 * process seals a canary, which every later one must be able to open. ADR 0050.
 */
export async function refuseKeys(database: Queryable, keyring: Keyring): Promise<string | null> {
  const found = await findKeys(database, keyring);
  if (found !== 'unsealed') return found?.refusal ?? null;
  await insertCanary(database, keyring.seal(text, sealContext.canary()));
  // Another process with other keys may have been first.
  const stored = await loadCanary(database);
  return stored === null ? null : (refusalOf(keyring, stored, sealContext.canary())?.refusal ?? null);
}

/** The same check without writing; `unsealed` if the database has no canary yet. */
export async function findKeys(
  database: Queryable,
  keyring: Keyring,
): Promise<'unsealed' | { refusal: string } | null> {
  const canary = await loadCanary(database);
  if (canary !== null) return refusalOf(keyring, canary, sealContext.canary());
  // An earlier version sealed no canary: the newest sealed value shows which keys belong to the database.
  const newest = await newestSealedUrl(database);
  if (newest === null) return 'unsealed';
  return refusalOf(keyring, newest.sealed, sealContext.checkoutUrl(newest.paymentId)) ?? 'unsealed';
}

function refusalOf(keyring: Keyring, sealed: Buffer, context: SealContext): { refusal: string } | null {
  try {
    keyring.open(sealed, context);
    return null;
  } catch (error) {
    const name = keyring.sealedUnder(sealed);
    const fault =
      error instanceof UnknownKey
        ? `lacks the key "${name}" of this database: add it after your own`
        : `has a key "${name}" that is not this database's: set the bytes it was made with`;
    return { refusal: `ENCRYPTION_KEYS ${fault} (docs/security.md, "Keys")` };
  }
}

/** Returns the sealed canary; null if none was written yet. */
async function loadCanary(database: Queryable): Promise<Buffer | null> {
  const { rows } = await database.query<{ sealed: Buffer }>('SELECT text_sealed AS sealed FROM key_canary');
  return rows[0]?.sealed ?? null;
}

/** Stores the sealed canary, unless another process already has. */
async function insertCanary(database: Queryable, sealed: Buffer): Promise<void> {
  await database.query(
    `INSERT INTO key_canary (name, text_sealed) VALUES ('canary', $1) ON CONFLICT (name) DO NOTHING`,
    [sealed],
  );
}

/** Returns the sealed checkout address of the newest payment; null if there is no payment. */
async function newestSealedUrl(database: Queryable): Promise<{ paymentId: string; sealed: Buffer } | null> {
  const { rows } = await database.query<{ paymentId: string; sealed: Buffer }>(
    'SELECT id AS "paymentId", checkout_url_sealed AS sealed FROM payments ORDER BY id DESC LIMIT 1',
  );
  return rows[0] ?? null;
}
