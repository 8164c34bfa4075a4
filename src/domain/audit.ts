import type { Environment } from './statuses.ts';

/**
 * The author of a change: the operator's command, a member of the dashboard, a program with an API key, the
 * service itself because the merchant's settings ask for it, or the payment provider, which names no person.
 */
export interface Actor {
  kind: 'operator' | 'member' | 'apiKey' | 'service' | 'provider';
  /** The id of the member or the key; null for the others. */
  id: string | null;
  /** The shown name: `operator`, the member's name, or the key's id. */
  name: string;
  /** The caller's IP address, or the machine of the command. */
  address: string | null;
}

/** Who makes a change, and when. */
export interface By {
  actor: Actor;
  at: Date;
}

/** One change, as it is recorded. `before` and `after` never hold a secret. */
export interface AuditChange {
  merchantId: string;
  /** Null: the change concerns the merchant as a whole. */
  environment: Environment | null;
  actor: Actor;
  /** The action, as `<noun>.<past tense>`. */
  action: string;
  subject: { type: string; id: string };
  /** The values before and after the change; null where there are none. */
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  at: Date;
}

/** The values of a subject before and after a change. */
export type BeforeAfter = Pick<AuditChange, 'before' | 'after'>;

/** An entry of a merchant's chain. `at` is ISO 8601 with milliseconds, hashes are hexadecimal. */
export interface AuditEntry extends Omit<AuditChange, 'at'> {
  sequence: number;
  at: string;
  previousHash: string;
  hash: string;
  /** Ed25519 signature of the hash, in base64; null: an earlier build did not sign. */
  signature: string | null;
}

/** The end of a chain as it is published: the number and the hash of its last entry. */
export interface AuditHead {
  sequence: number;
  hash: string;
  /** The signature of the last entry. */
  signature: string | null;
  at: string | null;
}

/** The hash before the first entry of a chain. */
export const genesisHash = '0'.repeat(64);

/**
 * Returns the differences between two views of the same thing, by member. Members that are equal as JSON are
 * left out of both.
 */
export function difference(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const pick = (from: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(names.map((name) => [name, from[name] ?? null]));
  return { before: pick(before), after: pick(after) };
}
