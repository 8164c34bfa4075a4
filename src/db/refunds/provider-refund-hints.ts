import { type Database, type Queryable, inTransaction } from '../server/database.ts';
import { anyRow } from '../server/due-work.ts';
import type { NextCheck } from '../server/next-check.ts';
import { moveBackByReferences } from '../payments/archive.ts';
import { moveCursor } from '../merchants/provider-cursors.ts';

/** A payment whose refunds must be read from the provider. */
export interface RefundHints {
  /** The payment's id. */
  id: string;
  merchantId: string;
  /** Failed checks in a row. */
  failures: number;
}

/** Schedules a read of a payment's refunds from the provider, due at once. */
export async function scheduleRefundRead(database: Queryable, paymentId: string, now: Date): Promise<void> {
  await database.query(
    `INSERT INTO provider_refund_hints (payment_id, next_check_at) VALUES ($1, $2)
     ON CONFLICT (payment_id) DO UPDATE SET next_check_at = excluded.next_check_at`,
    [paymentId, now],
  );
}

/** A refund as the provider's list returns it. */
export interface ListedRefund {
  /** The provider's id of the refund. */
  reference: string;
  /** This service's id of the refund, if the provider stores one. */
  key: string | null;
  /** The provider's object behind the charge. */
  chargeReference: string;
}

/**
 * Returns SQL that schedules a read of the payments whose listed refunds are not stored, for attempts that
 * meet this condition.
 */
const insertHints = (attempts: '' | "AND a.status = 'paid'"): string => `
  INSERT INTO provider_refund_hints (payment_id, next_check_at)
  SELECT DISTINCT p.id, $3::timestamptz
  FROM json_to_recordset($2) AS h (reference text, key text, "chargeReference" text)
  JOIN attempts a ON a.provider_reference = h."chargeReference" ${attempts}
  JOIN payments p ON p.id = a.payment_id AND p.connector_id = $1
  WHERE NOT EXISTS (
    SELECT FROM refunds r
    WHERE r.payment_id = p.id AND (r.id::text = h.key OR r.provider_reference = h.reference))`;

/**
 * Stores the refunds of a page of the provider's list and moves the cursor past the page, in one transaction:
 * it schedules a read for every payment of this connector with a refund that is not stored. `behind` are
 * refunds that every page lists again. For them only paid attempts are read, and a scheduled read keeps its
 * time, so that a refund that never matches is read less and less often.
 */
export function storeListedRefunds(
  database: Database,
  connectorId: string,
  page: {
    provider: string;
    refunds: readonly ListedRefund[];
    behind: readonly ListedRefund[];
    cursor: string;
  },
  now: Date,
): Promise<void> {
  return inTransaction(database, async (transaction) => {
    const charges = [...page.refunds, ...page.behind].map(({ chargeReference }) => chargeReference);
    await moveBackByReferences(transaction, charges);
    await transaction.query(
      `${insertHints('')} ON CONFLICT (payment_id) DO UPDATE SET next_check_at = excluded.next_check_at`,
      [connectorId, JSON.stringify(page.refunds), now],
    );
    await transaction.query(`${insertHints("AND a.status = 'paid'")} ON CONFLICT (payment_id) DO NOTHING`, [
      connectorId,
      JSON.stringify(page.behind),
      now,
    ]);
    await moveCursor(transaction, { ...page, list: 'refunds' }, now);
  });
}

export const refundHintsAreDue = anyRow(
  'provider_refund_hints WHERE next_check_at <= now() ORDER BY next_check_at',
);

/** Returns the payments whose refunds must be read now, in the order in which they are due. */
export async function dueRefundHints(database: Queryable, now: Date, limit: number): Promise<RefundHints[]> {
  const { rows } = await database.query<RefundHints>(
    `SELECT h.payment_id AS id, p.merchant_id AS "merchantId", h.failures
     FROM provider_refund_hints h JOIN payments p ON p.id = h.payment_id
     WHERE h.next_check_at <= $1 ORDER BY h.next_check_at LIMIT $2`,
    [now, limit],
  );
  return rows;
}

/**
 * Stores the results of the checks at `now`. Deletes the rows of payments that need no further read, and
 * schedules the next read of the others. A row that was scheduled again meanwhile is left unchanged.
 */
export async function recordRefundHintChecks(
  database: Queryable,
  checks: readonly NextCheck[],
  now: Date,
): Promise<void> {
  const done = checks.filter(({ at }) => at === null).map(({ id }) => id);
  await database.query(
    'DELETE FROM provider_refund_hints WHERE payment_id = ANY ($1) AND next_check_at <= $2',
    [done, now],
  );
  await database.query(
    `UPDATE provider_refund_hints h SET next_check_at = n.at, failures = n.failures
     FROM json_to_recordset($1) AS n (id uuid, at timestamptz, failures int)
     WHERE h.payment_id = n.id AND n.at IS NOT NULL AND h.next_check_at <= $2`,
    [JSON.stringify(checks), now],
  );
}
