import { auditHash, type ChainHead } from '../../crypto/audit-chain.ts';
import {
  type AuditChange,
  type AuditEntry,
  type AuditHead,
  type By,
  genesisHash,
} from '../../domain/audit.ts';
import type { Environment } from '../../domain/statuses.ts';
import { loadChainKey } from './chain-key.ts';
import { type Queryable, signingKeysOf } from './database.ts';

/**
 * Writes a change to its merchant's audit log. Must be the last statement of the transaction that makes the
 * change: it locks the end of the merchant's hash chain until the commit, so that each number is assigned
 * once and none is skipped. The entry is signed with the keys of the connection's pool. ADR 0065.
 */
export async function recordChange(transaction: Queryable, change: AuditChange): Promise<void> {
  const { merchantId, actor, subject } = change;
  const locked = await transaction.query<{ sequence: number; hash: string }>(
    `INSERT INTO audit_heads (merchant_id) VALUES ($1)
     ON CONFLICT (merchant_id) DO UPDATE SET sequence = audit_heads.sequence
     RETURNING sequence, encode(hash, 'hex') AS hash`,
    [merchantId],
  );
  const [head] = locked.rows;
  if (!head) throw new Error('the audit log has no head');
  const entry = {
    ...change,
    before: plain(change.before),
    after: plain(change.after),
    sequence: head.sequence + 1,
    at: change.at.toISOString(),
    previousHash: head.hash,
  };
  const hash = auditHash(entry);
  const keyring = signingKeysOf(transaction);
  const signature = keyring && (await loadChainKey(transaction, keyring)).sign('audit entry', hash);
  await transaction.query(
    `WITH added AS (
       INSERT INTO audit_entries (merchant_id, sequence, at, actor_kind, actor_id, actor_name, address, environment,
         action, subject_type, subject_id, before, after, previous_hash, hash, signature)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, decode($14, 'hex'), decode($15, 'hex'), $16))
     UPDATE audit_heads SET sequence = $2, hash = decode($15, 'hex') WHERE merchant_id = $1`,
    [
      merchantId,
      entry.sequence,
      change.at,
      actor.kind,
      actor.id,
      actor.name,
      actor.address,
      change.environment,
      change.action,
      subject.type,
      subject.id,
      entry.before === null ? null : JSON.stringify(entry.before),
      entry.after === null ? null : JSON.stringify(entry.after),
      entry.previousHash,
      hash,
      signature ?? null,
    ],
  );
}

/** Returns the value as JSON stores it, so that it has the same hash when it is read back. */
const plain = (value: Record<string, unknown> | null): Record<string, unknown> | null =>
  value === null ? null : (JSON.parse(JSON.stringify(value)) as Record<string, unknown>);

interface EntryRow extends Omit<AuditEntry, 'at' | 'actor' | 'subject'> {
  at: Date;
  actorKind: AuditEntry['actor']['kind'];
  actorId: string | null;
  actorName: string;
  address: string | null;
  subjectType: string;
  subjectId: string;
}

const columns = `merchant_id AS "merchantId", sequence, at, actor_kind AS "actorKind", actor_id AS "actorId",
  actor_name AS "actorName", address, environment, action, subject_type AS "subjectType",
  subject_id AS "subjectId", before, after, encode(previous_hash, 'hex') AS "previousHash",
  encode(hash, 'hex') AS hash, translate(encode(signature, 'base64'), E'\\n', '') AS signature`;

const entryOf = ({
  at,
  actorKind,
  actorId,
  actorName,
  address,
  subjectType,
  subjectId,
  ...row
}: EntryRow): AuditEntry => ({
  ...row,
  at: at.toISOString(),
  actor: { kind: actorKind, id: actorId, name: actorName, address },
  subject: { type: subjectType, id: subjectId },
});

/** What entries must match; an absent condition matches all. */
export interface AuditFilter {
  /** The id of a member or key, or the kind of an actor without one. */
  actor?: string | null;
  /** The noun of the action, such as `webhook`. */
  noun?: string | null;
  /** The noun of the actions that are left out. */
  without?: string | null;
  from?: Date | null;
  until?: Date | null;
}

/**
 * Returns a merchant's entries that match, newest first, at most `limit`, before a sequence number when one
 * is given. With `environment`: the entries of that environment and those of the merchant as a whole.
 */
export async function listAudit(
  database: Queryable,
  filter: {
    merchantId: string;
    environment: Environment | null;
    before: number | null;
    limit: number;
  } & AuditFilter,
): Promise<AuditEntry[]> {
  const { actor = null, noun = null, without = null, from = null, until = null } = filter;
  const { rows } = await database.query<EntryRow>(
    `SELECT ${columns} FROM audit_entries
     WHERE merchant_id = $1 AND ($2::text IS NULL OR environment IS NULL OR environment = $2)
       AND ($3::bigint IS NULL OR sequence < $3)
       AND ($5::text IS NULL OR actor_id = $5 OR actor_kind = $5)
       AND ($6::text IS NULL OR split_part(action, '.', 1) = $6)
       AND ($7::text IS NULL OR split_part(action, '.', 1) <> $7)
       AND ($8::timestamptz IS NULL OR at >= $8) AND ($9::timestamptz IS NULL OR at < $9)
     ORDER BY sequence DESC LIMIT $4`,
    [
      ...[filter.merchantId, filter.environment, filter.before, filter.limit],
      ...[actor, noun, without, from, until],
    ],
  );
  return rows.map(entryOf);
}

/** Returns a merchant's entries after a number, in the order of the chain, at most `limit`. */
export async function auditAfter(
  database: Queryable,
  merchantId: string,
  after: number,
  limit: number,
): Promise<AuditEntry[]> {
  const { rows } = await database.query<EntryRow>(
    `SELECT ${columns} FROM audit_entries WHERE merchant_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`,
    [merchantId, after, limit],
  );
  return rows.map(entryOf);
}

/** Entries that are read at once. */
const batch = 1_000;

/** Yields a merchant's entries in the order of the chain. */
export async function* readAudit(
  database: Queryable,
  merchantId: string,
): AsyncGenerator<AuditEntry, void, undefined> {
  for (let after = 0; ;) {
    const entries = await auditAfter(database, merchantId, after, batch);
    yield* entries;
    const last = entries.at(-1);
    if (!last || entries.length < batch) return;
    after = last.sequence;
  }
}

/**
 * Returns the end of a merchant's chain, which is stored separately from the entries; null if there is none.
 */
export async function auditHead(database: Queryable, merchantId: string): Promise<ChainHead | null> {
  const { rows } = await database.query<ChainHead>(
    `SELECT sequence, encode(hash, 'hex') AS hash FROM audit_heads WHERE merchant_id = $1`,
    [merchantId],
  );
  return rows[0] ?? null;
}

/** Returns the end of a merchant's chain with the signature of its last entry, as it is published. */
export async function publishedHead(database: Queryable, merchantId: string): Promise<AuditHead> {
  const { rows } = await database.query<Omit<AuditHead, 'at'> & { at: Date | null }>(
    `SELECT h.sequence, encode(h.hash, 'hex') AS hash,
       translate(encode(e.signature, 'base64'), E'\\n', '') AS signature, e.at
     FROM audit_heads h LEFT JOIN audit_entries e USING (merchant_id, sequence) WHERE h.merchant_id = $1`,
    [merchantId],
  );
  const [head] = rows;
  if (!head) return { sequence: 0, hash: genesisHash, signature: null, at: null };
  return { ...head, at: head.at?.toISOString() ?? null };
}

/** Returns the number up to which a merchant's entries may lack a signature. */
export async function unsignedUntil(database: Queryable, merchantId: string): Promise<number> {
  const { rows } = await database.query<{ until: number }>(
    'SELECT until_sequence AS until FROM audit_unsigned WHERE merchant_id = $1',
    [merchantId],
  );
  return rows[0]?.until ?? 0;
}

/**
 * Accepts that the entries of a merchant lack a signature up to a number, because a build without signatures
 * wrote them, and records this. Returns the number that applies from then on; it never decreases.
 */
export async function acceptUnsigned(
  transaction: Queryable,
  merchantId: string,
  until: number,
  by: By,
): Promise<number> {
  const { rows } = await transaction.query<{ until: number }>(
    `INSERT INTO audit_unsigned (merchant_id, until_sequence) VALUES ($1, $2)
     ON CONFLICT (merchant_id) DO UPDATE
       SET until_sequence = greatest(audit_unsigned.until_sequence, EXCLUDED.until_sequence)
     RETURNING until_sequence AS until`,
    [merchantId, until],
  );
  const accepted = rows[0]?.until ?? until;
  await recordChange(transaction, {
    ...by,
    merchantId,
    environment: null,
    action: 'audit.unsignedAccepted',
    subject: { type: 'audit', id: merchantId },
    before: null,
    after: { until: accepted },
  });
  return accepted;
}
