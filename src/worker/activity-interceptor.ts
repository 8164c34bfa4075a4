import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { causeHeader } from '../temporal/contract/cause-header.ts';
import { paymentIdOf } from '../temporal/contract/ids.ts';
import { isRefusedPayload } from '../temporal/contract/refused-payload.ts';
import { ProviderUnavailable } from '../providers/ports.ts';

/** Pause between two heartbeats, in ms: well below the shortest heartbeat timeout of the workflows. */
const heartbeatMs = 1_000;

/**
 * Returns the interceptor of every activity that has a heartbeat timeout. It heartbeats while the activity
 * runs, so that a dead worker is noticed in seconds, before the activity's own timeout. The SDK itself logs
 * what an activity throws, with workflow, activity and attempt (docs/operations.md, "Logs"). A pause that a
 * provider asked for replaces the usual one.
 */
export const heartbeats: ActivityInterceptorsFactory = (context) => ({
  inbound: {
    async execute(input, next) {
      if (context.info.isLocal || context.info.heartbeatTimeoutMs === undefined) return next(input);
      const timer = setInterval(() => context.heartbeat(), heartbeatMs);
      try {
        return await next(input);
      } catch (error) {
        throw withRetryDelay(error);
      } finally {
        clearInterval(timer);
      }
    },
  },
});

/**
 * Returns the interceptor that adds to an activity's log lines its payment, and the request for which the
 * payment's run was last called. `withLineIds`: runs a function whose log lines carry these ids.
 */
export const namedLines =
  (withLineIds: <T>(ids: object, act: () => T) => T): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      execute(input, next) {
        const paymentId = paymentIdOf(info.workflowExecution?.workflowId ?? '');
        if (paymentId === null) return next(input);
        const header = input.headers[causeHeader];
        const cause: unknown = header && defaultPayloadConverter.fromPayload(header);
        const { requestId } = (cause ?? {}) as { requestId?: unknown };
        const ids = { paymentId, ...(typeof requestId === 'string' ? { reqId: requestId } : {}) };
        return withLineIds(ids, () => next(input));
      },
    },
  });

/** Returns the interceptor that refuses an activity that was scheduled without the payload keys. ADR 0017. */
export const refusals: ActivityInterceptorsFactory = () => ({
  inbound: {
    async execute(input, next) {
      if (!input.args.some(isRefusedPayload)) return next(input);
      throw ApplicationFailure.nonRetryable('a payload was refused', 'PayloadRefused');
    },
  },
});
/** Returns the error with the pause that the provider asked for instead of the usual one. */
function withRetryDelay(error: unknown): unknown {
  if (!(error instanceof ProviderUnavailable) || error.retryAfterMs === undefined) return error;
  return ApplicationFailure.create({
    message: error.message,
    type: 'PROVIDER_UNAVAILABLE',
    nextRetryDelay: error.retryAfterMs,
    cause: error,
  });
}
