import type { ActivityInterceptorsFactory } from '@temporalio/worker';

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
