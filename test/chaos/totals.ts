import type { Violation } from './violation.ts';

/** The counts of what happened, summed over schedules. */
export interface Totals {
  schedules: number;
  payments: number;
  charges: number;
  refunds: number;
  disputes: number;
  /** Payments that a shop paid through the SDK. */
  bySdk: number;
  unknowns: number;
  /** Schedules that a reconciliation followed, and the differences that it had to find and had to heal. */
  reconciliations: number;
  differencesExpected: number;
  differencesHealed: number;
  longestRecoveryMs: number;
  tookMs: number;
  violations: (Violation & { seed: number })[];
}

/** Returns the totals of no schedule. */
export const nothingRun = (): Totals => ({
  schedules: 0,
  payments: 0,
  charges: 0,
  refunds: 0,
  disputes: 0,
  bySdk: 0,
  unknowns: 0,
  reconciliations: 0,
  differencesExpected: 0,
  differencesHealed: 0,
  longestRecoveryMs: 0,
  tookMs: 0,
  violations: [],
});

/** Returns the sum of several runs. */
export function addUp(all: readonly Totals[]): Totals {
  if (all.length === 0) throw new Error('nothing was run');
  return all.reduce(
    (sum, each) => ({
      schedules: sum.schedules + each.schedules,
      payments: sum.payments + each.payments,
      charges: sum.charges + each.charges,
      refunds: sum.refunds + each.refunds,
      disputes: sum.disputes + each.disputes,
      bySdk: sum.bySdk + each.bySdk,
      unknowns: sum.unknowns + each.unknowns,
      reconciliations: sum.reconciliations + each.reconciliations,
      differencesExpected: sum.differencesExpected + each.differencesExpected,
      differencesHealed: sum.differencesHealed + each.differencesHealed,
      longestRecoveryMs: Math.max(sum.longestRecoveryMs, each.longestRecoveryMs),
      tookMs: sum.tookMs + each.tookMs,
      violations: [...sum.violations, ...each.violations],
    }),
    nothingRun(),
  );
}
