import { paymentView, type PaymentRecord } from '../domain/payment.ts';
import type { RefundRecord } from '../domain/refund.ts';
import type { CheckoutStatus, PaymentMethod, PaymentStatus, TerminalReason } from '../domain/statuses.ts';
import { endAccessSql } from './capture-access.ts';
import { insertEvent, insertEventAndCommit } from './events.ts';
import { inTransaction, type Database } from './database.ts';
import { refundLate } from './late-refunds.ts';
import type { Written } from './payment-changes.ts';
import type { ProviderAnswer } from './attempt-answers.ts';
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
    status: 'requiresAction' | 'paid' | 'declined' | 'failed' | 'voided' | 'released';
    /** The vault accepted the card: a payment in custom mode takes no other. */
    cardAccepted: boolean;
    failureCode: string | null;
    message: string | null;
    card: { brand: string; last4: string } | null;
  } | null;
  /** False for the deadline: its changes send no webhook. Spec: Events. */
  emitEvent: boolean;
  /** No transition can follow. */
  final: boolean;
  /** What becomes of capture access: `endedAtVault` where the vault ended it by accepting the card. */
  capture: 'keep' | 'end' | 'endedAtVault';
  deadlines: { expiresAtMs: number; captureEndsAtMs: number } | null;
}

export interface CommitResult {
  /** The event the transition made for endpoints that listen, if any. */
  eventId: string | null;
  /** The vault is still to be told that capture access is over. */
  revokeCapture: boolean;
  /**
   * Nothing was written: another run owns the payment or decided otherwise under this number, or an attempt
   * is out that the run which decided had not heard of.
   */
  superseded?: true;
  /** Nothing was written: the provider's recorded answer says something else. */
  contradicted?: true;
  /** The refund that the merchant's settings ask for of a late success; reserved with it. */
  refund?: Written<RefundRecord>;
}

const nothing: CommitResult = { eventId: null, revokeCapture: false };

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
  return inTransaction(database, async (transaction, last) => {
    const before = await transaction.query<Stored>(
      `SELECT status, checkout_status AS "checkoutStatus", terminal_reason AS "terminalReason",
         attempts_left AS "attemptsLeft", state_seq AS "stateSeq", workflow_run_id AS "runId"
       FROM payments WHERE id = $1 FOR UPDATE`,
      [transition.paymentId],
    );
    const [stored] = before.rows;
    if (!stored) throw new Error(`payment ${transition.paymentId} does not exist`);
    if (stored.runId !== null && runId !== null && stored.runId !== runId) {
      return { ...nothing, superseded: true };
    }
    if (stored.stateSeq === transition.seq && !isSame(stored, transition)) {
      return { ...nothing, superseded: true };
    }
    if (stored.stateSeq >= transition.seq) return repeated(transaction, transition);
    if (transition.attempt || isClosing(transition)) {
      const written = await writeAttempts(transaction, transition);
      if (written !== 'written') return { ...nothing, [written]: true };
    }
    const payment = await writeProjection(transaction, transition, emitsEvent(stored, transition), runId);
    const { revokeCapture } = payment;
    if (!emitsEvent(stored, transition)) return { eventId: null, revokeCapture };
    const late = payment.status === 'paid' && payment.checkoutStatus === 'expired';
    const told = {
      payment,
      type: `payment.${payment.status}`,
      sequence: payment.eventSeq,
      stateSeq: transition.seq,
      previousStatus: stored.status,
      data: late ? { ...paymentView(payment, null), late } : paymentView(payment, null),
      at: new Date(transition.at),
    };
    if (!late) {
      const event = await insertEventAndCommit(last, told);
      return { eventId: event.deliveries > 0 ? event.id : null, revokeCapture };
    }
    const event = await insertEvent(transaction, told);
    const refund = await refundLate(transaction, payment, told.at);
    return {
      eventId: event.deliveries > 0 ? event.id : null,
      revokeCapture,
      ...(refund === null ? {} : { refund }),
    };
  });
}

/** What a transition that was written before made: its worker may have died before it heard. */
async function repeated(transaction: Transaction, { paymentId, seq }: Transition): Promise<CommitResult> {
  const { rows } = await transaction.query<{ eventId: string | null; ending: boolean }>(
    `SELECT (SELECT id FROM events WHERE payment_id = $1 AND state_seq = $2) AS "eventId",
       EXISTS (SELECT FROM capture_access WHERE payment_id = $1 AND status = 'ending') AS ending`,
    [paymentId, seq],
  );
  return { eventId: rows[0]?.eventId ?? null, revokeCapture: rows[0]?.ending === true };
}

interface Stored extends Pick<Transition, 'checkoutStatus' | 'terminalReason' | 'attemptsLeft'> {
  status: PaymentStatus;
  stateSeq: number;
  runId: string | null;
}

/**
 * A repetition says what is stored; a workflow task that was lost after its commit may have decided
 * otherwise. An intent written since shows as `processing`.
 */
function isSame(stored: Stored, { checkoutStatus, terminalReason, attemptsLeft }: Transition): boolean {
  return (
    (stored.checkoutStatus === checkoutStatus || stored.checkoutStatus === 'processing') &&
    stored.terminalReason === terminalReason &&
    stored.attemptsLeft === attemptsLeft
  );
}

/**
 * Whether merchants are told: never of a deadline, and of nothing that leaves the payment's status as it was.
 */
const emitsEvent = (stored: Stored, { emitEvent, paymentStatus }: Transition): boolean =>
  emitEvent && stored.status !== paymentStatus;

/** A payment as it was written. */
interface WrittenPayment extends PaymentRecord {
  eventSeq: number;
  /** The vault is still to be told that capture access is over. */
  revokeCapture: boolean;
}

/** Real vaults do not end a session by themselves when its card is used. */
const ofSimulators = `NOT EXISTS (SELECT FROM payments o WHERE o.id = $2 AND o.connector_id IS NOT NULL)`;

/**
 * Writes what merchants read of the payment, and the end of capture access. Card facts come from the attempt
 * that was verified.
 */
async function writeProjection(
  transaction: Transaction,
  transition: Transition,
  withEvent: boolean,
  runId: string | null,
): Promise<WrittenPayment> {
  const { failure, deadlines, attempt } = transition;
  const card = verifiedCard(transition);
  const { rows } = await transaction.query<WrittenPayment>(
    `WITH access AS (${endAccessSql('$2', "$3 <> 'keep'", `$3 = 'endedAtVault' AND ${ofSimulators}`)})
     UPDATE payments p SET
       state_seq = new.state_seq,
       changed_at = new.at,
       workflow_run_id = coalesce(p.workflow_run_id, new.workflow_run_id),
       status = new.status,
       -- An intent written since the workflow decided keeps its fence.
       checkout_status = CASE WHEN new.checkout_status IN ('open', 'failed_retryable') AND EXISTS (
           SELECT FROM attempts o WHERE o.payment_id = p.id AND o.status = 'processing')
         THEN 'processing' ELSE new.checkout_status END,
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
       accepted_token_hash = coalesce(p.accepted_token_hash,
         CASE WHEN new.card_accepted AND p.checkout_mode = 'custom' THEN a.token_hash END),
       card_brand = coalesce(new.card_brand, p.card_brand),
       card_last4 = coalesce(new.card_last4, p.card_last4),
       card_bin = CASE WHEN new.card_brand IS NULL THEN p.card_bin ELSE a.card_bin END,
       card_issuer = CASE WHEN new.card_brand IS NULL THEN p.card_issuer ELSE a.card_issuer END
     FROM json_to_record($1) AS new (
       payment_id uuid, state_seq int, workflow_run_id text, status text, checkout_status text,
       terminal_reason text, attempts_left smallint, method text, failure_code text, failure_message text,
       at timestamptz, final boolean, emits_event boolean, expires_at timestamptz,
       capture_expires_at timestamptz, card_brand text, card_last4 text, attempt_no int,
       card_accepted boolean
     ) LEFT JOIN attempts a ON a.payment_id = new.payment_id AND a.attempt_no = new.attempt_no
     WHERE p.id = new.payment_id
     RETURNING ${paymentColumnsOf('p')}, p.event_seq AS "eventSeq",
       EXISTS (SELECT FROM access WHERE status = 'ending') AS "revokeCapture"`,
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
        card_accepted: attempt?.cardAccepted ?? false,
      }),
      transition.paymentId,
      transition.capture,
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

/** What the provider must have answered for an attempt to become this. */
const answersFor = {
  requiresAction: ['requires_action'],
  paid: ['captured'],
  declined: ['declined'],
  failed: ['failed'],
  voided: ['voided'],
  released: ['not_sent', 'token_rejected'],
} as const satisfies Record<NonNullable<Transition['attempt']>['status'], readonly ProviderAnswer[]>;

/**
 * Writes the row of the attempt that was resolved; where the checkout closes, an intent that came too late
 * for anybody to claim is over with it. Otherwise nothing is written:
 * - `contradicted`: the provider's answer, as the process that heard it wrote it down, says something else,
 *   so whoever reported this to the workflow was no worker of ours, or the answer was not heard;
 * - `superseded`: nothing may follow this transition, but another attempt was claimed. Its worker may have
 *   died with the workflow task, so that the workflow does not know of the charge; the rows do.
 */
async function writeAttempts(
  transaction: Transaction,
  transition: Transition,
): Promise<'written' | 'contradicted' | 'superseded'> {
  const { paymentId, at, attempt, final } = transition;
  const { rows } = await transaction.query<{ written: boolean; others: number; released: number }>(
    `WITH others AS (
       SELECT sent_at FROM attempts
       WHERE payment_id = $1 AND status = 'processing' AND attempt_no IS DISTINCT FROM $2
     ), resolved AS (
       UPDATE attempts SET status = $3, failure_code = $4, failure_message = $5,
         -- One that was taken back ended then, whoever reports it later.
         resolved_at = CASE WHEN status = 'released' AND $3 = 'released' THEN resolved_at ELSE $6 END,
         card_brand = coalesce($7, card_brand), card_last4 = coalesce($8, card_last4),
         action_sealed = CASE WHEN $3 = 'requiresAction' THEN action_sealed END, token_sealed = NULL,
         unknown_since = NULL
       WHERE payment_id = $1 AND attempt_no = $2 AND answer = ANY ($9)
         AND NOT ($11 AND EXISTS (SELECT FROM others WHERE sent_at IS NOT NULL))
       RETURNING attempt_no
     ), unsent AS (
       UPDATE attempts SET status = 'released', answer = 'not_sent', token_sealed = NULL, resolved_at = now()
       WHERE $10 AND payment_id = $1 AND status = 'processing' AND sent_at IS NULL
         AND attempt_no IS DISTINCT FROM $2 AND ($2 IS NULL OR EXISTS (SELECT FROM resolved))
       RETURNING attempt_no
     )
     SELECT $2 IS NULL OR EXISTS (SELECT FROM resolved) AS written,
       (SELECT count(*) FROM others)::int AS others, (SELECT count(*) FROM unsent)::int AS released`,
    [
      paymentId,
      attempt?.attemptNo ?? null,
      attempt?.status ?? null,
      attempt?.failureCode ?? null,
      attempt?.message ?? null,
      attempt?.status === 'requiresAction' ? null : new Date(at),
      attempt?.card?.brand ?? null,
      attempt?.card?.last4 ?? null,
      attempt ? answersFor[attempt.status] : [],
      isClosing(transition),
      final,
    ],
  );
  const [{ written, others, released } = { written: false, others: 0, released: 0 }] = rows;
  if (!final || others === released) return written ? 'written' : 'contradicted';
  // Claimed while we looked: what this statement wrote is taken back, and the next try sees the claim.
  if (attempt && written) throw new Error(`an attempt of payment ${paymentId} is being claimed`);
  return 'superseded';
}

const isClosing = ({ checkoutStatus }: Transition): boolean =>
  checkoutStatus === 'paid' || checkoutStatus === 'expired';
