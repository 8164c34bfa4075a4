import { createHash } from 'node:crypto';
import {
  type DisputeRecord,
  type DisputeResolution,
  type DisputeStage,
  type DisputeStatus,
  disputeEventData,
  isAllowedDisputeChange,
  isClosedDispute,
  refuseDisputeAnswer,
  statusAfterDisputeClosed,
  statusAfterDisputeOpened,
} from '../domain/dispute.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Queryable } from './database.ts';
import { type Decided, decided, unchanged } from './decided.ts';
import { type LockedPayment, lockPayment, writePaymentChange } from './payment-changes.ts';
import type { Tenant } from './payments.ts';

const disputeColumns = `
  id, merchant_id AS "merchantId", environment, payment_id AS "paymentId", provider_reference AS "providerReference",
  amount_cents AS "amountCents", reason, stage, status, resolution, evidence, evidence_due_at AS "evidenceDueAt",
  submitted_at AS "submittedAt", auto_submit AS "autoSubmit", created_at AS "createdAt", closed_at AS "closedAt"`;

/**
 * Our id of the network's dispute: derived, so that whoever hears of it first (a callback, a poll, a retry) names the
 * same row and the same workflow. A UUID of version 8.
 */
export function disputeIdOf(providerReference: string): string {
  const hex = createHash('sha256').update(`dispute ${providerReference}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** What the network says of a dispute. */
export interface DisputeWord {
  providerReference: string;
  paymentId: string;
  amountCents: number;
  reason: string;
  stage: DisputeStage;
  status: DisputeStatus;
  resolution: DisputeResolution | null;
  evidenceDueAt: Date;
  createdAt: Date;
}

/**
 * Writes what the network says of a dispute: its row, the payment's status and the events, in one transaction. Answers
 * `too_early` while the payment is not known to be paid. A repeated or stale word changes nothing. Must run inside a
 * transaction.
 */
export async function recordDispute(
  transaction: Queryable,
  word: DisputeWord,
  at: Date,
): Promise<Decided<DisputeRecord> | 'too_early' | 'unknown_payment'> {
  const payment = await lockPayment(transaction, word.paymentId);
  if (!payment) return 'unknown_payment';
  // The network is ahead of us: our own look-up will find the payment paid, then this is written.
  if (payment.paidAt === null) return 'too_early';
  const id = disputeIdOf(word.providerReference);
  const known = await loadDispute(transaction, id);
  if (known) return moveDispute(transaction, payment, known, word, at);
  const open = isClosedDispute(word.status)
    ? { ...word, status: 'needsResponse' as const, resolution: null }
    : word;
  const { rows } = await transaction.query<DisputeRecord>(
    `INSERT INTO disputes (id, merchant_id, environment, payment_id, provider_reference, amount_cents, reason, stage,
       status, evidence_due_at, submitted_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, CASE WHEN $9 = 'underReview' THEN $12::timestamptz END, $11)
     RETURNING ${disputeColumns}`,
    [
      id,
      payment.merchantId,
      payment.environment,
      payment.id,
      open.providerReference,
      open.amountCents,
      open.reason,
      open.stage,
      open.status,
      open.evidenceDueAt,
      open.createdAt,
      at,
    ],
  );
  const [opened] = rows;
  if (!opened) throw new Error('the dispute was not stored');
  const eventIds = await announce(transaction, payment, opened, {
    type: 'dispute.created',
    previousStatus: null,
    paymentStatus: statusAfterDisputeOpened(payment.status),
    at,
  });
  if (!isClosedDispute(word.status)) return decided(opened, eventIds);
  // Heard of only when it was over: both changes are told, in order.
  const again = await lockPayment(transaction, payment.id);
  if (!again) return 'unknown_payment';
  const closed = await moveDispute(transaction, again, opened, word, at);
  return decided(closed.row, [...eventIds, ...closed.eventIds]);
}

async function moveDispute(
  transaction: Queryable,
  payment: LockedPayment,
  known: DisputeRecord,
  word: DisputeWord,
  at: Date,
): Promise<Decided<DisputeRecord>> {
  if (!isAllowedDisputeChange(known.status, word.status)) return unchanged(known);
  const closed = isClosedDispute(word.status);
  const { rows } = await transaction.query<DisputeRecord>(
    `UPDATE disputes SET status = $2, resolution = $3,
       submitted_at = CASE WHEN $2 = 'underReview' THEN coalesce(submitted_at, $4) ELSE submitted_at END,
       closed_at = CASE WHEN $5 THEN $4 END
     WHERE id = $1 RETURNING ${disputeColumns}`,
    [known.id, word.status, closed ? (word.resolution ?? 'decided') : null, at, closed],
  );
  const [moved] = rows;
  if (!moved) throw new Error(`dispute ${known.id} vanished`);
  const all = await transaction.query<Pick<DisputeRecord, 'status' | 'resolution'>>(
    'SELECT status, resolution FROM disputes WHERE payment_id = $1',
    [payment.id],
  );
  const eventIds = await announce(transaction, payment, moved, {
    type: moved.resolution === 'withdrawn' ? 'dispute.withdrawn' : `dispute.${moved.status}`,
    previousStatus: known.status,
    paymentStatus: closed ? statusAfterDisputeClosed(payment, all.rows) : payment.status,
    at,
  });
  return decided(moved, eventIds);
}

function announce(
  transaction: Queryable,
  payment: LockedPayment,
  dispute: DisputeRecord,
  news: {
    type: string;
    previousStatus: DisputeStatus | null;
    paymentStatus: LockedPayment['status'];
    at: Date;
  },
): Promise<string[]> {
  return writePaymentChange(
    transaction,
    payment,
    {
      status: news.paymentStatus,
      refundedCents: payment.refundedCents,
      refundedAt: payment.refundedAt,
    },
    [{ type: news.type, previousStatus: news.previousStatus, data: disputeEventData(dispute) }],
    news.at,
  );
}

/** Tells the merchant once that `hours` are left for evidence. Must run inside a transaction. */
export async function remindOfEvidence(
  transaction: Queryable,
  id: string,
  hours: number,
  at: Date,
): Promise<string[]> {
  const known = await loadDispute(transaction, id);
  const payment = known && (await lockPayment(transaction, known.paymentId));
  if (!payment) return [];
  const { rows } = await transaction.query<DisputeRecord>(
    `UPDATE disputes SET reminded = array_append(reminded, $2::smallint)
     WHERE id = $1 AND status = 'needsResponse' AND NOT ($2::smallint = ANY (reminded)) RETURNING ${disputeColumns}`,
    [id, hours],
  );
  const [dispute] = rows;
  if (!dispute) return [];
  return announce(transaction, payment, dispute, {
    type: 'dispute.evidenceDueSoon',
    previousStatus: dispute.status,
    paymentStatus: payment.status,
    at,
  });
}

/** A dispute by id alone, for workers. */
export async function loadDispute(database: Queryable, id: string): Promise<DisputeRecord | null> {
  const { rows } = await database.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/** The tenant's dispute, or null. */
export async function findDispute(
  database: Queryable,
  tenant: Tenant,
  id: string,
): Promise<DisputeRecord | null> {
  const { rows } = await database.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE id = $1 AND merchant_id = $2 AND environment = $3`,
    [id, tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? null;
}

/** Every dispute of a payment, oldest first, for operators. */
export async function listPaymentDisputes(database: Queryable, paymentId: string): Promise<DisputeRecord[]> {
  const { rows } = await database.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE payment_id = $1 ORDER BY created_at, id`,
    [paymentId],
  );
  return rows;
}

/** Filters of a list; `from` inclusive, `until` and `dueBefore` exclusive. */
export interface DisputeFilter {
  status: DisputeStatus | null;
  paymentId: string | null;
  dueBefore: Date | null;
  from: Date | null;
  until: Date | null;
  page: number;
  perPage: number;
}

/** One page, newest first, ties broken by id, with the count of all matches. */
export async function listDisputes(
  database: Queryable,
  tenant: Tenant,
  filter: DisputeFilter,
): Promise<{ disputes: DisputeRecord[]; total: number }> {
  const where = `merchant_id = $1 AND environment = $2 AND ($3::text IS NULL OR status = $3)
    AND ($4::uuid IS NULL OR payment_id = $4) AND ($5::timestamptz IS NULL OR evidence_due_at < $5)
    AND ($6::timestamptz IS NULL OR created_at >= $6) AND ($7::timestamptz IS NULL OR created_at < $7)`;
  const values = [
    tenant.merchantId,
    tenant.environment,
    filter.status,
    filter.paymentId,
    filter.dueBefore,
    filter.from,
    filter.until,
  ];
  const counted = await database.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM disputes WHERE ${where}`,
    values,
  );
  const total = counted.rows[0]?.total ?? 0;
  const offset = (filter.page - 1) * filter.perPage;
  if (offset >= total) return { disputes: [], total };
  const { rows } = await database.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT $8 OFFSET $9`,
    [...values, filter.perPage, offset],
  );
  return { disputes: rows, total };
}

/**
 * Replaces the staged evidence of a dispute, in time. Answers null for an unknown one. Refuses dispute_closed,
 * evidence_already_submitted, evidence_past_due (409). Must run inside a transaction.
 */
export async function stageEvidence(
  transaction: Queryable,
  tenant: Tenant,
  id: string,
  staged: { evidence: Record<string, string>; autoSubmit: boolean | null },
  now: Date,
): Promise<DisputeRecord | null> {
  const { rows } = await transaction.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE id = $1 AND merchant_id = $2 AND environment = $3 FOR UPDATE`,
    [id, tenant.merchantId, tenant.environment],
  );
  const [known] = rows;
  if (!known) return null;
  const refused = refuseDisputeAnswer(known, 'stage', now);
  if (refused) throw new Refusal(refused);
  const written = await transaction.query<DisputeRecord>(
    `UPDATE disputes SET evidence = $2, auto_submit = coalesce($3, auto_submit) WHERE id = $1
     RETURNING ${disputeColumns}`,
    [id, JSON.stringify(staged.evidence), staged.autoSubmit],
  );
  return written.rows[0] ?? null;
}

/**
 * Marks a dispute's evidence as on its way, before it is sent, so that what is stored is what was sent. Answers the
 * dispute with the evidence to send (also when an earlier run marked it), or null when nothing is to be sent any more.
 */
export async function markEvidenceSubmitted(
  database: Queryable,
  id: string,
  at: Date,
): Promise<DisputeRecord | null> {
  const { rows } = await database.query<DisputeRecord>(
    `UPDATE disputes SET submitted_at = coalesce(submitted_at, $2) WHERE id = $1 AND status = 'needsResponse'
     RETURNING ${disputeColumns}`,
    [id, at],
  );
  return rows[0] ?? null;
}

/** The network refused the evidence for good: it was not submitted after all. */
export async function unmarkEvidenceSubmitted(database: Queryable, id: string): Promise<void> {
  await database.query(`UPDATE disputes SET submitted_at = NULL WHERE id = $1 AND status = 'needsResponse'`, [
    id,
  ]);
}
