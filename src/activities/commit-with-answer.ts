import { log } from '@temporalio/activity';
import { recordAnswer } from '../db/payments/attempt-answers.ts';
import type { Database } from '../db/server/database.ts';
import { decide, evolve } from '../domain/checkout.ts';
import type { CheckoutState } from '../domain/checkout-state.ts';
import { type Transition, transitionTo, writesRows } from '../domain/transition.ts';
import type { AttemptReport, WriteDown } from './attempt-report.ts';
import type { CommitTransition } from './transitions.ts';

/** What the next transition of a payment follows from, as its workflow holds it. */
export interface Foreseen {
  state: CheckoutState;
  /** The number that the transition gets. */
  seq: number;
}

/** Who asked for an attempt's answer. */
export interface Asking {
  /** The workflow run that decides. */
  runId: string;
  /** Null where the workflow has to decide by itself. */
  foreseen: Foreseen | null;
  /** Has the workflow wait beyond its patience, as long as its local activity may; false: it is too late. */
  hold: () => boolean;
}

/**
 * Returns what writes an answer down together with the transition that follows from it, in one transaction,
 * so that the workflow only takes note. Its state decides, by the same function, and its number guards the
 * rows: where it holds no longer, or anything fails, the answer is written alone, and the workflow decides.
 */
export function followUp(
  { database, commit }: { database: Database; commit: CommitTransition },
  { runId, foreseen, hold }: Asking,
): WriteDown {
  return async (attempt, heard) => {
    const transition = foreseen && following(attempt, heard.report, foreseen, Date.now());
    if (transition && hold()) {
      try {
        const committed = await commit(transition, runId, heard);
        if (!committed.superseded && !committed.contradicted) {
          return { ...heard.report, committed: { ...committed, seq: transition.seq } };
        }
      } catch (error) {
        log.warn('what follows from an answer was not written with it; the workflow will', { error });
      }
    }
    await recordAnswer(database, attempt, heard.answer, heard.details);
    return heard.report;
  };
}

/** Null once the deadline has passed: it comes first. */
function following(
  { paymentId, attemptNo }: { paymentId: string; attemptNo: number },
  { outcome, card }: AttemptReport,
  { state, seq }: Foreseen,
  nowMs: number,
): Transition | null {
  if (nowMs >= state.expiresAtMs) return null;
  const decision = decide(state, { type: 'resolve', attemptNo, outcome }, nowMs);
  const [event] = decision.ok ? decision.events : [];
  if (!decision.ok || !event || !writesRows(event)) return null;
  const next = decision.events.reduce(evolve, state);
  return transitionTo(next, { event, card }, { paymentId, seq, at: nowMs, emitEvent: true });
}
