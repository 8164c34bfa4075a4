import { randomBase62 } from '../../secrets.ts';
import type { Caller } from './auth.ts';

/** A new id in the shape of Stripe's: a prefix and 24 characters. */
export const newId = (prefix: string): string => `${prefix}_${randomBase62(24)}`;

/** Returns the members that every new object starts with. */
export function newObject(
  prefix: string,
  caller: Caller,
  now: number,
  metadata: Record<string, string> = {},
) {
  const { accountId, live } = caller;
  return { id: newId(prefix), accountId, live, createdAt: now, metadata };
}
