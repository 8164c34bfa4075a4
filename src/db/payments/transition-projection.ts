import type { PaymentRecord } from '../../domain/payment.ts';
import type { Transition } from '../../domain/transition.ts';
import { endAccessSql } from './capture-access.ts';
import type { Queryable } from '../server/database.ts';
import { paymentColumnsOf } from './payments.ts';
import { methodOfAttempts } from './reservations.ts';

/** A payment as it was written. */
interface WrittenPayment extends PaymentRecord {
  eventSeq: number;
  /** Null: the simulators. */
  connectorKind: string | null;
  /** Whether the vault must still be notified that capture access has ended. */
  revokeCapture: boolean;
}

/** The condition that the simulators serve the payment $2: only they end a session when its card is used. */
const ofSimulators = `NOT EXISTS (SELECT FROM payments o WHERE o.id = $2 AND o.connector_id IS NOT NULL)`;

/**
 * The condition that the deadline passed between the decision and this statement, so that the checkout may
 * have been shown as expired. The payment becomes paid, and the checkout stays expired. `readDeadline` waits
 * for the lock that this transaction holds.
 */
const closedMeanwhile = `new.checkout_status = 'paid' AND clock.present >= p.expires_at`;

const endAccess = endAccessSql('$2', "$3 <> 'keep'", `$3 = 'endedAtVault' AND ${ofSimulators}`);
const paymentColumns = paymentColumnsOf('p');

/**
 * Stores the payment as merchants read it, and the end of capture access. Card facts come from the attempt
 * that was verified.
 */
export async function writeProjection(
  transaction: Queryable,
  transition: Transition,
  withEvent: boolean,
  runId: string | null,
): Promise<WrittenPayment> {
  const { failure, deadlines, attempt } = transition;
  const card = verifiedCard(transition);
  const { rows } = await transaction.query<WrittenPayment>(
    `WITH access AS (${endAccess})
     UPDATE payments p SET
       state_seq = new.state_seq,
       changed_at = new.at,
       workflow_run_id = coalesce(p.workflow_run_id, new.workflow_run_id),
       status = new.status,
       -- A reservation made since the workflow decided keeps its fence.
       checkout_status = CASE WHEN new.checkout_status IN ('open', 'failed_retryable') AND EXISTS (
           SELECT FROM attempts o WHERE o.payment_id = p.id AND o.status = 'processing')
         THEN 'processing'
         WHEN ${closedMeanwhile} THEN 'expired' ELSE new.checkout_status END,
       terminal_reason = CASE WHEN ${closedMeanwhile} THEN 'checkout_expired' ELSE new.terminal_reason END,
       attempts_left = new.attempts_left,
       -- A released reservation leaves the payment as it was.
       method = ${methodOfAttempts('p.id')},
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
       terminal_reason text, attempts_left smallint, failure_code text, failure_message text,
       at timestamptz, final boolean, emits_event boolean, expires_at timestamptz,
       capture_expires_at timestamptz, card_brand text, card_last4 text, attempt_no int,
       card_accepted boolean
     ) CROSS JOIN (SELECT clock_timestamp() AS present) AS clock
       LEFT JOIN attempts a ON a.payment_id = new.payment_id AND a.attempt_no = new.attempt_no
     WHERE p.id = new.payment_id
     RETURNING ${paymentColumns}, p.event_seq AS "eventSeq",
       (SELECT c.kind FROM connectors c WHERE c.id = p.connector_id) AS "connectorKind",
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

/** Returns the card facts for the payment: only the verified attempt provides them (PMT-15, PMT-20). */
function verifiedCard(transition: Transition): { brand: string; last4: string } | null {
  const { paymentStatus, attempt } = transition;
  return paymentStatus === 'paid' || paymentStatus === 'failed' ? (attempt?.card ?? null) : null;
}
