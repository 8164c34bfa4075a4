/** Sent only when asked for; no filter keeps it away. */
export const testEventType = 'endpoint.test';

const groups = ['payment', 'refund', 'dispute'];

/**
 * Whether an endpoint's filter may hold this text: a type of one of our groups, or a whole group such as
 * `payment.*`. Names are not checked against a list: a filter may ask for a type that comes later.
 * docs/webhooks.md.
 */
export function isEventFilter(text: string): boolean {
  const [group = '', name = '', ...rest] = text.split('.');
  return rest.length === 0 && groups.includes(group) && (name === '*' || /^[a-zA-Z]{1,64}$/.test(name));
}
