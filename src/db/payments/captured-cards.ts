import type { Environment } from '../../domain/statuses.ts';
import type { Queryable } from '../server/database.ts';
import { anyRow } from '../server/due-work.ts';
import type { NextCheck } from '../server/next-check.ts';

/** A payment whose cards the vault has to delete. */
export interface CapturedCards {
  /** The payment's id. */
  id: string;
  merchantId: string;
  environment: Environment;
  connectorId: string | null;
  /** The reference under which the vault stores the payment's cards. */
  vaultId: string;
  /** Failed checks in a row. */
  failures: number;
}

/**
 * How long after its deadline a payment may still use a card, in minutes. Every attempt has ended by then.
 */
const inUseMinutes = 10;

/**
 * Records that a vault stores this payment's cards until it is called to delete them. The deletion is due
 * some time after the checkout's deadline, because no attempt begins after it.
 */
export async function rememberCapturedCards(database: Queryable, paymentId: string): Promise<void> {
  await database.query(
    `INSERT INTO captured_cards (payment_id, next_check_at)
     SELECT id, expires_at + $2 * interval '1 minute' FROM payments WHERE id = $1
     ON CONFLICT (payment_id) DO NOTHING`,
    [paymentId, inUseMinutes],
  );
}

export const capturedCardsAreDue = anyRow(
  'captured_cards WHERE next_check_at <= now() ORDER BY next_check_at',
);

/** Returns the payments whose cards must be deleted now, in the order in which they are due. */
export async function dueCapturedCards(
  database: Queryable,
  now: Date,
  limit: number,
): Promise<CapturedCards[]> {
  const { rows } = await database.query<CapturedCards>(
    `SELECT c.payment_id AS id, p.merchant_id AS "merchantId", p.environment,
       p.connector_id AS "connectorId", p.vault_id AS "vaultId", c.failures
     FROM captured_cards c JOIN payments p ON p.id = c.payment_id
     WHERE c.next_check_at <= $1 ORDER BY c.next_check_at LIMIT $2`,
    [now, limit],
  );
  return rows;
}

/**
 * Stores the results of checks: deletes the rows of payments whose cards are deleted, and schedules the next
 * check of the others.
 */
export async function recordCapturedCardChecks(
  database: Queryable,
  checks: readonly NextCheck[],
): Promise<void> {
  const done = checks.filter(({ at }) => at === null).map(({ id }) => id);
  await database.query('DELETE FROM captured_cards WHERE payment_id = ANY ($1)', [done]);
  await database.query(
    `UPDATE captured_cards c SET next_check_at = n.at, failures = n.failures
     FROM json_to_recordset($1) AS n (id uuid, at timestamptz, failures int)
     WHERE c.payment_id = n.id AND n.at IS NOT NULL`,
    [JSON.stringify(checks)],
  );
}
