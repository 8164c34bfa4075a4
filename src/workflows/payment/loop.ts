import { condition } from '@temporalio/workflow';
import { decide } from '../../domain/checkout.ts';
import type { CaptureAccess } from './capture-access.ts';
import type { Deadlines } from './deadlines.ts';
import { answerOf, attemptRow, writesRows } from './outcomes.ts';
import type { ProviderWork } from './provider-work.ts';
import { type RowWriter, resumeRows } from './rows.ts';
import type { Message, PaymentRun } from './run.ts';

/** What a message may set in motion. */
export interface PaymentParts {
  run: PaymentRun;
  work: ProviderWork;
  capture: CaptureAccess;
  deadlines: Deadlines;
  commit: RowWriter;
  /** Shows operators where the payment stands. */
  show: () => void;
}

/** Works through the inbox, one message at a time, until nothing can change any more. */
export async function handleMessages(parts: PaymentParts): Promise<void> {
  const { run, work, capture, commit } = parts;
  for (;;) {
    await condition(() => run.inbox.length > 0 || (run.isClosed && run.state.flight === null && work.isIdle));
    const message = run.inbox.shift();
    if (message) await handle(parts, message);
    // An attempt released after the deadline changes no row by itself, but nothing can follow it either.
    else if (!run.finalInRows) await commit(run.state, null, false);
    else if (capture.mustEnd) capture.end();
    else return;
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

/** Decides, commits, and only then lets the new state be seen. */
async function apply(parts: PaymentParts, message: Extract<Message, { type: 'command' }>): Promise<void> {
  const { run, work, capture, deadlines, commit, show } = parts;
  const { command, card } = message;
  if (work.isStale(message.flight)) return;
  const decision = decide(run.state, command, Date.now());
  const [event] = decision.ok ? decision.events : [];
  if (!decision.ok || !event) return;
  const { events } = decision;
  if (writesRows(event)) {
    if (!(await commit(run.after(events), { event, card }, event.type !== 'DeadlineReached'))) return;
  }
  run.state = run.after(events);
  if (writesRows(event) && attemptRow(event, card)) capture.cardAccepted(event);
  show();
  work.tell(answerOf(event, run.state));
  const { flight } = run.state;
  if (flight === null) work.stopResolving();
  for (const { type } of events) {
    if (type === 'OutcomeBecameUnknown' && flight) work.resolve(flight.attemptNo, flight.kind === 'closing');
    if (type === 'ClosingStarted' && flight) work.resolve(flight.attemptNo, true);
    if (type === 'DeadlinesMoved') deadlines.reset();
  }
}

/** Goes on from the rows; whoever waits for an attempt is told to read the status. */
async function resume({ run, work, capture, deadlines, show }: PaymentParts): Promise<void> {
  run.resume(await resumeRows(run.paymentId));
  capture.resume();
  work.abandon();
  deadlines.reset();
  show();
  resolveWhatWasLeft(run, work);
}

/** An attempt that an earlier run left behind has an unknown outcome until the network tells. */
export function resolveWhatWasLeft({ state }: PaymentRun, work: ProviderWork): void {
  if (state.flight?.certainty === 'unknown')
    work.resolve(state.flight.attemptNo, state.flight.kind === 'closing');
}
