import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { attemptOf } from '../temporal/cause-interceptor.ts';
import { causeHeader, readCauseHeader } from '../temporal/contract/cause-header.ts';
import { paymentIdOf } from '../temporal/contract/ids.ts';
import type { Cause } from '../tracing/cause.ts';
import { inSpan } from '../tracing/spans.ts';

/**
 * Returns the interceptor that runs each activity as work of the request that its workflow was called for, in
 * a span of its own; a repeated one continues the same trace, on another worker too.
 */
export const causes: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute(input, next) {
      const workflowId = info.workflowExecution?.workflowId ?? '';
      const paymentId = paymentIdOf(workflowId);
      const header = input.headers[causeHeader];
      const cause: Cause = {
        ...readCauseHeader(header && defaultPayloadConverter.fromPayload(header)),
        ...(paymentId === null ? {} : { paymentId }),
      };
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
