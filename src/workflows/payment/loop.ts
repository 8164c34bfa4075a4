import { condition, patched } from '@temporalio/workflow';
import { decide, evolve } from '../../domain/checkout.ts';
import { writesRows } from '../../domain/transition.ts';
import type { LocalActivities } from '../local-activities.ts';
import type { OperatorView } from '../operator-view.ts';
import type { CaptureAccess } from './capture-access.ts';
import type { Deadlines } from './deadlines.ts';
import { answerOf } from './outcomes.ts';
import type { ProviderWork } from './provider-work.ts';
import type { RowWriter } from './rows.ts';
import type { Message, PaymentRun } from './run.ts';

/** The parts of a run that a message may act on. */
export interface PaymentParts {
  run: PaymentRun;
  local: LocalActivities;
  work: ProviderWork;
  capture: CaptureAccess;
  deadlines: Deadlines;
  commit: RowWriter;
  /** Shows operators where the payment stands. */
  show: () => void;
  /** Stores the facts of an event for the details that operators see. */
  note: OperatorView['note'];
  /** Marks the payment for operators, or removes the mark. */
  alert: (needsAttention: boolean) => void;
}

/** Handles the messages of the inbox, one at a time, until the rows record that no transition can follow. */
export async function handleMessages(parts: PaymentParts): Promise<void> {
  const { run, work, commit } = parts;
  for (;;) {
    await condition(
      () =>
        (run.inbox.length > 0 && !run.commitDelegated) ||
        (run.isClosed && run.state.flight === null && work.isIdle),
    );
    const message = run.inbox.shift();
    if (!message && run.finalInRows) return;
    run.busy = true;
    if (message) await handle(parts, message);
    // Nothing is left to resolve, but the rows do not record yet that no transition can follow.
    else await commit(run.state, null, false);
    run.busy = false;
  }
}

function handle(parts: PaymentParts, message: Message): Promise<void> | void {
  switch (message.type) {
    case 'captureWindowEnded':
      return parts.capture.end();
    case 'resume':
      return resume(parts);
    case 'command':
      return apply(parts, message);
  }
}

/** Applies a command: decides, commits, and only then publishes the new state. */
async function apply(parts: PaymentParts, message: Extract<Message, { type: 'command' }>): Promise<void> {
  const { run, work, deadlines, commit, show, note } = parts;
  const { command, card, committedTransition } = message;
  if (work.isStale(message.callNo)) return;
  if (command.type === 'resolve' && !committedTransition) await closeIfOverdue(parts);
  const decision = decide(run.state, command, run.now());
  const [event] = decision.ok ? decision.events : [];
  if (!decision.ok || !event) return;
  const { events } = decision;
  if (writesRows(event)) {
    const emitsEvent = event.type !== 'DeadlineReached';
    const written = await commit(run.after(events), { event, card }, emitsEvent, committedTransition);
    if (written === 'superseded') {
      // The caller that moves the deadlines still waits. A repeat is safe, because the instants are absolute.
      if (event.type === 'DeadlinesMoved') run.inbox.push(message);
      return;
    }
    if (written === 'contradicted') return queryAgain(parts);
  }
  run.state = run.after(events);
  note(event, card, run.state);
  show();
  work.answerCaller(answerOf(event, run.state));
  const { flight } = run.state;
  if (flight === null) work.stopResolving();
  for (const { type } of events) {
    if (type === 'OutcomeBecameUnknown' && flight) {
      noteUnknown(parts, flight.attemptNo);
      work.resolve(flight.attemptNo, flight.kind === 'closing');
    }
    if (type === 'ClosingStarted' && flight) work.resolve(flight.attemptNo, true);
    if (type === 'DeadlinesMoved') deadlines.reset();
  }
}

/**
 * Closes a checkout whose deadline passed before its timer ran, as in a run that resumes later. Reads have
 * shown `expired` since the deadline, and an outcome must not reverse that (AMB-07).
 */
async function closeIfOverdue(parts: PaymentParts): Promise<void> {
  const { run } = parts;
  if (run.isClosed || run.state.flight === null || run.now() < run.state.expiresAtMs) return;
  // Runs of earlier versions wrote the outcome first.
  if (!patched('close-before-outcome')) return;
  await apply(parts, { type: 'command', command: { type: 'reachDeadline' }, card: null });
}

/** Records in the background that the attempt's result is pending. */
function noteUnknown({ run, local, work }: PaymentParts, attemptNo: number): void {
  work.runInBackground(() => local.markUnknown({ paymentId: run.paymentId, attemptNo }));
}

/** Makes the network decide an outcome, because the report contradicts the provider's recorded answer. */
function queryAgain(parts: PaymentParts): void {
  const { run, work, alert, show } = parts;
  const { flight } = run.state;
  if (!flight) return;
  run.state = evolve(run.state, { type: 'OutcomeBecameUnknown', attemptNo: flight.attemptNo });
  work.answerCaller({ refused: 'service_unavailable' });
  noteUnknown(parts, flight.attemptNo);
  work.resolve(flight.attemptNo, flight.kind === 'closing', true);
  alert(true);
  show();
}

/** Resumes from the rows. A caller that waits for an attempt gets 503 and polls the status. */
async function resume({ run, local, work, deadlines, show }: PaymentParts): Promise<void> {
  run.resume(await local.resumePayment({ paymentId: run.paymentId }));
  work.abandon();
  deadlines.resume();
  show();
  resolveInheritedAttempt(run, work);
}

/** Resolves the attempt that an earlier run left open, if any: its outcome is unknown. */
export function resolveInheritedAttempt({ state }: PaymentRun, work: ProviderWork): void {
  if (state.flight?.certainty === 'unknown')
    work.resolve(state.flight.attemptNo, state.flight.kind === 'closing');
}
