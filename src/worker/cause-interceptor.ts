import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityExecuteInput, ActivityInterceptorsFactory } from '@temporalio/worker';
import { attemptOf } from '../temporal/cause-interceptor.ts';
import { causeHeader, readCauseHeader } from '../temporal/contract/cause-header.ts';
import { paymentIdOf } from '../temporal/contract/ids.ts';
import type { Spans } from '../tracing/spans.ts';

/**
 * Returns the interceptor that runs each activity in a span of the request for which its workflow was called.
 * A repeated activity continues the same trace, also on another worker.
 */
export const traced =
  ({ inSpan }: Spans): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      execute(input, next) {
        const workflowId = info.workflowExecution?.workflowId ?? '';
        const paymentId = paymentIdOf(workflowId);
        const cause = { ...causeOf(input), ...(paymentId === null ? {} : { paymentId }) };
        const attributes = {
          'temporal.workflow_id': workflowId,
          'temporal.attempt': info.attempt,
          ...attemptOf(input.args),
        };
        const start = { kind: 'internal', attributes } as const;
        return inSpan(`RunActivity ${info.activityType}`, start, () => next(input), cause);
      },
    },
  });

function causeOf({ headers }: ActivityExecuteInput): ReturnType<typeof readCauseHeader> {
  const header = headers[causeHeader];
  return readCauseHeader(header && defaultPayloadConverter.fromPayload(header));
}
