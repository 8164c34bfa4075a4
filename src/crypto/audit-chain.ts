import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { type AuditEntry, genesisHash } from '../domain/audit.ts';

/** Returns the hash of an entry: SHA-256 over its canonical JSON (RFC 8785), with the hash before it. */
export function auditHash(entry: Omit<AuditEntry, 'hash'>): string {
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
  return createHash('sha256')
    .update(canonicalize(content) ?? '')
    .digest('hex');
}

/** The end of a chain. */
export interface ChainHead {
  sequence: number;
  hash: string;
}

/** Where a chain begins. */
export const emptyChain: ChainHead = { sequence: 0, hash: genesisHash };

/**
 * Returns the head after `entry`, or what is wrong with it, in words: that it does not come next, does not
 * name the hash before it, is another merchant's, or was changed since it was written.
 */
export function follow(head: ChainHead, entry: AuditEntry, merchantId: string): ChainHead | string {
  const place = `entry ${entry.sequence}`;
  if (entry.merchantId !== merchantId) return `${place} is of another merchant`;
  if (entry.sequence !== head.sequence + 1) {
    return `entry ${head.sequence + 1} is missing: ${place} comes in its place`;
  }
  if (entry.previousHash !== head.hash) return `${place} does not follow the entry before it`;
  if (auditHash(entry) !== entry.hash) return `${place} was changed after it was written`;
  return { sequence: entry.sequence, hash: entry.hash };
}
