import type { Mutant } from '../support/harness/mutant.ts';
import type { FaultKind } from './change-plan.ts';
import type { Plan } from './plan.ts';

/** A mutant of the build, with the faults under which its kind of mistake appears. */
export interface ServiceMutant extends Mutant {
  forced: Partial<Plan>;
  /** The kind of change that its schedules are forced to have. */
  fault?: FaultKind;
}

const lostAnswers: Partial<Plan> = {
  hops: { network: { probability: 0.5, modes: ['executeThenDrop'], delayMs: 0, holdMs: 0 } },
};
const lateRequests: Partial<Plan> = {
  hops: { network: { probability: 0.6, modes: ['hold'], delayMs: 0, holdMs: 12_000 } },
};

/** Workflow tasks are lost with the charges that they made, until after the deadline. */
const lostTasks: Partial<Plan> = {
  actions: (['worker-1', 'worker-2'] as const).map((target) => ({
    atMs: 2_500,
    do: 'freeze',
    target,
    forMs: 15_000,
  })),
};

/** Mistakes in the compiled service, in files below dist/. */
export const serviceMutants: readonly ServiceMutant[] = [
  {
    name: 'new provider key per try',
    file: 'src/domain/payment.js',
    find: '=> `${paymentId}:${attemptNo}`',
    replace: '=> `${paymentId}:${attemptNo}:${Math.floor(Math.random() * 1e9)}`',
    forced: lostAnswers,
  },
  {
    name: 'reconcile "not found" = declined',
    file: 'src/activities/resolve-attempt.js',
    find: 'return (await isEarly(deps, attempt)) ? null : unseenKeys.close(reference);',
    replace: "return { ...voidedCharge(reference), status: 'declined', failureCode: 'processing_error' };",
    forced: lateRequests,
  },
  {
    name: 'the deadline leaves a reservation open',
    file: 'src/db/payments/transition-attempts.js',
    find: 'if (!final || others === released)',
    replace: 'if (true)',
    forced: lostTasks,
  },
  {
    // The caller gave up but the worker did not, so the fence is open while the charge is in progress.
    name: 'a claimed attempt is released and another reserved',
    file: 'src/db/payments/reservations.js',
    find: "WHERE payment_id = $1 AND attempt_no = $2 AND status = 'processing' AND claimed_at IS NULL",
    replace: "WHERE payment_id = $1 AND attempt_no = $2 AND status = 'processing'",
    forced: lostTasks,
  },
  {
    name: 'an attempt is resolved without a query',
    file: 'src/activities/resolve-attempt.js',
    find: 'const charge = await findCharge(deps, attempt, { network, reference }, close);',
    replace: 'const charge = voidedCharge(reference);',
    forced: lostAnswers,
  },
  {
    name: 'an ambiguous end counts as never sent',
    file: 'src/providers/http.js',
    find: 'throw fail(!wasNeverSent(error), code);',
    replace: 'throw fail(false, code);',
    forced: lostAnswers,
  },
  {
    name: 'new refund key per try',
    file: 'src/activities/refunds.js',
    find: 'key: refund.id,',
    replace: 'key: `${refund.id}:${Math.floor(Math.random() * 1e9)}`,',
    forced: lostAnswers,
  },
  {
    name: 'no event with the transition',
    file: 'src/db/payments/transitions.js',
    find: 'emitEvent && stored.status !== paymentStatus',
    replace: 'false',
    forced: {},
  },
  {
    name: 'webhook new id per try',
    file: 'src/webhooks/signing.js',
    find: "'webhook-id': message.id,",
    replace: "'webhook-id': `${message.id}-${Date.now()}`,",
    forced: {},
  },
  {
    name: 'the caller is logged with the request',
    file: 'src/api/app.js',
    find: 'status: reply.statusCode,',
    replace: 'status: reply.statusCode, caller: request.headers.authorization,',
    forced: {},
  },
  {
    name: "a dispute's later stage is taken for a stale answer",
    file: 'src/domain/dispute.js',
    find: "return 'reopened';",
    replace: "return 'behind';",
    forced: {},
    fault: 'moving-disputes',
  },
];
