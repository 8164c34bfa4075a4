import canonicalize from 'canonicalize';
import { type AuditEntry, genesisHash } from '../domain/audit.ts';
import { isSignedBy, sha256Hex } from './signing.ts';

/** Returns the hash of an entry: SHA-256 of its canonical JSON (RFC 8785), with the hash before it. */
export function auditHash(entry: Omit<AuditEntry, 'hash' | 'signature'>): string {
  const { merchantId, sequence, at, actor, environment, action, subject, before, after, previousHash } =
    entry;
  const { kind, id, name, address } = actor;
  const content = {
    merchantId,
    sequence,
    at,
    actor: { kind, id, name, address },
    environment,
    action,
    subject: { type: subject.type, id: subject.id },
    before,
    after,
    previousHash,
  };
  return sha256Hex(canonicalize(content) ?? '');
}

/** The end of a chain. */
export interface ChainHead {
  sequence: number;
  hash: string;
}

/** The head before the first entry. */
export const emptyChain: ChainHead = { sequence: 0, hash: genesisHash };

/** Returns the hash of an export's end, which is signed. */
export const exportHash = (end: ChainHead & { merchantId: string; unsignedUntil: number }): string =>
  sha256Hex(JSON.stringify([end.merchantId, end.sequence, end.hash, end.unsignedUntil]));

/** The signer whose signatures a chain must have. */
export interface Signer {
  /** Ed25519; null: no key exists yet, and no signature is valid. */
  publicKey: Buffer | null;
  /** Entries up to this number may lack a signature. */
  unsignedUntil: number;
}

/**
 * Returns the head after `entry`, or its fault as text: it does not come next, does not name the hash before
 * it, is another merchant's, was changed since it was written, or was written by a program without the
 * signing key. `signer` null: signatures are not checked.
 */
export function follow(
  head: ChainHead,
  entry: AuditEntry,
  merchantId: string,
  signer: Signer | null,
): ChainHead | string {
  const place = `entry ${entry.sequence}`;
  if (entry.merchantId !== merchantId) return `${place} is of another merchant`;
  if (entry.sequence !== head.sequence + 1) {
    return `entry ${head.sequence + 1} is missing: ${place} comes in its place`;
  }
  if (entry.previousHash !== head.hash) return `${place} does not follow the entry before it`;
  if (auditHash(entry) !== entry.hash) return `${place} was changed after it was written`;
  const forged = signer && forgery(entry, signer);
  if (forged) return `${place} ${forged}`;
  return { sequence: entry.sequence, hash: entry.hash };
}

function forgery(entry: AuditEntry, { publicKey, unsignedUntil }: Signer): string | null {
  if (entry.signature === null) {
    return entry.sequence <= unsignedUntil
      ? null
      : 'is forged, or of an earlier build: it has no signature (docs/dashboard.md, "The audit log")';
  }
  const signature = Buffer.from(entry.signature, 'base64');
  return publicKey && isSignedBy(publicKey, 'audit entry', entry.hash, signature)
    ? null
    : 'is forged: its signature is not by the key of this service';
}
