import { paymentView } from '../../domain/payment.ts';
import type { RefundRecord } from '../../domain/refund.ts';
import type { PaymentStatus } from '../../domain/statuses.ts';
import { type Transition, isClosing } from '../../domain/transition.ts';
import {
  type AnswerDetails,
  type AttemptLabels,
  type RecordableAnswer,
  recordAnswer,
} from './attempt-answers.ts';
import { type Database, type Queryable, inTransaction } from '../server/database.ts';
import { insertEvent, insertEventAndCommit } from '../webhooks/events.ts';
import { refundLate } from '../refunds/late-refunds.ts';
import type { Written } from './payment-changes.ts';
import { writeAttempts } from './transition-attempts.ts';
import { writeProjection } from './transition-projection.ts';

export interface CommitResult {
  /** The event that the transition created for subscribed endpoints, if any. */
  eventId: string | null;
  /** Whether the vault must still be notified that capture access has ended. */
  revokeCapture: boolean;
  /**
   * The transition was not written: another run owns the payment or committed another decision under this
   * number, the payment is final, or an attempt is open that the deciding run did not know.
   */
  superseded?: true;
  /** The transition was not written: the provider's stored answer differs. */
  contradicted?: true;
  /**
   * The refund of a late success, if the merchant's settings require one; it is reserved with the transition.
   */
  refund?: Written<RefundRecord>;
  /** The values that metrics count for a newly written transition. */
  counted?: AttemptLabels & { paidAfterSeconds: number | null };
}

/** The provider's answer on which a transition is based. */
export interface AnswerRecord {
  answer: RecordableAnswer;
  details: AnswerDetails;
}

const notWritten: CommitResult = { eventId: null, revokeCapture: false };

/**
 * Commits one transition in one transaction: payment, attempt, event and checkout projection. A transition
 * that was already committed, or that is older than the stored state, changes nothing, so that repeating the
 * call has no further effect. `runId` is the workflow run that decided it. The first run to write owns the
 * payment until another takes it over. `answer` is stored with the transition unless the transition is
 * superseded; it is stored even when it contradicts the transition.
 */
export async function commitTransition(
  database: Database,
  transition: Transition,
  runId: string | null = null,
  answer?: AnswerRecord,
): Promise<CommitResult> {
  return inTransaction(database, async (transaction, lastStatement) => {
    const before = await transaction.query<Stored>(
      `SELECT status, checkout_status AS "checkoutStatus", terminal_reason AS "terminalReason",
         attempts_left AS "attemptsLeft", state_seq AS "stateSeq", workflow_run_id AS "runId",
         finalized_at IS NOT NULL AS "isFinal"
       FROM payments WHERE id = $1 FOR UPDATE`,
      [transition.paymentId],
    );
    const [stored] = before.rows;
    if (!stored) throw new Error(`payment ${transition.paymentId} does not exist`);
    if (stored.runId !== null && runId !== null && stored.runId !== runId) {
      return { ...notWritten, superseded: true };
    }
    if (answer && stored.stateSeq !== transition.seq - 1) return { ...notWritten, superseded: true };
    if (stored.stateSeq === transition.seq && !isSame(stored, transition)) {
      return { ...notWritten, superseded: true };
    }
    if (stored.stateSeq >= transition.seq) return repeatedResult(transaction, transition);
    // A workflow task that was lost after its commit has decided again. The payment may have been refunded or
    // disputed since.
    if (stored.isFinal) return { ...notWritten, superseded: true };
    if (answer && transition.attempt) {
      const { paymentId, attempt } = transition;
      const { attemptNo } = attempt;
      await recordAnswer(transaction, { paymentId, attemptNo }, answer.answer, answer.details);
    }
    let late = false;
    if (transition.attempt || isClosing(transition)) {
      const written = await writeAttempts(transaction, transition);
      if (written.result !== 'written') return { ...notWritten, [written.result]: true };
      ({ late } = written);
    }
    const payment = await writeProjection(transaction, transition, emitsEvent(stored, transition), runId);
    const { revokeCapture } = payment;
    const counted = {
      environment: payment.environment,
      method: payment.method ?? 'none',
      connector: payment.connectorKind ?? 'simulator',
      paidAfterSeconds:
        payment.status === 'paid' && payment.status !== stored.status
          ? (transition.at - payment.createdAt.getTime()) / 1000
          : null,
    };
    if (!emitsEvent(stored, transition)) return { eventId: null, revokeCapture, counted };
    const newEvent = {
      payment,
      type: `payment.${payment.status}`,
      sequence: payment.eventSeq,
      stateSeq: transition.seq,
      previousStatus: stored.status,
      data: late ? { ...paymentView(payment, null), late } : paymentView(payment, null),
      at: new Date(transition.at),
    };
    if (!late) {
      const event = await insertEventAndCommit(lastStatement, newEvent);
      return { eventId: event.deliveries > 0 ? event.id : null, revokeCapture, counted };
    }
    const event = await insertEvent(transaction, newEvent);
    const refund = await refundLate(transaction, payment, newEvent.at);
    return {
      eventId: event.deliveries > 0 ? event.id : null,
      revokeCapture,
      counted,
      ...(refund === null ? {} : { refund }),
    };
  });
}

/**
 * Returns the result of a transition that was already committed: the worker may have died before it received
 * the result.
 */
async function repeatedResult(transaction: Queryable, { paymentId, seq }: Transition): Promise<CommitResult> {
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
  /** No transition can follow. */
  isFinal: boolean;
}

/**
 * Returns whether a repeated transition equals what is stored. A workflow task that was lost after its commit
 * may have decided differently. A reservation made since shows as `processing`, and a checkout whose deadline
 * passed before the commit as `expired`.
 */
function isSame(stored: Stored, { checkoutStatus, terminalReason, attemptsLeft }: Transition): boolean {
  if (stored.attemptsLeft !== attemptsLeft) return false;
  if (checkoutStatus === 'paid' && stored.status === 'paid' && stored.terminalReason === 'checkout_expired') {
    return true;
  }
  return (
    (stored.checkoutStatus === checkoutStatus || stored.checkoutStatus === 'processing') &&
    stored.terminalReason === terminalReason
  );
}

/**
 * Returns whether the transition creates an event for the merchant. The passing of a deadline and a
 * transition that leaves the payment's status as it was create none.
 */
const emitsEvent = (stored: Stored, { emitEvent, paymentStatus }: Transition): boolean =>
  emitEvent && stored.status !== paymentStatus;
