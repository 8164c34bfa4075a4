import { log } from '@temporalio/activity';
import type { Database } from '../db/server/database.ts';
import { decide, evolve } from '../domain/checkout.ts';
import type { CheckoutState } from '../domain/checkout-state.ts';
import { type Transition, transitionTo, writesRows } from '../domain/transition.ts';
import { type Attempt, type AttemptReport, type ProviderAnswer, recordAnswerOnly } from './attempt-report.ts';
import type { CommitTransition } from './transitions.ts';

/** The state of a payment that its workflow expects until the answer arrives. */
export interface ExpectedState {
  state: CheckoutState;
  /** The number that the next transition gets. */
  seq: number;
  /** When the workflow called, in epoch ms; the transition is no earlier. Absent in older histories. */
  calledAtMs?: number;
}

/** The workflow's side of a provider call. */
export interface CallContext {
  /** The workflow run that decides. */
  runId: string;
  /** Null where the workflow has to decide and commit itself. */
  expectedState: ExpectedState | null;
  /** Makes the workflow task wait until the local activity ends; false: it has stopped waiting already. */
  hold: () => boolean;
}

/**
 * Stores a provider's answer and the transition that follows from it in one transaction, and returns the
 * report. The workflow's own function decides the transition from the state that the workflow expects, and
 * the transition's number guards the rows. If that state no longer holds, or anything fails, only the answer
 * is stored and the workflow decides. ADR 0029.
 */
export async function commitWithAnswer(
  { database, commit, now }: { database: Database; commit: CommitTransition; now: () => number },
  { runId, expectedState, hold }: CallContext,
  attempt: Attempt,
  answer: ProviderAnswer,
): Promise<AttemptReport> {
  const { report, record } = answer;
  const transition = record && expectedState && nextTransition(attempt, report, expectedState, now());
  if (record && transition && hold()) {
    try {
      const committed = await commit(transition, runId, record);
      if (!committed.superseded && !committed.contradicted) {
        return { ...report, committedTransition: { ...committed, seq: transition.seq } };
      }
    } catch (error) {
      log.warn('a transition was not committed with its answer; the workflow commits it', { error });
    }
  }
  return recordAnswerOnly({ database }, attempt, answer);
}

/** Returns the transition that follows, if any; null once the deadline has passed, which comes first. */
function nextTransition(
  { paymentId, attemptNo }: Attempt,
  { outcome, card }: AttemptReport,
  { state, seq, calledAtMs = 0 }: ExpectedState,
  databaseMs: number,
): Transition | null {
  const nowMs = Math.max(databaseMs, calledAtMs);
  if (nowMs >= state.expiresAtMs) return null;
  const decision = decide(state, { type: 'resolve', attemptNo, outcome }, nowMs);
  const [event] = decision.ok ? decision.events : [];
  if (!decision.ok || !event || !writesRows(event)) return null;
  const next = decision.events.reduce(evolve, state);
  return transitionTo(next, { event, card }, { paymentId, seq, at: nowMs, emitEvent: true });
}
