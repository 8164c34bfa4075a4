import { paymentStatuses } from './statuses.ts';

/** The type of a test event: sent only on request, to an endpoint with any filter. */
export const testEventType = 'endpoint.test';

/** Every type of event that the service sends. More may come: receivers accept unknown types. */
export const eventTypes = [
  ...paymentStatuses.map((status) => `payment.${status}` as const),
  'payment.unexpectedCapture',
  'refund.created',
  'refund.succeeded',
  'refund.failed',
  'refund.canceled',
  'dispute.created',
  'dispute.updated',
  'dispute.underReview',
  'dispute.won',
  'dispute.lost',
  'dispute.withdrawn',
  'dispute.evidenceDueSoon',
  'risk.cardTesting',
  testEventType,
] as const;
export type EventType = (typeof eventTypes)[number];

const groups = ['payment', 'refund', 'dispute', 'risk'];

/**
 * The form of an endpoint's filter: a type of one of our groups, or a whole group such as `payment.*`. Names
 * are not checked against a list, because a filter may name a future type. docs/webhooks.md.
 */
export const eventFilterPattern = new RegExp(`^(?:${groups.join('|')})\\.(?:\\*|[a-zA-Z]{1,64})$`);

export const isEventFilter = (text: string): boolean => eventFilterPattern.test(text);
