/** The parts of a timeline: the payment itself, webhook deliveries, calls of the API. */
export const timelineParts = ['payment', 'webhooks', 'calls'] as const;
export type TimelinePart = (typeof timelineParts)[number];

/** Returns the part of a timeline that an entry of this kind belongs to. */
export function timelinePart(kind: string): TimelinePart {
  if (kind.startsWith('webhook.')) return 'webhooks';
  return kind.startsWith('request.') ? 'calls' : 'payment';
}
