import type { AttemptReport } from '../../activities/attempt-report.ts';
import type { CheckoutEvent } from '../../domain/checkout.ts';
import { type CheckoutState, checkoutStatus, isClosed } from '../../domain/checkout-state.ts';
import type { LocalActivities } from '../local-activities.ts';
import { withOperatorAlert } from '../operator-alert.ts';
import { attemptRow, captureAfter } from './outcomes.ts';
import type { PaymentRun } from './run.ts';

/** A commit that fails for this long is an operator's business, while it goes on. */
const alertAfter = '1 minute';

/** What a transition resolved: the event, and the card the network told of. */
export interface Resolved {
  event: CheckoutEvent;
  card: AttemptReport['card'];
}

/**
 * `written`; `superseded` by another run, whose rows are gone on from; or `contradicted` by the recorded
 * answer.
 */
export type WriteResult = 'written' | 'superseded' | 'contradicted';

/** What writing a payment's rows may set in motion. */
export interface RowWriterParts {
  run: PaymentRun;
  local: LocalActivities;
  /** The vault is still to be told that capture access is over. */
  revokeCapture: () => void;
  /** Marks the payment for operators, or takes the mark back. */
  alert: (needsAttention: boolean) => void;
}

/**
 * Returns the writer of a payment's rows: a state under the next sequence number, once, however often it
 * runs.
 */
export function createRowWriter({ run, local, revokeCapture, alert }: RowWriterParts) {
  return async (next: CheckoutState, resolved: Resolved | null, emitEvent: boolean): Promise<WriteResult> => {
    run.seq += 1;
    const final = isClosed(next) && next.flight === null;
    const transition = {
      paymentId: run.paymentId,
      seq: run.seq,
      at: Date.now(),
      paymentStatus: next.paymentStatus,
      checkoutStatus: checkoutStatus(next),
      terminalReason: next.terminalReason,
      attemptsLeft: next.attemptsLeft,
      method: next.method,
      failure: next.failure,
      attempt: resolved ? attemptRow(resolved.event, resolved.card) : null,
      emitEvent,
      final,
      capture: captureAfter(next, resolved?.event ?? null),
      deadlines: { expiresAtMs: next.expiresAtMs, captureEndsAtMs: next.captureEndsAtMs },
    };
    const committed = await withOperatorAlert(() => local.commitTransition(transition), alert, alertAfter);
    if (committed.contradicted) {
      run.seq -= 1;
      return 'contradicted';
    }
    if (committed.superseded) {
      run.inbox.unshift({ type: 'resume' });
      return 'superseded';
    }
    run.written = Math.max(run.written, transition.seq);
    if (final) run.finalInRows = true;
    if (committed.revokeCapture) revokeCapture();
    if (committed.refused) alert(true);
    return 'written';
  };
}

export type RowWriter = ReturnType<typeof createRowWriter>;
