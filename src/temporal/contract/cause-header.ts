/**
 * The Temporal header that names what a call was made for. It is in histories: ids alone, which the update's
 * id has too.
 */
export const causeHeader = 'card-payments-cause';

/** Its value. `traceparent`: W3C; absent without tracing. */
export interface CauseHeader {
  requestId?: string;
  traceparent?: string;
}

const requestIds = /^[\w-]{1,64}$/;
const traceparents = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Returns what a header's value says; what has another shape is left out. */
export function readCauseHeader(value: unknown): CauseHeader {
  if (typeof value !== 'object' || value === null) return {};
  const { requestId, traceparent } = value as Record<string, unknown>;
  return {
    ...(typeof requestId === 'string' && requestIds.test(requestId) ? { requestId } : {}),
    ...(isTraceparent(traceparent) ? { traceparent } : {}),
  };
}

/** Whether a value is a W3C `traceparent` of version 0 or later, at its shortest form. */
export const isTraceparent = (value: unknown): value is string =>
  typeof value === 'string' && traceparents.test(value);
