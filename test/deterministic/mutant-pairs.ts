import type { Edit, Mutant } from '../support/harness/mutant.ts';

const reservations = 'src/db/payments/reservations.js';
const transitions = 'src/db/payments/transitions.js';
const sweeps = 'src/worker/sweeps.js';

const cancelsClaimed: Edit = {
  file: reservations,
  find: "AND claimed_at IS NULL AND (answer IS NULL OR answer = 'not_sent')",
  replace: "AND (answer IS NULL OR answer = 'not_sent')",
};
const commitsForeign: Edit = {
  file: transitions,
  find: 'stored.runId !== null && runId !== null && stored.runId !== runId',
  replace: 'false',
};
const anyCountsAsRepeated: Edit = {
  file: transitions,
  find: 'stored.stateSeq === transition.seq && !isSame(stored, transition)',
  replace: 'false',
};

/**
 * Mistakes whose single guards hide each other: all of them are removed. Where one of these is caught and the
 * single mistake is not, the other guard makes the single one harmless.
 */
export const pairs: readonly Mutant[] = [
  {
    name: 'a claim of another run while a claimed reservation is canceled',
    file: reservations,
    find: 'AND (p.workflow_run_id IS NULL OR p.workflow_run_id = $3)\n       -- A worker',
    replace: "AND coalesce($3::text, '') IS NOT NULL\n       -- A worker",
    also: [cancelsClaimed],
  },
  {
    name: 'a run that lost the payment commits and its numbers are not outdated',
    ...commitsForeign,
    also: [
      {
        file: 'src/db/payments/payment-ownership.js',
        find: 'const takeoverGap = 100;',
        replace: 'const takeoverGap = 0;',
      },
      anyCountsAsRepeated,
    ],
  },
  {
    name: 'a transition is written again even if the payment is final or the stored one differs',
    file: transitions,
    find: 'if (stored.stateSeq >= transition.seq)',
    replace: 'if (false)',
    also: [{ file: transitions, find: 'if (stored.isFinal)', replace: 'if (false)' }, anyCountsAsRepeated],
  },
  {
    name: 'a run that was reset is not found and does not resume by itself',
    file: 'src/sweeps/sweep-payments.js',
    find: 'if (payment.runId !== null && run.runId !== payment.runId) {',
    replace: 'if (false) {',
    also: [
      {
        file: 'src/workflows/payment/rows.js',
        find: "run.inbox.unshift({ type: 'resume' });",
        replace: '',
      },
    ],
  },
  {
    name: "sweeps use the host's clock and lead with a wrong one",
    file: sweeps,
    find: 'const { now } = clock;',
    replace: 'const now = () => Date.now();',
    also: [
      { file: sweeps, find: 'mayLead: () => deps.clockWatch.isRight()', replace: 'mayLead: () => true' },
    ],
  },
  {
    name: "the age of a claim is measured by the host's clock and a wrong clock is ignored",
    file: 'src/activities/resolve-attempt.js',
    find: 'return (await loadClaimAgeMs(database, paymentId, attemptNo)) ?? Infinity;',
    replace: `const claimedAt = await loadClaimedAt(database, paymentId, attemptNo);
    return claimedAt === null ? Infinity : Date.now() - claimedAt.getTime();`,
    also: [
      {
        file: 'src/worker/compose.js',
        find: 'clockWatch.onChange((isRight) => callers.allow(isRight));',
        replace: '',
      },
    ],
  },
  {
    name: 'a reservation is released although the run is ahead and is not looked up later',
    file: 'src/operations/payments/make-attempt.js',
    find: 'if (await isAheadOfRows(deps, id, error)) {',
    replace: 'if (false) {',
    also: [
      { file: 'src/activities/authorize.js', find: 'if (releasedBefore.length > 0)', replace: 'if (false)' },
    ],
  },
];
