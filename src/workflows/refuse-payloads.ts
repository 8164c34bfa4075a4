import {
  ApplicationFailure,
  type WorkflowInterceptors,
  type WorkflowInterceptorsFactory,
  log,
  workflowInfo,
} from '@temporalio/workflow';
import { isRefusedPayload } from '../temporal/contract/refused-payload.ts';

/**
 * Returns the interceptors that keep refused payloads out of every workflow. A call or signal with such a
 * payload is refused, and an activity that returns one fails. Each activity's id contains the first run of
 * its workflow, so that its result cannot be used for another workflow; a reset keeps that id. ADR 0017.
 */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [inbound()],
  outbound: [outbound],
});

function refuseIn(values: readonly unknown[], where: string): void {
  const refused = values.find(isRefusedPayload);
  if (refused === undefined) return;
  log.error('a payload was refused', { where, reason: refused.refusedPayload });
  throw ApplicationFailure.nonRetryable(
    `${where}: the payload is ${refused.refusedPayload}`,
    'PayloadRefused',
  );
}

const inbound = (): NonNullable<WorkflowInterceptors['inbound']>[number] => ({
  execute: async (input, next) => {
    refuseIn(input.args, 'workflow');
    return next(input);
  },
  handleSignal: async (input, next) => {
    // A throw here would fail the workflow.
    if (input.args.some(isRefusedPayload)) {
      log.error('a signal was refused', { signal: input.signalName });
      return;
    }
    await next(input);
  },
  validateUpdate: (input, next) => {
    refuseIn(input.args, 'update');
    next(input);
  },
  handleQuery: async (input, next) => {
    refuseIn(input.args, 'query');
    return next(input);
  },
});

const outbound: NonNullable<WorkflowInterceptors['outbound']>[number] = {
  scheduleActivity: async (input, next) => {
    const { firstExecutionRunId } = workflowInfo();
    const activityId = input.options.activityId ?? `${input.seq}-${firstExecutionRunId}`;
    const result = await next({ ...input, options: { ...input.options, activityId } });
    refuseIn([result], input.activityType);
    return result;
  },
};
