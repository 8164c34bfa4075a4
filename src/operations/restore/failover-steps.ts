import type { Timeline } from '../../db/server/cluster-timeline.ts';

/** The findings about the rows after a failover. */
export interface FailoverFindings {
  /** The new primary's timeline is not the one that the leading worker recorded. */
  isUnseen: boolean;
  since: string;
  rowsOlderThan: readonly string[];
  missingPayments: readonly string[];
  missingRefunds: readonly string[];
  orphanCharges: readonly string[];
  openWithoutWorkflow: readonly string[];
  problems?: readonly string[];
}

/** The first step when commits wait for a standby. */
export const freeCommits =
  'Commits wait for a synchronous standby and none is connected: connect one, or set synchronous_standby_names to the empty text and reload the configuration. Then run this command again.';

/** Returns an operator's steps after a failover, in order, a line each; empty when there are none. Pure. */
export function failoverSteps(found: FailoverFindings): string[] {
  const isLost = found.missingPayments.length + found.missingRefunds.length + found.rowsOlderThan.length > 0;
  return [
    ...((found.problems ?? []).length > 0
      ? ['Run this command again when the networks named in problems answer: the search is not complete.']
      : []),
    ...(found.isUnseen
      ? [
          'Start a worker, or wait for its next sweep: it compares every open payment with its run. Then run this command again.',
        ]
      : []),
    ...(isLost
      ? [
          `Write back what is lost: admin restore failover --finish --since ${found.since} (needs a worker). Until then writes are 503.`,
        ]
      : []),
    ...(found.orphanCharges.length > 0
      ? ['Look at the charges in orphanCharges at the provider: they name no payment of this service.']
      : []),
    ...(found.openWithoutWorkflow.length > 0
      ? ['Nothing for openWithoutWorkflow: a run starts when a call or the deadline needs it.']
      : []),
  ];
}

/** Returns whether rows may have gone back in time: another timeline began since an instant. Pure. */
export function mayHaveLostCommits(
  timeline: { before: Timeline | null; isNew: boolean },
  recordedAt: Date | null,
  since: Date,
): boolean {
  if (timeline.isNew) return timeline.before !== null;
  return recordedAt !== null && recordedAt >= since;
}
