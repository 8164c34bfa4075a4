import type { Queryable } from './database.ts';
import { type DueCondition, anyOf, anyRow } from './due-work.ts';

/** A merchant's audit log, with the progress of its external copy. */
export interface AuditCopy {
  merchantId: string;
  /** Number of the last entry. */
  sequence: number;
  /** Number of the last entry that the sink accepted. */
  sent: number;
}

/** The end of a log `h` is logged when it changed, at most once an hour. */
const isToBeLogged = `h.sequence > c.logged_sequence
  AND (c.logged_at IS NULL OR c.logged_at < now() - interval '1 hour')`;

/** Returns the audit logs after a merchant, in the order of ids, at most `limit`. */
export async function nextAuditCopies(
  database: Queryable,
  after: string | null,
  limit: number,
): Promise<AuditCopy[]> {
  const { rows } = await database.query<AuditCopy>(
    `SELECT c.merchant_id AS "merchantId", coalesce(h.sequence, 0) AS sequence, c.sent_sequence AS sent
     FROM audit_copies c LEFT JOIN audit_heads h USING (merchant_id)
     WHERE $1::uuid IS NULL OR c.merchant_id > $1 ORDER BY c.merchant_id LIMIT $2`,
    [after, limit],
  );
  return rows;
}

/**
 * Returns the condition that audit logs of the first `limit` merchants have entries to copy, or that there
 * are more merchants, which `nextAuditCopies` reads part by part. `toSink`: entries are sent to a sink.
 */
export const auditCopiesAreDue = (limit: number, toSink: boolean): DueCondition =>
  anyOf(
    anyRow(`audit_copies OFFSET ${limit}`),
    anyRow(`(SELECT * FROM audit_copies ORDER BY merchant_id LIMIT ${limit}) c JOIN audit_heads h USING (merchant_id)
      WHERE ${toSink ? 'h.sequence > c.sent_sequence OR ' : ''}${isToBeLogged}`),
  );

/** Stores that the sink accepted a merchant's entries up to a number. The number never decreases. */
export async function recordCopied(database: Queryable, merchantId: string, sequence: number): Promise<void> {
  await database.query(
    'UPDATE audit_copies SET sent_sequence = greatest(sent_sequence, $2) WHERE merchant_id = $1',
    [merchantId, sequence],
  );
}

/**
 * Returns the ends of those audit logs that changed since they were last logged, at least an hour ago, and
 * stores that they are logged now.
 */
export async function headsToLog(
  database: Queryable,
  merchantIds: readonly string[],
): Promise<{ merchantId: string; sequence: number; hash: string }[]> {
  const { rows } = await database.query<{ merchantId: string; sequence: number; hash: string }>(
    `UPDATE audit_copies c SET logged_sequence = h.sequence, logged_at = now()
     FROM audit_heads h
     WHERE h.merchant_id = c.merchant_id AND c.merchant_id = ANY ($1::uuid[]) AND ${isToBeLogged}
     RETURNING c.merchant_id AS "merchantId", h.sequence, encode(h.hash, 'hex') AS hash`,
    [merchantIds],
  );
  return rows;
}
