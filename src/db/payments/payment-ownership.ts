import { type StoredCheckout, checkoutPaymentStatus } from '../../domain/checkout-state.ts';
import type {
  CheckoutMode,
  CheckoutStatus,
  PaymentMethod,
  PaymentStatus,
  TerminalReason,
} from '../../domain/statuses.ts';
import type { RecordableAnswer } from './attempt-answers.ts';
import type { Database } from '../server/database.ts';
import { inTransaction } from '../server/database.ts';

/** Everything that a workflow run needs to resume from the rows alone. */
export interface ResumedPayment {
  checkout: StoredCheckout;
  /** The run's next transition has the number after this one. */
  seq: number;
  /** The payment is final: the run has nothing left to do. */
  final: boolean;
}

interface AttemptRow {
  attemptNo: number;
  status: string;
  answer: RecordableAnswer | null;
  unclaimed: boolean;
}

/**
 * How far the transition number rises when a run takes over. It is more than the number of transitions that
 * an earlier run can still have in progress, so that the earlier run's late writes count as outdated.
 */
const takeoverGap = 100;

/**
 * Returns the checkout from the stored rows, and makes a workflow run the only writer of the payment.
 * Repeating the call by the same run has no further effect. From here on the earlier run's late writes (a
 * transition, the record of an attempt) change nothing. Its charge was either recorded before, so that it is
 * found at the network, or is never sent.
 */
export async function resumePayment(
  database: Database,
  paymentId: string,
  runId: string,
): Promise<ResumedPayment> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{
      mode: CheckoutMode;
      expiresAt: Date;
      captureEndsAt: Date;
      checkoutStatus: CheckoutStatus;
      terminalReason: TerminalReason | null;
      status: PaymentStatus;
      attemptsLeft: number;
      method: PaymentMethod | null;
      stateSeq: number;
      finalizedAt: Date | null;
      cardAccepted: boolean;
    }>(
      `UPDATE payments SET workflow_run_id = $2, workflow_started_at = coalesce(workflow_started_at, now()),
         state_seq = state_seq + CASE WHEN workflow_run_id IS DISTINCT FROM $2 THEN $3 ELSE 0 END
       WHERE id = $1
       RETURNING checkout_mode AS mode, expires_at AS "expiresAt", capture_expires_at AS "captureEndsAt",
         checkout_status AS "checkoutStatus", terminal_reason AS "terminalReason", status,
         attempts_left AS "attemptsLeft", method, state_seq AS "stateSeq", finalized_at AS "finalizedAt",
         accepted_token_hash IS NOT NULL AS "cardAccepted"`,
      [paymentId, runId, takeoverGap],
    );
    const [row] = rows;
    if (!row) throw new Error(`payment ${paymentId} does not exist`);
    const attempts = await transaction.query<AttemptRow>(
      `UPDATE attempts SET unknown_since = CASE
           WHEN status = 'processing' AND claimed_at IS NOT NULL THEN coalesce(unknown_since, now()) END
       WHERE payment_id = $1
       RETURNING attempt_no AS "attemptNo", status, answer,
         status = 'processing' AND claimed_at IS NULL AS unclaimed`,
      [paymentId],
    );
    const access = await transaction.query<{ ended: boolean }>(
      `SELECT status IN ('ending', 'ended') AS ended FROM capture_access WHERE payment_id = $1`,
      [paymentId],
    );
    // A reservation without a claim is not an attempt yet: the process that made it either requests the
    // attempt or releases the reservation.
    const made = attempts.rows.filter(({ unclaimed }) => !unclaimed);
    const open = made.find(({ status }) => status === 'processing' || status === 'requiresAction');
    // A confirmation was in progress, or its answer is stored but was not processed.
    const confirming =
      open?.status === 'requiresAction' &&
      ((row.checkoutStatus === 'processing' && made.length === attempts.rows.length) ||
        (row.checkoutStatus === 'requiresAction' && open.answer !== 'requires_action'));
    return {
      seq: row.stateSeq,
      final: row.finalizedAt !== null,
      checkout: {
        mode: row.mode,
        expiresAtMs: row.expiresAt.getTime(),
        captureEndsAtMs: row.captureEndsAt.getTime(),
        checkoutStatus: row.checkoutStatus,
        terminalReason: row.terminalReason,
        paymentStatus: checkoutPaymentStatus(row.status),
        attemptsLeft: row.attemptsLeft,
        attemptsStarted: Math.max(0, ...made.map(({ attemptNo }) => attemptNo)),
        method: row.method,
        captureRevoked:
          row.cardAccepted ||
          made.some(({ status }) => status !== 'released') ||
          access.rows.some(({ ended }) => ended),
        openAttempt: open
          ? {
              attemptNo: open.attemptNo,
              waitsForCustomer: open.status === 'requiresAction' && !confirming,
              confirming,
              certainty: 'unknown',
            }
          : null,
      },
    };
  });
}
