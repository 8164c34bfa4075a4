import { timelinePart } from '../../../src/domain/timeline/parts.ts';

it.each([
  ['payment.created', 'payment'],
  ['attempt.declined', 'payment'],
  ['checkout.closed', 'payment'],
  ['refund.succeeded', 'payment'],
  ['dispute.evidenceDueSoon', 'payment'],
  ['webhook.delivered', 'webhooks'],
  ['webhook.failed', 'webhooks'],
  ['request.answered', 'calls'],
])('an entry %s is of the part %s', (kind, part) => {
  expect(timelinePart(kind)).toBe(part);
});
