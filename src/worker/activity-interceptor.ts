import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { isRefusedPayload } from '../temporal/contract/refused-payload.ts';

/** Pause between two heartbeats, in ms: well below the shortest heartbeat time-out of the workflows. */
const heartbeatMs = 1_000;

/**
 * Returns the interceptor of every activity that has a heartbeat time-out: it heartbeats while the activity
 * runs, so that a dead worker is noticed in seconds instead of at the activity's own time-out. What an
 * activity throws is logged by the SDK itself, with workflow, activity and attempt (docs/operations.md,
 * "Logs").
 */
export const heartbeats: ActivityInterceptorsFactory = (context) => ({
  inbound: {
    async execute(input, next) {
      if (context.info.isLocal || context.info.heartbeatTimeoutMs === undefined) return next(input);
      const timer = setInterval(() => context.heartbeat(), heartbeatMs);
      try {
        return await next(input);
      } finally {
        clearInterval(timer);
      }
    },
  },
});

/** Returns the interceptor that does nothing for whoever orders an activity without the keys. ADR 0017. */
export const refusals: ActivityInterceptorsFactory = () => ({
  inbound: {
    async execute(input, next) {
      if (!input.args.some(isRefusedPayload)) return next(input);
      throw ApplicationFailure.nonRetryable('a payload was refused', 'PayloadRefused');
    },
  },
});
