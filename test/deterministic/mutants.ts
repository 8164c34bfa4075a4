import { serviceMutants } from '../chaos/mutants.ts';
import { decisionMutants } from '../simulation/mutants.ts';
import type { Mutant } from '../support/harness/mutant.ts';
import { knownDefects } from './known-defects.ts';
import { pairs } from './mutant-pairs.ts';

const reservations = 'src/db/payments/reservations.js';
const transitions = 'src/db/payments/transitions.js';

/** Mistakes in the compiled service that only its own code in a simulated world reveals. */
const ownMutants: readonly Mutant[] = [
  {
    name: 'a claim after the deadline',
    file: reservations,
    find: 'AND p.expires_at > clock_timestamp()',
    replace: '',
  },
  {
    name: 'a claim by a run that does not own the payment',
    file: reservations,
    find: 'AND (p.workflow_run_id IS NULL OR p.workflow_run_id = $3)\n       -- A worker',
    replace: "AND coalesce($3::text, '') IS NOT NULL\n       -- A worker",
  },
  {
    name: 'an attempt is claimed twice',
    file: reservations,
    find: `AND a.status = 'processing' AND a.claimed_at IS NULL
       AND a.answer IS NULL`,
    replace: "AND a.status = 'processing'",
  },
  {
    name: 'the fence of the row does not look at the status',
    file: reservations,
    find: "AND checkout_status IN ('open', 'failed_retryable') AND attempts_left > 0",
    replace: 'AND attempts_left > 0',
  },
  {
    name: 'a reservation that was claimed is canceled',
    file: reservations,
    find: "AND claimed_at IS NULL AND (answer IS NULL OR answer = 'not_sent')",
    replace: "AND (answer IS NULL OR answer = 'not_sent')",
  },
  {
    name: 'a definite answer is replaced',
    file: 'src/db/payments/attempt-answers.js',
    find: "AND (answer IS NULL OR answer = 'requires_action')`",
    replace: '`',
  },
  {
    name: 'a run that lost the payment commits',
    file: transitions,
    find: 'stored.runId !== null && runId !== null && stored.runId !== runId',
    replace: 'false',
  },
  {
    name: 'a transition that was committed before is written again',
    file: transitions,
    find: 'if (stored.stateSeq >= transition.seq)',
    replace: 'if (false)',
  },
  {
    name: 'a transition that differs from the stored one counts as repeated',
    file: transitions,
    find: 'stored.stateSeq === transition.seq && !isSame(stored, transition)',
    replace: 'false',
  },
  {
    name: 'a result is written although another attempt was claimed',
    file: 'src/db/payments/transition-attempts.js',
    find: 'AND NOT ($11 AND EXISTS (SELECT FROM others WHERE claimed_at IS NOT NULL))\n       RETURNING attempt_no, late',
    replace: 'AND $11 IS NOT NULL\n       RETURNING attempt_no, late',
  },
  {
    name: 'a run that was lost is not started again',
    file: 'src/sweeps/sweep-payments.js',
    find: 'const healed = await heal(payment);',
    replace: 'const healed = null;',
  },
  {
    name: 'a fired timer is compared with the time of the last task',
    file: 'src/workflows/payment/run.js',
    find: 'return Math.max(Date.now(), this.#reachedMs);',
    replace: 'return Date.now();',
  },
  {
    name: 'a run that was reset is not found',
    file: 'src/sweeps/sweep-payments.js',
    find: 'if (payment.runId !== null && run.runId !== payment.runId) {',
    replace: 'if (false) {',
  },
  {
    name: 'no run counts as stuck',
    file: 'src/temporal/clients/stuck-run.js',
    find: '(raw.pendingWorkflowTask?.attempt ?? 0) >= stuckFromTry',
    replace: 'false',
  },
  {
    name: 'rows that went back are not restored',
    file: 'src/sweeps/sweep-payments.js',
    find: 'if (await lostRows.restore(payment.id, progress, isAbandoned(payment.attempt) ? payment.attempt : null)) {',
    replace: 'if (false) {',
  },
  {
    name: 'a reconciliation that continues as new begins anew',
    file: 'src/workflows/reconciliation.js',
    find: 'await continueAsNew(input, at, firstProblem);',
    replace: 'await continueAsNew(input);',
  },
  {
    name: 'a missed deadline is not found',
    file: 'src/db/payments/payment-checks.js',
    find: 'finalized_at IS NULL AND NOT check_scheduled AND expires_at < $2',
    replace: 'finalized_at IS NULL AND NOT check_scheduled AND expires_at < $2 AND false',
  },
  {
    name: 'the lease of a first try is ignored',
    file: 'src/db/webhooks/first-tries.js',
    find: 'AND leased_until IS NULL AND due_at <= clock_timestamp()',
    replace: 'AND due_at <= clock_timestamp()',
  },
  {
    name: 'a first try that failed has no workflow',
    file: 'src/sweeps/sweep-deliveries.js',
    find: 'await starter.recover(delivery)',
    replace: 'false',
  },
  {
    name: "the network's hints are ignored",
    file: 'src/api/callbacks/network.js',
    find: 'if (payment?.connectorId === null && payment.environment === environment)',
    replace: 'if (false)',
  },
  {
    name: 'the money of a refund is not counted',
    file: 'src/db/refunds/refunds.js',
    find: "SELECT coalesce(sum(amount_cents), 0)::bigint AS cents FROM refunds WHERE payment_id = $1 AND status = $2'",
    replace: "SELECT 0::bigint AS cents WHERE $1::uuid IS NOT NULL AND $2::text IS NOT NULL'",
  },
  {
    name: 'a charge is sent before its claim',
    file: 'src/activities/authorize.js',
    find: "if (claim.state === 'closed')\n            return notStarted(false);",
    replace: '',
  },
];

/** All mutants: mistakes to make in files below dist/, and mistakes of the decisions in sources. */
export const mutants: readonly Mutant[] = [
  ...ownMutants,
  ...pairs,
  ...knownDefects,
  ...serviceMutants,
  ...decisionMutants,
];
