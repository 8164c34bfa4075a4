import type { Mutant } from '../support/harness/mutant.ts';

const resolving = 'src/activities/resolve-attempt.js';
const clients = 'src/temporal/clients/payments.js';
const sweep = 'src/sweeps/sweep-payments.js';

/** Defects that this service once had, made again in today's code. */
export const knownDefects: readonly Mutant[] = [
  {
    name: 'a stuck run of a refund or dispute counts as started',
    file: 'src/temporal/clients/stuck-run.js',
    find: 'if (!run.isStuck)',
    replace: 'if (true)',
  },
  {
    name: 'a hint for a payment whose run is gone does nothing',
    file: clients,
    find: "if (run === 'none' && (await hasCompleted(payment.id)))",
    replace: "if (run === 'none')",
  },
  {
    name: "attempts at the customer's step are not checked",
    file: sweep,
    find: "const step = isOverdue ? 'waiting' : await confirmStep(payment, healed !== null);",
    replace: "const step = 'waiting';",
  },
  {
    name: 'money counts as late when it is noticed after the deadline',
    file: 'src/db/payments/transition-attempts.js',
    find: '$12 AND coalesce(captured_at > ${passedDeadline}, true)',
    replace: '$12',
  },
  {
    name: "the age of a claim is measured by the host's clock",
    file: resolving,
    find: 'return (await loadClaimAgeMs(database, paymentId, attemptNo)) ?? Infinity;',
    replace: `const claimedAt = await loadClaimedAt(database, paymentId, attemptNo);
    return claimedAt === null ? Infinity : Date.now() - claimedAt.getTime();`,
  },
  {
    name: "sweeps use the host's clock",
    file: 'src/worker/sweeps.js',
    find: 'const { now } = clock;',
    replace: 'const now = () => Date.now();',
  },
  {
    name: "a leader's session never ends",
    file: 'src/db/server/leader-lock.js',
    find: 'SET LOCAL idle_in_transaction_session_timeout = ${sessionIdleMs}',
    replace: 'SET LOCAL idle_in_transaction_session_timeout = 0',
  },
  {
    name: 'a run that is ahead of its rows is replaced at the next call',
    file: clients,
    find: 'if (await isAhead(payment, error)) {',
    replace: 'if (false) {',
  },
  {
    name: 'a reservation is released although the run is ahead of its rows',
    file: 'src/operations/payments/make-attempt.js',
    find: 'if (await isAheadOfRows(deps, id, error)) {',
    replace: 'if (false) {',
  },
  {
    name: 'one dispute that cannot be read stops the list',
    file: 'src/providers/disputes-http.js',
    find: 'const lines = body.disputes.map(lineOf);',
    replace: `const lines = body.disputes.map(lineOf);
            if (lines.some((line) => 'problem' in line)) throw new Error('a dispute cannot be read');`,
  },
  {
    name: 'a capture after the end raises no alert',
    file: 'src/db/payments/unexpected-captures.js',
    find: 'const found = await insertOnce(transaction, paymentId, capture);',
    replace: 'const found = null;',
  },
];
