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

/** What a run needs to go on from the rows alone. */
export interface ResumedPayment {
  checkout: StoredCheckout;
  /** The run's next transition is the one after this. */
  seq: number;
  /** Nothing is left to do. */
  final: boolean;
}

interface AttemptRow {
  attemptNo: number;
  status: string;
  answer: RecordableAnswer | null;
  intended: boolean;
}

/**
 * More transitions than an earlier run can still have on their way: what it writes late is older than what is
 * stored.
 */
const generation = 100;

/**
 * Returns the checkout as the rows hold it, and makes a workflow run the only writer of the payment. Resuming
 * twice by the same run equals once. The earlier run's late writes (a transition, the record of an attempt)
 * change nothing from here on, so its charge either was recorded before, and is found at the network, or is
 * never sent.
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
      [paymentId, runId, generation],
    );
    const [row] = rows;
    if (!row) throw new Error(`payment ${paymentId} does not exist`);
    const attempts = await transaction.query<AttemptRow>(
      `UPDATE attempts SET unknown_since = CASE
           WHEN status = 'processing' AND claimed_at IS NOT NULL THEN coalesce(unknown_since, now()) END
       WHERE payment_id = $1
       RETURNING attempt_no AS "attemptNo", status, answer,
         status = 'processing' AND claimed_at IS NULL AS intended`,
      [paymentId],
    );
    const access = await transaction.query<{ ended: boolean }>(
      `SELECT status IN ('ending', 'ended') AS ended FROM capture_access WHERE payment_id = $1`,
      [paymentId],
    );
    // A reservation that no worker claimed is no attempt yet: the caller that made it delegates or releases
    // it.
    const made = attempts.rows.filter(({ intended }) => !intended);
    const open = made.find(({ status }) => status === 'processing' || status === 'requiresAction');
    // A confirmation was on its way, or its answer is here and was not acted upon.
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
