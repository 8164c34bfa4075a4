import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/**
 * The development key. Well known on purpose; a production start with it is refused (docs/configuration.md).
 */
export const developmentEncryptionKeys = `dev:${Buffer.alloc(32, 'card-payments development key!!').toString('base64')}`;

const formatVersion = 1;
const ivBytes = 12;
const tagBytes = 16;

/** Where a sealed value lives; authenticated with it, so that a ciphertext moved elsewhere does not open. */
export interface SealContext {
  table: string;
  column: string;
  row: string;
}

/**
 * Sealing, opening and keyed hashes of secrets. Built once from `ENCRYPTION_KEYS` by the composition roots.
 */
export interface Keyring {
  /** Seals UTF-8 text with AES-256-GCM under the active key. */
  seal(text: string, context: SealContext): Buffer;
  /**
   * Opens what `seal` made. Throws when the value was changed, moved, or sealed under a key not in the ring.
   */
  open(sealed: Buffer, context: SealContext): string;
  /** Keyed hash (32 bytes) for looking a secret up without storing it. `purpose` separates uses. */
  lookupHash(purpose: string, secret: string): Buffer;
  /** Encrypts bytes for Temporal payloads. */
  sealBytes(bytes: Uint8Array, associatedData: Buffer): Buffer;
  openBytes(sealed: Uint8Array, associatedData: Buffer): Buffer;
}

/**
 * Builds a keyring from `id:base64,id:base64` (32 bytes each). The first key seals, all of them open. Lookup
 * hashes come from the last key of the ring, so that rotating in a new first key leaves them findable.
 * Throws an Error with a message safe to print.
 */
export function createKeyring(encryptionKeys: string): Keyring {
  const keys = parseKeys(encryptionKeys);
  const [active] = keys;
  const oldest = keys.at(-1);
  if (!active || !oldest) throw new Error('ENCRYPTION_KEYS is empty');
  const byId = new Map(keys.map((key) => [key.id, key.bytes]));
  const lookupKey = Buffer.from(hkdfSync('sha256', oldest.bytes, '', 'card-payments/lookup', 32));

  const sealBytes = (bytes: Uint8Array, associatedData: Buffer): Buffer => {
    const iv = randomBytes(ivBytes);
    const header = Buffer.from([formatVersion, active.id.length, ...Buffer.from(active.id)]);
    const cipher = createCipheriv('aes-256-gcm', active.bytes, iv);
    cipher.setAAD(Buffer.concat([header, associatedData]));
    const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
    return Buffer.concat([header, iv, cipher.getAuthTag(), body]);
  };

  const openBytes = (sealed: Uint8Array, associatedData: Buffer): Buffer => {
    const buffer = Buffer.from(sealed);
    if (buffer[0] !== formatVersion) throw new Error('sealed value has an unknown format');
    const bodyAt = 2 + (buffer[1] ?? 0);
    const header = buffer.subarray(0, bodyAt);
    const key = byId.get(header.subarray(2).toString());
    if (!key) throw new Error('sealed value needs a key that is not in ENCRYPTION_KEYS');
    const decipher = createDecipheriv('aes-256-gcm', key, buffer.subarray(bodyAt, bodyAt + ivBytes));
    decipher.setAAD(Buffer.concat([header, associatedData]));
    decipher.setAuthTag(buffer.subarray(bodyAt + ivBytes, bodyAt + ivBytes + tagBytes));
    return Buffer.concat([decipher.update(buffer.subarray(bodyAt + ivBytes + tagBytes)), decipher.final()]);
  };

  return {
    sealBytes,
    openBytes,
    seal: (text, context) => sealBytes(Buffer.from(text, 'utf8'), contextBytes(context)),
    open: (sealed, context) => openBytes(sealed, contextBytes(context)).toString('utf8'),
    lookupHash: (purpose, secret) =>
      createHmac('sha256', lookupKey).update(purpose).update('\0').update(secret).digest(),
  };
}

/** Compares two hashes without telling by timing where they differ; unequal lengths are simply unequal. */
export function equalHashes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

const contextBytes = (context: SealContext): Buffer =>
  Buffer.from(JSON.stringify([context.table, context.column, context.row]));

function parseKeys(text: string): { id: string; bytes: Buffer }[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [id, encoded] = entry.split(':');
      const bytes = Buffer.from(encoded ?? '', 'base64');
      if (!id || !/^[a-z0-9-]{1,32}$/.test(id) || bytes.length !== 32) {
        throw new Error('ENCRYPTION_KEYS must be a comma-separated list of id:base64 of 32 bytes');
      }
      return { id, bytes };
    });
}
