import { proxyLocalActivities } from '@temporalio/workflow';
import type { AttemptReport } from '../../activities/attempt-report.ts';
import type { TransitionActivities } from '../../activities/transitions.ts';
import type { ResumedPayment } from '../../db/payment-ownership.ts';
import { type CheckoutEvent, type CheckoutState, checkoutStatus, isClosed } from '../../domain/checkout.ts';
import type { WebhookDispatcher } from '../webhook-dispatch.ts';
import { attemptRow } from './outcomes.ts';
import type { PaymentRun } from './run.ts';

/** What a transition resolved: the event, and the card the network told of. */
export interface Resolved {
  event: CheckoutEvent;
  card: AttemptReport['card'];
}

const patient = {
  startToCloseTimeout: '7 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '5 seconds' },
} as const;

/** Reads the rows of a payment and makes this run their only writer. */
export function resumeRows(paymentId: string): Promise<ResumedPayment> {
  const { resumePayment } = proxyLocalActivities<TransitionActivities>({
    ...patient,
    summary: 'go on from the rows',
  });
  return resumePayment({ paymentId });
}

/** Returns the writer of a payment's rows. */
export function createRowWriter(run: PaymentRun, webhooks: WebhookDispatcher) {
  const { commitTransition } = proxyLocalActivities<TransitionActivities>({
    ...patient,
    summary: 'commit the transition',
  });

  /**
   * Writes a state under the next sequence number. False: another run wrote the rows meanwhile (this run was
   * reset, or a lost workflow task had decided otherwise), nothing was written, and the run goes on from what
   * they hold.
   */
  return async (next: CheckoutState, resolved: Resolved | null, emitEvent: boolean): Promise<boolean> => {
    run.seq += 1;
    const final = isClosed(next) && next.flight === null;
    const { eventId, superseded } = await commitTransition({
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
      deadlines: { expiresAtMs: next.expiresAtMs, captureEndsAtMs: next.captureEndsAtMs },
    });
    if (eventId !== null) webhooks.dispatch([eventId]);
    if (superseded) run.inbox.unshift({ type: 'resume' });
    else if (final) run.finalInRows = true;
    return !superseded;
  };
}

export type RowWriter = ReturnType<typeof createRowWriter>;
