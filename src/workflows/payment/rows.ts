import type { AttemptReport } from '../../activities/attempt-report.ts';
import type { Committed } from '../../activities/transitions.ts';
import type { CheckoutState } from '../../domain/checkout-state.ts';
import { type Resolved, type Transition, transitionTo } from '../../domain/transition.ts';
import type { LocalActivities } from '../local-activities.ts';
import { withOperatorAlert } from '../operator-alert.ts';
import type { PaymentRun } from './run.ts';

/** A commit that fails for this long alerts an operator; it is retried meanwhile. */
const alertAfter = '1 minute';

/**
 * `written`; `superseded` by another run, from whose rows this one resumes; or `contradicted` by the
 * recorded answer.
 */
export type WriteResult = 'written' | 'superseded' | 'contradicted';

/** What writing a payment's rows needs, and what it may start. */
export interface RowWriterParts {
  run: PaymentRun;
  local: LocalActivities;
  /** Revokes capture access at the vault. */
  revokeCapture: () => void;
  /** Marks the payment for operators, or removes the mark. */
  alert: (needsAttention: boolean) => void;
}

/**
 * Returns the writer of a payment's rows: a state under the next sequence number, once, however often it
 * runs. `committedTransition`: the transition that was committed with its answer; when that has this number,
 * it is applied without another write.
 */
export function createRowWriter({ run, local, revokeCapture, alert }: RowWriterParts) {
  /** No timer before it has lasted: ADR 0030. */
  const untilCommitted = (transition: Transition): Promise<Committed> =>
    local
      .tryTransition(transition)
      .catch(() => withOperatorAlert(() => local.commitTransition(transition), alert, alertAfter));

  return async (
    next: CheckoutState,
    resolved: Resolved | null,
    emitEvent: boolean,
    committedTransition?: AttemptReport['committedTransition'],
  ): Promise<WriteResult> => {
    run.seq += 1;
    const { paymentId, seq } = run;
    const transition = transitionTo(next, resolved, { paymentId, seq, at: Date.now(), emitEvent });
    const done = committedTransition?.seq === seq ? committedTransition : await untilCommitted(transition);
    if (done.contradicted) {
      run.seq -= 1;
      return 'contradicted';
    }
    if (done.superseded) {
      run.inbox.unshift({ type: 'resume' });
      return 'superseded';
    }
    run.written = Math.max(run.written, seq);
    if (transition.final) run.finalInRows = true;
    if (done.revokeCapture) revokeCapture();
    if (done.refused) alert(true);
    return 'written';
  };
}

export type RowWriter = ReturnType<typeof createRowWriter>;
