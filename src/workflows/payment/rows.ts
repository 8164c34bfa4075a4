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
 * The result of a write. `superseded`: another run wrote the rows, and this run resumes from them.
 * `contradicted`: the recorded answer differs.
 */
export type WriteResult = 'written' | 'superseded' | 'contradicted';

/** The parts of a run that the writer of its rows needs. */
export interface RowWriterParts {
  run: PaymentRun;
  local: LocalActivities;
  /** Revokes capture access at the vault. */
  revokeCapture: () => void;
  /** Marks the payment for operators, or removes the mark. */
  alert: (needsAttention: boolean) => void;
}

/**
 * Returns the writer of a payment's rows. It writes a state under the next sequence number; repeated writes
 * change nothing. `committedTransition`: the transition that an activity committed with the provider's
 * answer. If it has the next number, it is that write, and nothing is written again.
 */
export function createRowWriter({ run, local, revokeCapture, alert }: RowWriterParts) {
  /** Commits, with retries. The timer of the alert starts only after the first tries failed: ADR 0030. */
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
    const transition = transitionTo(next, resolved, { paymentId, seq, at: run.now(), emitEvent });
    const committed =
      committedTransition?.seq === seq ? committedTransition : await untilCommitted(transition);
    if (committed.contradicted) {
      run.seq -= 1;
      return 'contradicted';
    }
    if (committed.superseded) {
      run.inbox.unshift({ type: 'resume' });
      return 'superseded';
    }
    run.writtenSeq = Math.max(run.writtenSeq, seq);
    if (transition.final) run.finalInRows = true;
    if (committed.revokeCapture) revokeCapture();
    if (committed.refused) alert(true);
    return 'written';
  };
}

export type RowWriter = ReturnType<typeof createRowWriter>;
