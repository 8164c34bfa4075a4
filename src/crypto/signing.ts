import { createHash, createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto';

/** An Ed25519 key that signs the hashes of chains (RFC 8032). */
export interface SigningKey {
  /** 32 bytes. */
  publicKey: Buffer;
  /** Returns the signature of a hash, 64 bytes. */
  sign(purpose: SignedChain, hash: string): Buffer;
}

/** The kind of chain of a hash. A signature of one kind is not valid for another. */
export type SignedChain = 'audit entry' | 'audit export' | 'event seal' | 'erased event';

/** The DER that precedes the 32 bytes of a private and of a public key (RFC 8410). */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Returns a new private key, 32 random bytes as base64. */
export const newSigningSeed = (): string => randomBytes(32).toString('base64');

/** Returns the signing key of a private key in base64. Throws when it is not 32 bytes. */
export function signingKey(seed: string): SigningKey {
  const der = Buffer.concat([privatePrefix, Buffer.from(seed, 'base64')]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return {
    publicKey: createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(publicPrefix.length),
    sign: (purpose, hash) => sign(null, signed(purpose, hash), key),
  };
}

/** Returns whether the public key's owner signed this hash, in this kind of chain, with `signature`. */
export function isSignedBy(
  publicKey: Buffer,
  purpose: SignedChain,
  hash: string,
  signature: Buffer,
): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  const der = Buffer.concat([publicPrefix, publicKey]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return verify(null, signed(purpose, hash), key, signature);
}

/** Returns the signed bytes: `card-payments <kind>\n<hash in hexadecimal>`. */
const signed = (purpose: SignedChain, hash: string): Buffer =>
  Buffer.from(`card-payments ${purpose}\n${hash}`);

/** Returns the SHA-256 of a text, in hexadecimal. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');
