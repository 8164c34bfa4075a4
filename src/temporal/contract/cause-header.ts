/**
 * The Temporal header that names the cause of a call. Histories store it: it holds ids only, which the
 * update's id contains too.
 */
export const causeHeader = 'card-payments-cause';

/** The header's value. `traceparent`: W3C; absent without tracing. */
export interface CauseHeader {
  requestId?: string;
  traceparent?: string;
}

const requestIds = /^[\w-]{1,64}$/;
const traceparents = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Returns the fields of a header's value; a field of another shape is left out. */
export function readCauseHeader(value: unknown): CauseHeader {
  if (typeof value !== 'object' || value === null) return {};
  const { requestId, traceparent } = value as Record<string, unknown>;
  return {
    ...(typeof requestId === 'string' && requestIds.test(requestId) ? { requestId } : {}),
    ...(isTraceparent(traceparent) ? { traceparent } : {}),
  };
}

/** Returns whether a value is a W3C `traceparent` of version 0 or later, in its shortest form. */
export const isTraceparent = (value: unknown): value is string =>
  typeof value === 'string' && traceparents.test(value);
