import type { DisputeRecord } from '../../domain/dispute.ts';
import type { Environment } from '../../domain/statuses.ts';
import { clearAlert, raiseBoundedAlert } from '../server/operator-alerts.ts';
import type { Database, Queryable } from '../server/database.ts';
import { inTransaction } from '../server/database.ts';
import { anyRow } from '../server/due-work.ts';
import { moveBack } from '../payments/archive.ts';
import type { NextCheck } from '../server/next-check.ts';
import { moveCursor } from '../merchants/provider-cursors.ts';

/** A dispute whose workflow is to be started. */
export interface DueDispute extends Pick<
  DisputeRecord,
  'id' | 'merchantId' | 'environment' | 'amountCents' | 'connectorId'
> {
  /** The network's id of the dispute. */
  reference: string;
  /** Failed checks in a row. */
  failures: number;
}

/** Stores when a dispute's workflow is next needed (null: never again), and resets its failed checks. */
export async function scheduleDisputeCheck(database: Queryable, id: string, at: Date | null): Promise<void> {
  await database.query('UPDATE disputes SET next_check_at = $2, check_failures = 0 WHERE id = $1', [id, at]);
}

/**
 * Schedules a check of a dispute in 15 s, because its run may be stuck. A dispute without a next check gets
 * one. Returns false for an unknown dispute.
 */
export async function scheduleDisputeCheckSoon(database: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE disputes SET next_check_at = least(next_check_at, clock_timestamp() + interval '15 seconds')
     WHERE id = $1`,
    [id],
  );
  return rowCount === 1;
}

export const disputesAreDue = anyRow('disputes WHERE next_check_at <= now() ORDER BY next_check_at');

/** Returns the disputes whose workflow is needed now, in the order in which they are due. */
export async function dueDisputes(database: Queryable, now: Date, limit: number): Promise<DueDispute[]> {
  const { rows } = await database.query<DueDispute>(
    `SELECT id, merchant_id AS "merchantId", environment, amount_cents AS "amountCents",
       provider_reference AS reference, check_failures AS failures,
       (SELECT p.connector_id FROM payments p WHERE p.id = payment_id) AS "connectorId"
     FROM disputes WHERE next_check_at <= $1 ORDER BY next_check_at LIMIT $2`,
    [now, limit],
  );
  return rows;
}

/** A dispute as the network's list of changes reports it. */
export interface DisputeHint {
  /** This service's id of the dispute. */
  id: string;
  reference: string;
  paymentId: string;
  /** The state in the network's list; null: it cannot be read, so the dispute is checked in any case. */
  reported: (Pick<DisputeRecord, 'stage' | 'status' | 'amountCents'> & { evidenceDueAt: Date | null }) | null;
}

/** The network whose list is read, and the connector of its account; `connectorId` null: the simulators. */
export interface ListOwner {
  provider: string;
  connectorId: string | null;
  environment: Environment;
}

/**
 * Stores what a page of the network's list reports and moves the cursor past the page, in one transaction. A
 * dispute of a payment that was made with this connector and is not stored yet becomes a hint: an account can
 * name any payment in its disputes. A stored dispute whose state differs is checked now. Returns the number
 * of both.
 */
export function storeListedDisputes(
  database: Database,
  { provider, connectorId, environment }: ListOwner,
  page: { disputes: readonly DisputeHint[]; cursor: string },
  now: Date,
): Promise<number> {
  return inTransaction(database, async (transaction) => {
    const hints = JSON.stringify(page.disputes);
    const ids = page.disputes.map(({ id }) => id);
    const named = uuidsAmong(page.disputes);
    await moveBack(transaction, named);
    const unknown = await transaction.query(
      `INSERT INTO dispute_hints (id, provider_reference, payment_id, next_check_at)
       SELECT h.id, h.reference, p.id, $2
       FROM json_to_recordset($1) AS h (id uuid, reference text, "paymentId" text)
       JOIN payments p ON p.id::text = h."paymentId" AND p.id = ANY ($3)
         AND p.connector_id IS NOT DISTINCT FROM $4 AND p.environment = $5
       WHERE NOT EXISTS (SELECT FROM disputes d WHERE d.id = h.id)
       ON CONFLICT (id) DO NOTHING`,
      [hints, now, named, connectorId, environment],
    );
    const changed = await transaction.query(
      `UPDATE disputes d SET next_check_at = $2
       FROM json_to_recordset($1) AS h (id uuid, reported json)
       WHERE d.id = h.id AND d.id = ANY ($3) AND (d.next_check_at IS NULL OR d.next_check_at > $2) AND (
         h.reported->>'status' IS NULL OR d.status <> h.reported->>'status' OR d.stage <> h.reported->>'stage'
         OR d.amount_cents <> (h.reported->>'amountCents')::bigint
         OR d.evidence_due_at <> (h.reported->>'evidenceDueAt')::timestamptz)`,
      [hints, now, ids],
    );
    await moveCursor(transaction, { provider, list: 'disputes', cursor: page.cursor }, now);
    return (unknown.rowCount ?? 0) + (changed.rowCount ?? 0);
  });
}

/** Returns the well-formed payment ids: the network may name payments that were never ours, in any format. */
const uuidsAmong = (disputes: readonly DisputeHint[]): string[] =>
  disputes
    .map(({ paymentId }) => paymentId)
    .filter((id) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id));

/** The condition that a hint is due, also one of a dispute that has been stored since. */
export const disputeHintsAreDue = anyRow('dispute_hints WHERE next_check_at <= now() ORDER BY next_check_at');

/** Deletes the hints of disputes that have been stored meanwhile. */
export async function forgetRecordedDisputes(database: Queryable, now: Date, limit: number): Promise<void> {
  await database.query(
    `DELETE FROM dispute_hints WHERE id = ANY (ARRAY(
       SELECT h.id FROM dispute_hints h
       WHERE h.next_check_at <= $1 AND EXISTS (SELECT FROM disputes d WHERE d.id = h.id)
       ORDER BY h.next_check_at LIMIT $2 FOR UPDATE OF h SKIP LOCKED))`,
    [now, limit],
  );
}

/** Returns the reported disputes that are not stored yet, in the order in which they are due. */
export async function dueDisputeHints(database: Queryable, now: Date, limit: number): Promise<DueDispute[]> {
  const { rows } = await database.query<DueDispute>(
    `SELECT h.id, p.merchant_id AS "merchantId", p.environment, p.amount_cents AS "amountCents",
       h.provider_reference AS reference, h.failures, p.connector_id AS "connectorId"
     FROM dispute_hints h JOIN payments p ON p.id = h.payment_id
     WHERE h.next_check_at <= $1 ORDER BY h.next_check_at LIMIT $2`,
    [now, limit],
  );
  return rows;
}

/**
 * Stores when each of these reported disputes is next checked, unless its own run has done so since `now`.
 */
export async function recordHintChecks(
  database: Queryable,
  checks: readonly NextCheck[],
  now: Date,
): Promise<void> {
  await database.query(
    `UPDATE dispute_hints h SET next_check_at = n.at, failures = n.failures
     FROM json_to_recordset($1) AS n (id uuid, at timestamptz, failures int)
     WHERE h.id = n.id AND h.id = ANY ($2) AND h.next_check_at <= $3`,
    [JSON.stringify(checks), checks.map(({ id }) => id), now],
  );
}

/** The alerts about disputes that cannot be read here. Each names the provider's reference. */
export const unreadableDisputes = 'unreadable disputes';
/** The maximum number of such alerts that are open at a time. */
const maxAlerts = 100;
/**
 * The bounds of the wait before an unreadable dispute is read again, in ms. Within them the wait is the time
 * for which the dispute has been unreadable.
 */
const shortestWaitMs = 60_000;
const longestWaitMs = 3_600_000;

/**
 * Records that a dispute cannot be read: alerts the operator, and schedules a later read for a build that
 * understands it. `onlyIfKnown`: only if it is stored or among the hints. Returns whether the alert is new.
 */
export async function markDisputeUnreadable(
  database: Queryable,
  dispute: { id: string; reference: string; detail: string; onlyIfKnown: boolean },
  now: Date,
): Promise<boolean> {
  const { id, reference, detail, onlyIfKnown } = dispute;
  const { rows } = await database.query<{ merchantId: string }>(
    `SELECT merchant_id AS "merchantId" FROM disputes WHERE id = $1
     UNION ALL
     SELECT p.merchant_id FROM dispute_hints h JOIN payments p ON p.id = h.payment_id WHERE h.id = $1`,
    [id],
  );
  const [known] = rows;
  if (!known && onlyIfKnown) return false;
  const { since, isNew } = await raiseBoundedAlert(
    database,
    {
      sweep: unreadableDisputes,
      subject: reference,
      merchantId: known?.merchantId ?? null,
      detail,
      since: now,
    },
    maxAlerts,
  );
  const agoMs = since === null ? longestWaitMs : now.getTime() - since.getTime();
  const again = new Date(now.getTime() + Math.min(longestWaitMs, Math.max(shortestWaitMs, agoMs)));
  for (const table of ['disputes', 'dispute_hints']) {
    await database.query(`UPDATE ${table} SET next_check_at = $2 WHERE id = $1`, [id, again]);
  }
  return isNew;
}

/** Clears the alert of a dispute that can be read again. Returns whether it was open. */
export const clearUnreadableDispute = (database: Queryable, reference: string, now: Date): Promise<boolean> =>
  clearAlert(database, unreadableDisputes, reference, now);
