import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { isRefusedPayload } from '../temporal/contract/refused-payload.ts';
import { ProviderUnavailable } from '../providers/ports.ts';

/** Pause between two heartbeats, in ms: well below the shortest heartbeat time-out of the workflows. */
const heartbeatMs = 1_000;

/**
 * Returns the interceptor of every activity that has a heartbeat time-out: it heartbeats while the activity
 * runs, so that a dead worker is noticed in seconds instead of at the activity's own time-out. What an
 * activity throws is logged by the SDK itself, with workflow, activity and attempt (docs/operations.md,
 * "Logs"). The pause that a provider asks for is kept.
 */
export const heartbeats: ActivityInterceptorsFactory = (context) => ({
  inbound: {
    async execute(input, next) {
      if (context.info.isLocal || context.info.heartbeatTimeoutMs === undefined) return next(input);
      const timer = setInterval(() => context.heartbeat(), heartbeatMs);
      try {
        return await next(input);
      } catch (error) {
        throw patient(error);
      } finally {
        clearInterval(timer);
      }
    },
  },
});

/** Returns the interceptor that refuses an activity that was scheduled without the keys. ADR 0017. */
export const refusals: ActivityInterceptorsFactory = () => ({
  inbound: {
    async execute(input, next) {
      if (!input.args.some(isRefusedPayload)) return next(input);
      throw ApplicationFailure.nonRetryable('a payload was refused', 'PayloadRefused');
    },
  },
});
/** Returns the error with the pause that the provider asked for, in place of the usual one. */
function patient(error: unknown): unknown {
  if (!(error instanceof ProviderUnavailable) || error.retryAfterMs === undefined) return error;
  return ApplicationFailure.create({
    message: error.message,
    type: 'PROVIDER_UNAVAILABLE',
    nextRetryDelay: error.retryAfterMs,
    cause: error,
  });
}
