import type { Observations } from './observations.ts';
import type { Report } from './violation.ts';

/** Numbers of charges, refunds and disputes. */
export interface Counts {
  charges: number;
  refunds: number;
  disputes: number;
}

/** A difference as the operator's command prints it. `paymentId` null: the network names no payment. */
export interface FoundDifference {
  kind: string;
  paymentId: string | null;
  action: string;
}

/** The answer of a reconciliation. `problem`: why it is not complete. */
export interface Reconciled {
  complete: boolean;
  problem?: string | undefined;
  compared: Counts;
  differences: readonly FoundDifference[];
}

/** The observations from which the differences follow that the harness planted. */
export type Planted = Pick<Observations, 'payments' | 'attempts' | 'ledgers' | 'capturedLate'>;

/**
 * Returns the differences that the harness planted: captures after a decline that paid no attempt. The
 * network has their money, and no row expects it. Refunds, disputes and rows that the harness changed leave
 * none, because the service follows the network (I3, I22, I23).
 */
export function plantedDifferences({
  payments,
  attempts,
  ledgers,
  capturedLate,
}: Planted): FoundDifference[] {
  return payments.flatMap(({ id }) => {
    const captured = (ledgers.get(id) ?? []).filter(({ status }) => status === 'captured');
    const isPaid = ({ attemptId }: { attemptId: string }): boolean =>
      attempts.some(
        ({ paymentId, attemptNo, status }) => status === 'paid' && attemptId === `${paymentId}:${attemptNo}`,
      );
    const planted = captured.filter((charge) => capturedLate.has(charge.attemptId) && !isPaid(charge));
    // The first money of a payment is unexpected, any further money was taken once too often.
    const isFirst = planted.length === captured.length;
    return planted.map((_charge, index) => ({
      kind: isFirst && index === 0 ? 'captured_but_not_paid' : 'captured_twice',
      paymentId: id,
      action: 'needs_attention',
    }));
  });
}

/**
 * Checks I33: a reconciliation of the observed payments is complete, compares exactly the network's charges,
 * refunds and disputes (`there`), and finds the differences that the harness planted, and no others.
 */
export function checkReconciliation(
  observations: Planted,
  { complete, problem, compared, differences }: Reconciled,
  there: Counts,
  report: Report,
): void {
  if (!complete) {
    report('I33', null, `the reconciliation is not complete: ${problem ?? 'no problem is named'}`);
    return;
  }
  for (const kind of ['charges', 'refunds', 'disputes'] as const) {
    if (compared[kind] === there[kind]) continue;
    report('I33', null, `the reconciliation compared ${compared[kind]} ${kind} of ${there[kind]}`);
  }
  const missing = plantedDifferences(observations);
  for (const { kind, paymentId, action } of differences) {
    const index = missing.findIndex(
      (each) => each.kind === kind && each.paymentId === paymentId && each.action === action,
    );
    if (index === -1) report('I33', paymentId, `the reconciliation found ${kind} (${action}): not planted`);
    else missing.splice(index, 1);
  }
  for (const { kind, paymentId } of missing) {
    report('I33', paymentId, `the reconciliation did not find ${kind}, which was planted`);
  }
}
