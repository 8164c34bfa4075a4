import type { TimelineDelivery, TimelineRequest } from './sources.ts';
import type { DraftEntry } from './draft-entry.ts';

/** Returns the entry of one try to deliver an event. */
export function deliveryEntry(delivery: TimelineDelivery): DraftEntry {
  const { eventId, type, endpointId, attemptNo, at, statusCode, error } = delivery;
  const delivered = statusCode !== null && statusCode >= 200 && statusCode < 300 && error === null;
  return {
    at,
    rank: 'webhook',
    kind: delivered ? 'webhook.delivered' : 'webhook.failed',
    title: delivered ? `Webhook ${type} delivered` : `Webhook ${type} not delivered`,
    detail: { eventId, type, endpointId, attemptNo, statusCode, ...(error === null ? {} : { error }) },
  };
}

/** Returns the entry of one answered call of the merchant. */
export function requestEntry(request: TimelineRequest): DraftEntry {
  const { id, method, route, answeredAt, status, errorCode } = request;
  return {
    at: answeredAt,
    rank: 'request',
    kind: 'request.answered',
    title: `${method} ${route} answered ${status}`,
    detail: { requestId: id, method, route, status, ...(errorCode === null ? {} : { errorCode }) },
  };
}
