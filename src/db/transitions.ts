import { paymentView, type PaymentRecord } from '../domain/payment.ts';
import type { CheckoutStatus, PaymentMethod, PaymentStatus, TerminalReason } from '../domain/statuses.ts';
import { insertEvent } from './events.ts';
import { inTransaction, type Database } from './database.ts';
import { paymentColumns } from './payments.ts';

/** One settled step of a payment's workflow, with everything the rows need; nothing secret. Instants in epoch ms. */
export interface Transition {
  paymentId: string;
  /** Rises by one per transition of a payment. */
  seq: number;
  at: number;
  paymentStatus: PaymentStatus;
  checkoutStatus: CheckoutStatus;
  terminalReason: TerminalReason | null;
  attemptsLeft: number;
  method: PaymentMethod | null;
  failure: { code: string; message: string } | null;
  attempt: {
    attemptNo: number;
    status: 'requiresAction' | 'processing' | 'paid' | 'declined' | 'failed' | 'voided';
    failureCode: string | null;
    message: string | null;
    card: { brand: string; last4: string } | null;
  } | null;
  /** False for the deadline: its changes send no webhook. Spec: Events. */
  announce: boolean;
  /** No transition can follow. */
  settled: boolean;
  deadlines: { expiresAtMs: number; captureEndsAtMs: number } | null;
}

export interface CommitResult {
  /** The event the transition made, if any. */
  eventId: string | null;
  /** Nothing was written: another run owns the payment, or decided otherwise under this number. */
  superseded?: true;
}

/**
 * Writes payment, attempt, event and checkout projection of one transition in one transaction. A transition that was
 * written before, or is older than what is stored, changes nothing: running it twice equals once. `runId` is the
 * workflow run that decided it; the first one to write owns the payment until another takes it over.
 */
export async function commitTransition(
  database: Database,
  transition: Transition,
  runId: string | null = null,
): Promise<CommitResult> {
  return inTransaction(database, async (transaction) => {
    const before = await transaction.query<Stored>(
      `SELECT status, checkout_status AS "checkoutStatus", terminal_reason AS "terminalReason",
         attempts_left AS "attemptsLeft", state_seq AS "stateSeq", workflow_run_id AS "runId"
       FROM payments WHERE id = $1 FOR UPDATE`,
      [transition.paymentId],
    );
    const [stored] = before.rows;
    if (!stored) throw new Error(`payment ${transition.paymentId} does not exist`);
    if (stored.runId !== null && runId !== null && stored.runId !== runId) {
      return { eventId: null, superseded: true };
    }
    if (stored.stateSeq === transition.seq && !isSame(stored, transition)) {
      return { eventId: null, superseded: true };
    }
    if (stored.stateSeq >= transition.seq) {
      const { rows } = await transaction.query<{ id: string }>(
        'SELECT id FROM events WHERE payment_id = $1 AND state_seq = $2',
        [transition.paymentId, transition.seq],
      );
      return { eventId: rows[0]?.id ?? null };
    }
    if (transition.attempt) await settleAttempt(transaction, transition);
    const { rows } = await transaction.query<PaymentRecord & { eventSeq: number }>(
      `UPDATE payments SET state_seq = $2, workflow_run_id = coalesce(workflow_run_id, $18), status = $3, checkout_status = $4, terminal_reason = $5, attempts_left = $6,
         method = coalesce($7, method), failure_code = $8, failure_message = $9,
         paid_at = CASE WHEN $3 = 'paid' THEN coalesce(paid_at, $10) ELSE paid_at END,
         settled_at = CASE WHEN $11 THEN coalesce(settled_at, $10) ELSE settled_at END,
         event_seq = event_seq + CASE WHEN $12 THEN 1 ELSE 0 END,
         expires_at = coalesce($13, expires_at), capture_expires_at = coalesce($14, capture_expires_at),
         card_brand = coalesce($15, card_brand), card_last4 = coalesce($16, card_last4),
         card_bin = CASE WHEN $15::text IS NULL THEN card_bin
           ELSE (SELECT a.card_bin FROM attempts a WHERE a.payment_id = $1 AND a.attempt_no = $17) END,
         card_issuer = CASE WHEN $15::text IS NULL THEN card_issuer
           ELSE (SELECT a.card_issuer FROM attempts a WHERE a.payment_id = $1 AND a.attempt_no = $17) END
       WHERE id = $1
       RETURNING ${paymentColumns}, event_seq AS "eventSeq"`,
      [
        transition.paymentId,
        transition.seq,
        transition.paymentStatus,
        transition.checkoutStatus,
        transition.terminalReason,
        transition.attemptsLeft,
        transition.method,
        transition.failure?.code ?? null,
        transition.failure?.message ?? null,
        new Date(transition.at),
        transition.settled,
        transition.announce && stored.status !== transition.paymentStatus,
        transition.deadlines ? new Date(transition.deadlines.expiresAtMs) : null,
        transition.deadlines ? new Date(transition.deadlines.captureEndsAtMs) : null,
        verified(transition)?.brand ?? null,
        verified(transition)?.last4 ?? null,
        transition.attempt?.attemptNo ?? null,
        runId,
      ],
    );
    const [payment] = rows;
    if (!payment) throw new Error(`payment ${transition.paymentId} vanished`);
    await wipeSecrets(transaction, transition);
    if (!transition.announce || stored.status === transition.paymentStatus) return { eventId: null };
    const eventId = await insertEvent(transaction, {
      payment,
      type: `payment.${payment.status}`,
      sequence: payment.eventSeq,
      stateSeq: transition.seq,
      previousStatus: stored.status,
      data: paymentView(payment, null),
      at: new Date(transition.at),
    });
    return { eventId };
  });
}

interface Stored extends Pick<Transition, 'checkoutStatus' | 'terminalReason' | 'attemptsLeft'> {
  status: PaymentStatus;
  stateSeq: number;
  runId: string | null;
}

/** A repetition says what is stored; a workflow task that was lost after its commit may have decided otherwise. */
function isSame(stored: Stored, { checkoutStatus, terminalReason, attemptsLeft }: Transition): boolean {
  return (
    stored.checkoutStatus === checkoutStatus &&
    stored.terminalReason === terminalReason &&
    stored.attemptsLeft === attemptsLeft
  );
}

/** Card facts become the payment's only with the verified attempt (PMT-15, PMT-20). */
function verified(transition: Transition): { brand: string; last4: string } | null {
  const { paymentStatus, attempt } = transition;
  return paymentStatus === 'paid' || paymentStatus === 'failed' ? (attempt?.card ?? null) : null;
}

type Transaction = Parameters<typeof insertEvent>[0];

async function settleAttempt(transaction: Transaction, transition: Transition): Promise<void> {
  const { attempt } = transition;
  if (!attempt) return;
  await transaction.query(
    `INSERT INTO attempts (payment_id, attempt_no, status, method, failure_code, failure_message, card_brand,
       card_last4, settled_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (payment_id, attempt_no) DO UPDATE SET status = excluded.status, failure_code = excluded.failure_code,
       failure_message = excluded.failure_message, settled_at = excluded.settled_at,
       card_brand = coalesce(excluded.card_brand, attempts.card_brand),
       card_last4 = coalesce(excluded.card_last4, attempts.card_last4)`,
    [
      transition.paymentId,
      attempt.attemptNo,
      attempt.status,
      transition.method ?? 'card',
      attempt.failureCode,
      attempt.message,
      attempt.card?.brand ?? null,
      attempt.card?.last4 ?? null,
      attempt.status === 'requiresAction' || attempt.status === 'processing' ? null : new Date(transition.at),
    ],
  );
}

/** A secret is kept only while it has a use. */
async function wipeSecrets(transaction: Transaction, transition: Transition): Promise<void> {
  if (transition.checkoutStatus !== 'requiresAction' && transition.checkoutStatus !== 'processing') {
    await transaction.query(
      `UPDATE attempts SET action_sealed = NULL
       WHERE payment_id = $1 AND action_sealed IS NOT NULL AND status NOT IN ('processing', 'requiresAction')`,
      [transition.paymentId],
    );
  }
  if (transition.settled) {
    await transaction.query(
      'UPDATE attempt_inputs SET token_sealed = NULL WHERE payment_id = $1 AND token_sealed IS NOT NULL',
      [transition.paymentId],
    );
  }
}
