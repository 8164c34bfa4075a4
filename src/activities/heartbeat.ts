import { Context } from '@temporalio/activity';

/** Heartbeats while `work` runs, so that a dead worker is noticed in seconds instead of at the activity's time-out. */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const { heartbeat } = Context.current();
  const timer = setInterval(() => heartbeat(), 1_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
