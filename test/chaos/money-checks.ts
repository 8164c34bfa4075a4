import type { Ledger } from './ledger.ts';
import type { Observations } from './observations.ts';
import type { PaymentRow } from './rows.ts';
import { moneyCameIn } from './status-edges.ts';
import type { Report } from './violation.ts';

type Charge = Ledger['charges'][number];

/** Invariants that must hold 60 s after the last fault in every schedule. */
export const timedInvariants: readonly string[] = ['I25', 'I27', 'I32'];

/** Tolerance, in ms, between the network's clock and the rows' clock. */
const clocksDifferByMs = 100;

/** Checks I25 and I26: money that the network took is recorded, and not as late when it was taken in time. */
export function checkMoneyTaken(observations: Observations, payment: PaymentRow, report: Report): void {
  const { id, status, expiresAtMs } = payment;
  const isAlerted = observations.alerted.some(({ paymentId }) => paymentId === id);
  const isLate = observations.events.some((event) => event.paymentId === id && event.isLate);
  for (const charge of observations.ledgers.get(id) ?? []) {
    if (charge.status !== 'captured') continue;
    const isInRows = attemptOf(observations, id, charge)?.status === 'paid' && moneyCameIn(status);
    if (!isInRows && !isAlerted) {
      report('I25', id, `${charge.attemptId} took ${charge.amountCents}: not in the rows, and no alert`);
    }
    const takenAtMs = Date.parse(charge.capturedAt ?? '');
    if (isInRows && isLate && takenAtMs <= expiresAtMs - clocksDifferByMs) {
      report('I26', id, `late, but taken ${Math.round(expiresAtMs - takenAtMs)} ms before the deadline`);
    }
  }
}

const attemptOf = ({ attempts }: Observations, id: string, { attemptId }: Charge) =>
  attempts.find(({ paymentId, attemptNo }) => paymentId === id && attemptId === `${id}:${attemptNo}`);

/** Checks I27: no run fails its task repeatedly, and a payment that is not final has a run. */
export function checkRuns(observations: Observations, report: Report): void {
  const { payments, workflows, stuckRuns } = observations;
  for (const { workflowId, tries } of stuckRuns) {
    const id = /^payment-(.*)$/.exec(workflowId)?.[1] ?? null;
    report('I27', id, `${workflowId} is stuck: its task is tried for the ${tries}th time`);
  }
  for (const { id, isFinal } of payments) {
    const run = workflows.get(id);
    if (!isFinal && run !== 'RUNNING') report('I27', id, `not final, and its run is ${run}`);
  }
}
