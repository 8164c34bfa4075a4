import { paymentView, type PaymentRecord } from '../domain/payment.ts';
import type { CheckoutStatus, PaymentMethod, PaymentStatus, TerminalReason } from '../domain/statuses.ts';
import { insertEvent } from './events.ts';
import { inTransaction, type Database } from './database.ts';
import { paymentColumnsOf } from './payments.ts';

/** One step of a payment's workflow, with everything the rows need; nothing secret. Instants in epoch ms. */
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
  emitEvent: boolean;
  /** No transition can follow. */
  final: boolean;
  deadlines: { expiresAtMs: number; captureEndsAtMs: number } | null;
}

export interface CommitResult {
  /** The event the transition made, if any. */
  eventId: string | null;
  /** Nothing was written: another run owns the payment, or decided otherwise under this number. */
  superseded?: true;
}

/**
 * Writes payment, attempt, event and checkout projection of one transition in one transaction. A transition
 * that was written before, or is older than what is stored, changes nothing: running it twice equals once.
 * `runId` is the workflow run that decided it; the first one to write owns the payment until another takes it
 * over.
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
    if (transition.attempt) await writeAttempt(transaction, transition);
    const payment = await writeProjection(transaction, transition, emitsEvent(stored, transition), runId);
    await wipeSecrets(transaction, transition);
    if (!emitsEvent(stored, transition)) return { eventId: null };
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

/**
 * A repetition says what is stored; a workflow task that was lost after its commit may have decided
 * otherwise.
 */
function isSame(stored: Stored, { checkoutStatus, terminalReason, attemptsLeft }: Transition): boolean {
  return (
    stored.checkoutStatus === checkoutStatus &&
    stored.terminalReason === terminalReason &&
    stored.attemptsLeft === attemptsLeft
  );
}

/**
 * Whether merchants are told: never of a deadline, and of nothing that leaves the payment's status as it was.
 */
const emitsEvent = (stored: Stored, { emitEvent, paymentStatus }: Transition): boolean =>
  emitEvent && stored.status !== paymentStatus;

/** Writes what merchants read of the payment. Card facts come from the attempt that was verified. */
async function writeProjection(
  transaction: Transaction,
  transition: Transition,
  withEvent: boolean,
  runId: string | null,
): Promise<PaymentRecord & { eventSeq: number }> {
  const { failure, deadlines, attempt } = transition;
  const card = verifiedCard(transition);
  const { rows } = await transaction.query<PaymentRecord & { eventSeq: number }>(
    `UPDATE payments p SET
       state_seq = new.state_seq,
       workflow_run_id = coalesce(p.workflow_run_id, new.workflow_run_id),
       status = new.status,
       checkout_status = new.checkout_status,
       terminal_reason = new.terminal_reason,
       attempts_left = new.attempts_left,
       method = coalesce(new.method, p.method),
       failure_code = new.failure_code,
       failure_message = new.failure_message,
       paid_at = CASE WHEN new.status = 'paid' THEN coalesce(p.paid_at, new.at) ELSE p.paid_at END,
       finalized_at = CASE WHEN new.final THEN coalesce(p.finalized_at, new.at) ELSE p.finalized_at END,
       event_seq = p.event_seq + CASE WHEN new.emits_event THEN 1 ELSE 0 END,
       expires_at = coalesce(new.expires_at, p.expires_at),
       capture_expires_at = coalesce(new.capture_expires_at, p.capture_expires_at),
       card_brand = coalesce(new.card_brand, p.card_brand),
       card_last4 = coalesce(new.card_last4, p.card_last4),
       card_bin = CASE WHEN new.card_brand IS NULL THEN p.card_bin ELSE a.card_bin END,
       card_issuer = CASE WHEN new.card_brand IS NULL THEN p.card_issuer ELSE a.card_issuer END
     FROM json_to_record($1) AS new (
       payment_id uuid, state_seq int, workflow_run_id text, status text, checkout_status text,
       terminal_reason text, attempts_left smallint, method text, failure_code text, failure_message text,
       at timestamptz, final boolean, emits_event boolean, expires_at timestamptz,
       capture_expires_at timestamptz, card_brand text, card_last4 text, attempt_no int
     ) LEFT JOIN attempts a ON a.payment_id = new.payment_id AND a.attempt_no = new.attempt_no
     WHERE p.id = new.payment_id
     RETURNING ${paymentColumnsOf('p')}, p.event_seq AS "eventSeq"`,
    [
      JSON.stringify({
        payment_id: transition.paymentId,
        state_seq: transition.seq,
        workflow_run_id: runId,
        status: transition.paymentStatus,
        checkout_status: transition.checkoutStatus,
        terminal_reason: transition.terminalReason,
        attempts_left: transition.attemptsLeft,
        method: transition.method,
        failure_code: failure?.code ?? null,
        failure_message: failure?.message ?? null,
        at: new Date(transition.at),
        final: transition.final,
        emits_event: withEvent,
        expires_at: deadlines ? new Date(deadlines.expiresAtMs) : null,
        capture_expires_at: deadlines ? new Date(deadlines.captureEndsAtMs) : null,
        card_brand: card?.brand ?? null,
        card_last4: card?.last4 ?? null,
        attempt_no: attempt?.attemptNo ?? null,
      }),
    ],
  );
  const [payment] = rows;
  if (!payment) throw new Error(`payment ${transition.paymentId} vanished`);
  return payment;
}

/** Card facts become the payment's only with the verified attempt (PMT-15, PMT-20). */
function verifiedCard(transition: Transition): { brand: string; last4: string } | null {
  const { paymentStatus, attempt } = transition;
  return paymentStatus === 'paid' || paymentStatus === 'failed' ? (attempt?.card ?? null) : null;
}

type Transaction = Parameters<typeof insertEvent>[0];

async function writeAttempt(transaction: Transaction, transition: Transition): Promise<void> {
  const { attempt } = transition;
  if (!attempt) return;
  await transaction.query(
    `INSERT INTO attempts (payment_id, attempt_no, status, method, failure_code, failure_message, card_brand,
       card_last4, resolved_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (payment_id, attempt_no) DO UPDATE SET status = excluded.status, failure_code = excluded.failure_code,
       failure_message = excluded.failure_message, resolved_at = excluded.resolved_at,
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
  if (transition.final) {
    await transaction.query(
      'UPDATE attempt_inputs SET token_sealed = NULL WHERE payment_id = $1 AND token_sealed IS NOT NULL',
      [transition.paymentId],
    );
  }
}
