import type { PaymentVersion, VersionedPayment } from '../../domain/payment-versions.ts';
import type {
  TimelineAttempt,
  TimelineCapture,
  TimelineDelivery,
  TimelineDispute,
  TimelineEvent,
  TimelineRefund,
} from '../../domain/timeline/sources.ts';
import type { Queryable } from '../server/database.ts';
import { type Tenant, paymentColumnsOf } from './payments.ts';
import { unexpectedCaptures } from './unexpected-captures.ts';

/** A payment with everything that is stored of its history, from one snapshot. */
export interface PaymentHistory {
  payment: VersionedPayment;
  versions: PaymentVersion[];
  attempts: TimelineAttempt[];
  refunds: TimelineRefund[];
  disputes: TimelineDispute[];
  captures: TimelineCapture[];
  /** When a browser first opened the hosted page; null: not yet. */
  openedAt: Date | null;
  /** Whether a card was accepted, after which further attempts use that card. */
  cardAccepted: boolean;
  merchantActive: boolean;
  /** Since when the sweeps have been unable to check the payment; null if they can. */
  alertSince: Date | null;
}

/** The maximum number of rows of one kind that are read, newest first. */
const maxRows = 1_000;

const versionColumns = `version, until, event_seq AS "eventSeq", status, checkout_status AS "checkoutStatus",
  terminal_reason AS "terminalReason", attempts_left AS "attemptsLeft", method, refunded_cents AS "refundedCents",
  expires_at AS "expiresAt", capture_expires_at AS "captureExpiresAt", failure_code AS "failureCode",
  failure_message AS "failureMessage", card_bin AS "cardBin", card_issuer AS "cardIssuer",
  card_brand AS "cardBrand", card_last4 AS "cardLast4", paid_at AS "paidAt", refunded_at AS "refundedAt",
  finalized_at AS "finalizedAt"`;
const attemptColumns = `attempt_no AS "attemptNo", status, method, action_kind AS "actionKind",
  card_brand AS "cardBrand", card_last4 AS "cardLast4", failure_code AS "failureCode",
  failure_message AS "failureMessage", started_at AS "startedAt", claimed_at AS "claimedAt",
  first_unknown_at AS "firstUnknownAt", resolved_at AS "resolvedAt", late,
  provider_reference IS NOT NULL AS prepared,
  simulated IS NOT NULL AS simulated`;
const refundColumns = `id, amount_cents AS "amountCents", status, failure_code AS "failureCode",
  created_at AS "createdAt", submit_after AS "submitAfter", submitted_at AS "submittedAt",
  succeeded_at AS "succeededAt", failed_at AS "failedAt"`;
const disputeColumns = `id, amount_cents AS "amountCents", reason, status, resolution,
  evidence_due_at AS "evidenceDueAt", submitted_at AS "submittedAt", created_at AS "createdAt",
  closed_at AS "closedAt"`;
const captureColumns = `attempt_no AS "attemptNo", amount_cents AS "amountCents", currency,
  captured_at AS "capturedAt", found_at AS "foundAt"`;

/** Returns SQL for the payment's rows of a table as JSON, oldest first. */
const rowsOf = (table: string, columns: string, order: string): string =>
  `(SELECT coalesce(json_agg(r ORDER BY r."${order}"), '[]') FROM (SELECT ${columns} FROM ${table} t
    WHERE t.payment_id = p.id ORDER BY "${order}" DESC LIMIT ${maxRows}) AS r)`;

const historyOf = (merchantActive: string): string => `SELECT ${paymentColumnsOf('p')}, p.version,
    p.event_seq AS "eventSeq", p.changed_at AS "changedAt", p.accepted_token_hash IS NOT NULL AS "cardAccepted",
    p.checkout_opened_at AS "openedAt",
    ${merchantActive} AS "merchantActive",
    ${rowsOf('payment_versions', versionColumns, 'version')} AS versions,
    ${rowsOf('attempts', attemptColumns, 'attemptNo')} AS attempts,
    ${rowsOf('refunds', refundColumns, 'createdAt')} AS refunds,
    ${rowsOf('disputes', disputeColumns, 'createdAt')} AS disputes,
    ${rowsOf('unexpected_captures', captureColumns, 'attemptNo')} AS captures,
    (SELECT min(o.since) FROM operator_alerts o WHERE o.subject = p.id::text AND o.cleared_at IS NULL
      AND o.sweep <> '${unexpectedCaptures}')
      AS "alertSince"
  FROM payments p`;

/**
 * Returns the tenant's payment with its history, or null. The caller has checked that the merchant is active.
 */
export async function findPaymentHistory(
  database: Queryable,
  tenant: Tenant,
  id: string,
): Promise<PaymentHistory | null> {
  const { rows } = await database.query<Row>(
    `${historyOf('true')} WHERE p.id = $1 AND p.merchant_id = $2 AND p.environment = $3`,
    [id, tenant.merchantId, tenant.environment],
  );
  return rows[0] ? fromRow(rows[0]) : null;
}

/** Returns a payment with its history by its id alone. For the operator. */
export async function loadPaymentHistory(database: Queryable, id: string): Promise<PaymentHistory | null> {
  const active = `EXISTS (SELECT FROM merchants m WHERE m.id = p.merchant_id AND m.status = 'active')`;
  const { rows } = await database.query<Row>(`${historyOf(active)} WHERE p.id = $1`, [id]);
  return rows[0] ? fromRow(rows[0]) : null;
}

/** A row as JSON returns it, with instants as texts. */
type AsJson<T> = {
  [Name in keyof T]: T[Name] extends Date ? string : T[Name] extends Date | null ? string | null : T[Name];
};

interface Row extends VersionedPayment {
  openedAt: Date | null;
  cardAccepted: boolean;
  merchantActive: boolean;
  alertSince: Date | null;
  versions: AsJson<PaymentVersion>[];
  attempts: AsJson<TimelineAttempt>[];
  refunds: AsJson<TimelineRefund>[];
  disputes: AsJson<TimelineDispute>[];
  captures: AsJson<TimelineCapture>[];
}

function fromRow(row: Row): PaymentHistory {
  const {
    versions,
    attempts,
    refunds,
    disputes,
    captures,
    openedAt,
    cardAccepted,
    merchantActive,
    alertSince,
    ...payment
  } = row;
  return {
    payment,
    versions: versions.map(versionFromJson),
    attempts: attempts.map(attemptFromJson),
    refunds: refunds.map(refundFromJson),
    disputes: disputes.map(disputeFromJson),
    captures: captures.map(captureFromJson),
    openedAt,
    cardAccepted,
    merchantActive,
    alertSince,
  };
}

const instantOrNull = (text: string | null): Date | null => (text === null ? null : new Date(text));

const versionFromJson = (row: AsJson<PaymentVersion>): PaymentVersion => ({
  ...row,
  until: new Date(row.until),
  expiresAt: new Date(row.expiresAt),
  captureExpiresAt: new Date(row.captureExpiresAt),
  paidAt: instantOrNull(row.paidAt),
  refundedAt: instantOrNull(row.refundedAt),
  finalizedAt: instantOrNull(row.finalizedAt),
});

const attemptFromJson = (row: AsJson<TimelineAttempt>): TimelineAttempt => ({
  ...row,
  startedAt: new Date(row.startedAt),
  claimedAt: instantOrNull(row.claimedAt),
  firstUnknownAt: instantOrNull(row.firstUnknownAt),
  resolvedAt: instantOrNull(row.resolvedAt),
});

const refundFromJson = (row: AsJson<TimelineRefund>): TimelineRefund => ({
  ...row,
  createdAt: new Date(row.createdAt),
  submitAfter: new Date(row.submitAfter),
  submittedAt: instantOrNull(row.submittedAt),
  succeededAt: instantOrNull(row.succeededAt),
  failedAt: instantOrNull(row.failedAt),
});

const disputeFromJson = (row: AsJson<TimelineDispute>): TimelineDispute => ({
  ...row,
  evidenceDueAt: new Date(row.evidenceDueAt),
  submittedAt: instantOrNull(row.submittedAt),
  createdAt: new Date(row.createdAt),
  closedAt: instantOrNull(row.closedAt),
});

const captureFromJson = (row: AsJson<TimelineCapture>): TimelineCapture => ({
  ...row,
  capturedAt: instantOrNull(row.capturedAt),
  foundAt: new Date(row.foundAt),
});

/** Returns the events of a payment, oldest first. Their data holds only the id of a refund or dispute. */
export async function findTimelineEvents(database: Queryable, paymentId: string): Promise<TimelineEvent[]> {
  const { rows } = await database.query<TimelineEvent>(
    `SELECT id, type, sequence, created_at AS "createdAt",
       CASE WHEN type NOT LIKE 'payment.%' THEN data ->> 'id' END AS "subjectId",
       (data ->> 'amountCents')::bigint AS "amountCents", data ->> 'failureCode' AS "failureCode"
     FROM events WHERE payment_id = $1 ORDER BY sequence DESC LIMIT ${maxRows}`,
    [paymentId],
  );
  return rows.toReversed();
}

/**
 * Returns the delivery tries of a payment's events, newest first. The caller has checked that the payment is
 * the tenant's.
 */
export async function loadTimelineDeliveries(
  database: Queryable,
  paymentId: string,
): Promise<TimelineDelivery[]> {
  const { rows } = await database.query<TimelineDelivery>(
    `SELECT a.event_id AS "eventId", e.type, a.endpoint_id AS "endpointId", a.attempt_no AS "attemptNo",
       a.started_at + a.duration_ms * interval '1 millisecond' AS at, a.status_code AS "statusCode", a.error
     FROM events e JOIN webhook_attempts a ON a.event_id = e.id
     WHERE e.payment_id = $1 ORDER BY a.started_at DESC LIMIT ${maxRows}`,
    [paymentId],
  );
  return rows;
}

/** Returns the version of each of these payments. The caller has checked that the reader may see them. */
export async function currentVersions(
  database: Queryable,
  ids: string[],
): Promise<{ id: string; version: number }[]> {
  const { rows } = await database.query<{ id: string; version: number }>(
    'SELECT id, version FROM payments WHERE id = ANY ($1::uuid[])',
    [ids],
  );
  return rows;
}
