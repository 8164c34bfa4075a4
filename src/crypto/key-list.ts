/** One key of a setting such as `ENCRYPTION_KEYS`. */
export interface NamedKey {
  id: string;
  bytes: Buffer;
}

/** The prefix of an entry of `LOOKUP_KEYS` that derives from an encryption key: `derived:<its id>`. */
const derived = 'derived';

const shape = /^([a-z0-9-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/;

/**
 * Returns the keys of `id:base64,id:base64` (32 bytes each), in their order. Throws an Error that names the
 * setting and no key.
 */
export function parseKeys(setting: string, text: string): NamedKey[] {
  const keys = entries(text).map((entry) => {
    const [, id = '', encoded = ''] = shape.exec(entry) ?? [];
    const bytes = Buffer.from(encoded, 'base64');
    if (bytes.length !== 32 || id === derived) {
      throw new Error(`${setting} must be a comma-separated list of id:base64 of 32 bytes`);
    }
    return { id, bytes };
  });
  if (keys.length === 0) throw new Error(`${setting} is empty`);
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new Error(`${setting} has an id twice`);
  return keys;
}

/**
 * Returns the keys from which look-ups derive, first the one that makes new hashes. Unset: the oldest
 * encryption key, which then cannot be retired. Throws an Error that names the setting and no key.
 */
export function parseLookupKeys(text: string | undefined, encryptionKeys: readonly NamedKey[]): NamedKey[] {
  const oldest = encryptionKeys.at(-1);
  if (text === undefined) return oldest ? [{ ...oldest, id: `${derived}:${oldest.id}` }] : [];
  const keys = entries(text).flatMap((entry) => {
    if (!entry.startsWith(`${derived}:`)) return parseKeys('LOOKUP_KEYS', entry);
    const from = encryptionKeys.find(({ id }) => entry === `${derived}:${id}`);
    if (!from) throw new Error('LOOKUP_KEYS derives from a key that is not in ENCRYPTION_KEYS');
    return [{ ...from, id: entry }];
  });
  if (keys.length === 0) throw new Error('LOOKUP_KEYS is empty');
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new Error('LOOKUP_KEYS has an id twice');
  return keys;
}

/** Bounded, because each key needs a call to a service. */
const maxWrapped = 100;

const wrappedShape = /^([a-z0-9-]{1,32}):([A-Za-z0-9+/:_=-]{1,8192})$/;

/**
 * Returns the entries of a list whose keys a key service wrapped, in their order. For `derived:<id>`,
 * `wrapped` is null and the entry is the `id`. Throws an Error that names the setting and no entry.
 */
export function parseWrappedKeys(setting: string, text: string): { id: string; wrapped: string | null }[] {
  const keys = entries(text).map((entry) => {
    const [, id = '', wrapped = ''] = wrappedShape.exec(entry) ?? [];
    if (id === derived && setting === 'LOOKUP_KEYS') return { id: entry, wrapped: null };
    if (wrapped === '' || id === derived) {
      throw new Error(`${setting} must be a comma-separated list of id:wrapped key (admin keys wrap)`);
    }
    return { id, wrapped };
  });
  if (keys.length === 0) throw new Error(`${setting} is empty`);
  if (keys.length > maxWrapped) throw new Error(`${setting} has more than ${maxWrapped} keys`);
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new Error(`${setting} has an id twice`);
  return keys;
}

/**
 * Returns why these keys protect nothing, as the end of a sentence that names no key, or null: the public
 * development key under any id, one repeated byte, two equal halves, or the same bytes under two ids.
 */
export function weakness(keys: readonly NamedKey[], publicKeys: readonly NamedKey[]): string | null {
  const seen = new Set<string>();
  for (const { bytes } of keys) {
    const text = bytes.toString('hex');
    if (publicKeys.some((known) => known.bytes.equals(bytes))) return 'holds the public development key';
    if (bytes.every((byte) => byte === bytes[0])) return 'holds a key of one repeated byte';
    // A key was doubled to reach its length, so half of it is not random.
    if (bytes.subarray(0, 16).equals(bytes.subarray(16))) return 'holds a key of two equal halves';
    if (seen.has(text)) return 'holds the same key twice';
    seen.add(text);
  }
  return null;
}

const entries = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
