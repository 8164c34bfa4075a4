import type { Call } from './history.ts';
import type { Observations } from './observations.ts';
import type { PaymentRow } from './rows.ts';
import { type Edges, checkoutEdges, moneyCameIn, pageEdges, paymentEdges, reaches } from './status-edges.ts';
import type { Report } from './violation.ts';

/** Checks the order of a client's reads: a later call may not see an earlier state of its payment. */
export function checkReads(observations: Observations, payment: PaymentRow, report: Report): void {
  const { id } = payment;
  // Rows that were put back show an earlier state once.
  const fromMs = observations.putBack.get(id) ?? -Infinity;
  const calls = observations.history
    .filter(({ paymentId, result }) => paymentId === id && result === 'ok')
    .toSorted((one, other) => one.startedAtMs - other.startedAtMs);
  const of = (wanted: string): Call[] => calls.filter(({ op }) => op === wanted);

  const since = (wanted: string): Call[] => of(wanted).filter(({ startedAtMs }) => startedAtMs >= fromMs);
  checkOrder(since('status'), checkoutEdges, id, report);
  checkOrder(since('read'), paymentEdges, id, report);
  checkOrder(since('page'), pageEdges, id, report);
  for (const { op, data } of [...of('pay'), ...of('page')]) {
    if (data?.status === 'paid' && !moneyCameIn(payment.status)) {
      report('I11', id, `${op} answered paid, the payment is not`);
    }
  }
  for (const { data } of of('read')) {
    if (data?.amountCents !== payment.amountCents || data.currency !== 'USD') {
      report('I14', id, 'amount or currency changed');
    }
  }
  for (const op of ['capture', 'fields']) {
    const accesses = new Set(since(op).map(({ data }) => JSON.stringify(data?.capture)));
    if (accesses.size > 1) report('I9', id, 'two prepares gave different capture access');
  }
}

function checkOrder(calls: readonly Call[], edges: Edges, paymentId: string, report: Report): void {
  let before: Call | null = null;
  for (const call of calls) {
    // Overlapping calls have no order.
    if (before && call.startedAtMs < before.endedAtMs) continue;
    const from = before?.data;
    const to = call.data;
    if (to?.status === undefined) report('I21', paymentId, `${call.op} showed no status`);
    else if (from?.status !== undefined) {
      if (from.status !== to.status && !reaches(edges, from.status, to.status)) {
        report('I7', paymentId, `${call.op} showed ${from.status}, then ${to.status}`);
      }
      if ((to.attemptsLeft ?? 0) > (from.attemptsLeft ?? 0)) {
        report('I8', paymentId, `attemptsLeft rose to ${to.attemptsLeft}`);
      }
    }
    before = call;
  }
}
