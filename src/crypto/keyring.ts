import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { parseKeys, parseLookupKeys } from './key-list.ts';

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
  /**
   * Keyed hash (32 bytes) for looking a secret up without storing it, under the first look-up key. `purpose`
   * separates uses.
   */
  lookupHash(purpose: string, secret: string): Buffer;
  /** The same under every look-up key of the ring, the first one first: what a stored hash may equal. */
  lookupHashes(purpose: string, secret: string): Buffer[];
  /** Name of the look-up key that makes new hashes. */
  readonly lookupKeyId: string;
  /** Name of the key that seals. */
  readonly activeKeyId: string;
  /** Name of the key a value was sealed under. Throws when it is no sealed value. */
  sealedUnder(sealed: Uint8Array): string;
  /** Encrypts bytes for Temporal payloads. */
  sealBytes(bytes: Uint8Array, associatedData: Buffer): Buffer;
  openBytes(sealed: Uint8Array, associatedData: Buffer): Buffer;
}

/**
 * Builds a keyring from `id:base64,id:base64` (32 bytes each) and LOOKUP_KEYS, where it is set. The first key
 * seals, all of them open; the first look-up key makes hashes, all of them find. Throws an Error with a
 * message safe to print. docs/security.md, "Keys".
 */
export function createKeyring(encryptionKeys: string, lookupKeys?: string): Keyring {
  const keys = parseKeys('ENCRYPTION_KEYS', encryptionKeys);
  const [active] = keys;
  if (!active) throw new Error('ENCRYPTION_KEYS is empty');
  const byId = new Map(keys.map((key) => [key.id, key.bytes]));
  const lookups = parseLookupKeys(lookupKeys, keys).map(({ id, bytes }) => ({
    id,
    key: Buffer.from(hkdfSync('sha256', bytes, '', 'card-payments/lookup', 32)),
  }));
  const lookupHashes = (purpose: string, secret: string): Buffer[] =>
    lookups.map(({ key }) => createHmac('sha256', key).update(purpose).update('\0').update(secret).digest());

  const sealBytes = (bytes: Uint8Array, associatedData: Buffer): Buffer => {
    const iv = randomBytes(ivBytes);
    const header = Buffer.from([formatVersion, active.id.length, ...Buffer.from(active.id)]);
    const cipher = createCipheriv('aes-256-gcm', active.bytes, iv);
    cipher.setAAD(Buffer.concat([header, associatedData]));
    const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
    return Buffer.concat([header, iv, cipher.getAuthTag(), body]);
  };

  const openBytes = (sealed: Uint8Array, associatedData: Buffer): Buffer => {
    const { header, iv, tag, body } = parts(sealed);
    const key = byId.get(header.subarray(2).toString());
    if (!key) throw new UnknownKey();
    // Without a length Node.js takes shorter tags too, which are easier to guess.
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.concat([header, associatedData]));
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(body), decipher.final()]);
  };

  return {
    sealBytes,
    openBytes,
    seal: (text, context) => sealBytes(Buffer.from(text, 'utf8'), contextBytes(context)),
    open: (sealed, context) => openBytes(sealed, contextBytes(context)).toString('utf8'),
    lookupHash: (purpose, secret) => lookupHashes(purpose, secret)[0] ?? Buffer.alloc(0),
    lookupHashes,
    lookupKeyId: lookups[0]?.id ?? '',
    activeKeyId: active.id,
    sealedUnder: (sealed) => parts(sealed).header.subarray(2).toString(),
  };
}

/** A sealed value needs a key that is not in the ring. */
export class UnknownKey extends Error {
  constructor() {
    super('sealed value needs a key that is not in ENCRYPTION_KEYS');
    this.name = 'UnknownKey';
  }
}

/** Splits a sealed value: format and key's name, nonce, tag, ciphertext. */
function parts(sealed: Uint8Array): { header: Buffer; iv: Buffer; tag: Buffer; body: Buffer } {
  const buffer = Buffer.from(sealed);
  if (buffer[0] !== formatVersion) throw new Error('sealed value has an unknown format');
  const ivAt = 2 + (buffer[1] ?? 0);
  const tagAt = ivAt + ivBytes;
  const bodyAt = tagAt + tagBytes;
  if (buffer.length < bodyAt) throw new Error('sealed value has an unknown format');
  return {
    header: buffer.subarray(0, ivAt),
    iv: buffer.subarray(ivAt, tagAt),
    tag: buffer.subarray(tagAt, bodyAt),
    body: buffer.subarray(bodyAt),
  };
}

/** Compares two hashes in constant time; unequal lengths are unequal. */
export function equalHashes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

const contextBytes = (context: SealContext): Buffer =>
  Buffer.from(JSON.stringify([context.table, context.column, context.row]));
