import { currentCause } from './cause.ts';

/** Returns the ids that a log line of the work at hand carries: its payment, and its request. */
export function idsOfCause(): { paymentId?: string; reqId?: string } {
  const { paymentId, requestId } = currentCause() ?? {};
  return {
    ...(paymentId === undefined ? {} : { paymentId }),
    ...(requestId === undefined ? {} : { reqId: requestId }),
  };
}
