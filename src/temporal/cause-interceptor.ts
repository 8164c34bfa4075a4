import type { WorkflowClientInterceptor } from '@temporalio/client';
import { type Headers, defaultPayloadConverter } from '@temporalio/common';
import { currentCause } from '../tracing/cause.ts';
import { inSpan } from '../tracing/spans.ts';
import { type CauseHeader, causeHeader } from './contract/cause-header.ts';
import { paymentIdOf } from './contract/ids.ts';

/**
 * Sends with each start, update and signal what it is made for, so that the activities of the workflow belong
 * to the same request and trace; each is a span of its own.
 */
export const sendCause: WorkflowClientInterceptor = {
  start: (input, next) =>
    inSpan(`StartWorkflow ${input.workflowType}`, of(input.options.workflowId), () =>
      next({ ...input, headers: withCauseHeader(input.headers) }),
    ),
  startWithDetails: (input, next) =>
    inSpan(`StartWorkflow ${input.workflowType}`, of(input.options.workflowId), () =>
      next({ ...input, headers: withCauseHeader(input.headers) }),
    ),
  startUpdate: (input, next) =>
    inSpan(`UpdateWorkflow ${input.updateName}`, of(input.workflowExecution.workflowId, input.args), () =>
      next({ ...input, headers: withCauseHeader(input.headers) }),
    ),
  startUpdateWithStart: (input, next) =>
    inSpan(
      `UpdateWorkflow ${input.updateName}`,
      of(input.workflowStartOptions.workflowId, input.updateArgs),
      () =>
        next({
          ...input,
          workflowStartHeaders: withCauseHeader(input.workflowStartHeaders),
          updateHeaders: withCauseHeader(input.updateHeaders),
        }),
    ),
  signal: (input, next) =>
    inSpan(`SignalWorkflow ${input.signalName}`, of(input.workflowExecution.workflowId), () =>
      next({ ...input, headers: withCauseHeader(input.headers) }),
    ),
};

/** The span of a call to a workflow. */
function of(workflowId: string | undefined, args: readonly unknown[] = []): Parameters<typeof inSpan>[1] {
  const paymentId = paymentIdOf(workflowId ?? '');
  return {
    kind: 'client',
    attributes: {
      ...(workflowId === undefined ? {} : { 'temporal.workflow_id': workflowId }),
      ...(paymentId === null ? {} : { 'payment.id': paymentId }),
      ...attemptOf(args),
    },
  };
}

/** The attempt that a call or an activity is about, as an attribute. */
export function attemptOf(args: readonly unknown[]): { 'attempt.no'?: number } {
  const { attemptNo } = (args[0] ?? {}) as { attemptNo?: unknown };
  return typeof attemptNo === 'number' ? { 'attempt.no': attemptNo } : {};
}

function withCauseHeader(headers: Headers): Headers {
  const { requestId, traceparent } = currentCause() ?? {};
  if (requestId === undefined && traceparent === undefined) return headers;
  const cause: CauseHeader = {
    ...(requestId === undefined ? {} : { requestId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  return { ...headers, [causeHeader]: defaultPayloadConverter.toPayload(cause) };
}
