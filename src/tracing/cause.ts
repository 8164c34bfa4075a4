import { AsyncLocalStorage } from 'node:async_hooks';

/** What a piece of work belongs to. It goes with the calls that the work makes, through Temporal too. */
export interface Cause {
  /** The request of a caller that the work is done for. */
  requestId?: string;
  paymentId?: string;
  /** The span that is open, as a W3C `traceparent`; absent without tracing. */
  traceparent?: string;
}

const storage = new AsyncLocalStorage<Cause>();

/** Returns what the work at hand belongs to; undefined for work that belongs to nothing, as a sweep's. */
export const currentCause = (): Cause | undefined => storage.getStore();

/** Runs `act`, and all it begins, as work of `cause`. */
export const withCause = <T>(cause: Cause, act: () => T): T => storage.run(cause, act);
