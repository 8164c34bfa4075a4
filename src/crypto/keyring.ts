import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { parseKeys, parseLookupKeys } from './key-list.ts';

/** The development key, public on purpose. Production refuses to start with it (docs/configuration.md). */
export const developmentEncryptionKeys = `dev:${Buffer.alloc(32, 'card-payments development key!!').toString('base64')}`;

const formatVersion = 1;
const ivBytes = 12;
const tagBytes = 16;

/** The place of a sealed value, authenticated with it, so that a moved ciphertext does not open. */
export interface SealContext {
  table: string;
  column: string;
  row: string;
}

/** Seals, opens and hashes secrets. Built once from `ENCRYPTION_KEYS` by the composition roots. */
export interface Keyring {
  /** Seals UTF-8 text with AES-256-GCM under the active key. */
  seal(text: string, context: SealContext): Buffer;
  /** Opens a sealed value. Throws when it was changed, moved, or sealed under a key not in the ring. */
  open(sealed: Buffer, context: SealContext): string;
  /**
   * Returns a keyed hash (32 bytes) by which a secret is found without being stored, under the first look-up
   * key. `purpose` separates uses.
   */
  lookupHash(purpose: string, secret: string): Buffer;
  /** Returns that hash under every look-up key, the first one first. A stored hash may equal any. */
  lookupHashes(purpose: string, secret: string): Buffer[];
  /** Name of the look-up key that makes new hashes. */
  readonly lookupKeyId: string;
  /** Name of the key that seals. */
  readonly activeKeyId: string;
  /** Returns the name of the key under which a value was sealed. Throws when it is no sealed value. */
  sealedUnder(sealed: Uint8Array): string;
  /** Encrypts bytes for Temporal payloads. */
  sealBytes(bytes: Uint8Array, associatedData: Buffer): Buffer;
  /** Decrypts what `sealBytes` returned for the same `associatedData`. Throws as `open` does. */
  openBytes(sealed: Uint8Array, associatedData: Buffer): Buffer;
}

/**
 * Returns a keyring from `id:base64,id:base64` (32 bytes each) and LOOKUP_KEYS, if it is set. The first key
 * seals, and all keys open. The first look-up key makes hashes, and all of them find. Throws an Error with a
 * message that is safe to print. docs/security.md, "Keys".
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
    // Without a length Node.js also accepts shorter tags, which are easier to guess.
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

/** Returns the parts of a sealed value: format and key's name, nonce, tag, ciphertext. */
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

/** Returns whether two hashes are equal, in constant time. Unequal lengths are unequal. */
export function equalHashes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

const contextBytes = (context: SealContext): Buffer =>
  Buffer.from(JSON.stringify([context.table, context.column, context.row]));
