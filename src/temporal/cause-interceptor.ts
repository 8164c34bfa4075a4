import type { WorkflowClientInterceptor } from '@temporalio/client';
import { type Headers, defaultPayloadConverter } from '@temporalio/common';
import type { Cause, SpanStart, Spans } from '../tracing/spans.ts';
import { type CauseHeader, causeHeader } from './contract/cause-header.ts';
import { paymentIdOf } from './contract/ids.ts';

/**
 * Returns the interceptor that sends the cause of each start, update and signal along, so that the workflow's
 * activities belong to the same request and trace. Each call is a span of its own.
 */
export function sendCause({ inSpan, current }: Spans): WorkflowClientInterceptor {
  const withCause = (headers: Headers): Headers => withCauseHeader(headers, current());
  return {
    start: (input, next) =>
      inSpan(`StartWorkflow ${input.workflowType}`, spanOfCall(input.options.workflowId), () =>
        next({ ...input, headers: withCause(input.headers) }),
      ),
    startWithDetails: (input, next) =>
      inSpan(`StartWorkflow ${input.workflowType}`, spanOfCall(input.options.workflowId), () =>
        next({ ...input, headers: withCause(input.headers) }),
      ),
    startUpdate: (input, next) =>
      inSpan(
        `UpdateWorkflow ${input.updateName}`,
        spanOfCall(input.workflowExecution.workflowId, input.args),
        () => next({ ...input, headers: withCause(input.headers) }),
      ),
    startUpdateWithStart: (input, next) =>
      inSpan(
        `UpdateWorkflow ${input.updateName}`,
        spanOfCall(input.workflowStartOptions.workflowId, input.updateArgs),
        () =>
          next({
            ...input,
            workflowStartHeaders: withCause(input.workflowStartHeaders),
            updateHeaders: withCause(input.updateHeaders),
          }),
      ),
    signal: (input, next) =>
      inSpan(`SignalWorkflow ${input.signalName}`, spanOfCall(input.workflowExecution.workflowId), () =>
        next({ ...input, headers: withCause(input.headers) }),
      ),
  };
}

/** Returns the start of the span of a call to a workflow. */
function spanOfCall(workflowId: string | undefined, args: readonly unknown[] = []): SpanStart {
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

/** Returns the attempt that a call or an activity is about, as an attribute. */
export function attemptOf(args: readonly unknown[]): { 'attempt.no'?: number } {
  const { attemptNo } = (args[0] ?? {}) as { attemptNo?: unknown };
  return typeof attemptNo === 'number' ? { 'attempt.no': attemptNo } : {};
}

function withCauseHeader(headers: Headers, { requestId, traceparent }: Cause = {}): Headers {
  if (requestId === undefined && traceparent === undefined) return headers;
  const cause: CauseHeader = {
    ...(requestId === undefined ? {} : { requestId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  return { ...headers, [causeHeader]: defaultPayloadConverter.toPayload(cause) };
}
