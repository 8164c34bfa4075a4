import type { WithResponse } from './answer.ts';
import { ConflictError, invalidArgument } from './errors.ts';
import type { List, PageMeta } from './page.ts';

/** The member of `metadata` in which `createOnce` stores its key, to find the object again at any time. */
const onceMember = 'createOnceKey';

/**
 * Returns the idempotency key of a `createOnce`: the same in every process and in every SDK. `parts` are the
 * caller's names for the operation.
 */
export async function onceKey(...parts: readonly string[]): Promise<string> {
  if (parts.some((part) => typeof part !== 'string' || part === '')) {
    throw invalidArgument('key', 'The key of createOnce must be a text, such as the id of your order.');
  }
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(parts.join('\n')));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `once-${hex}`;
}

/** Returns parameters with the key in their metadata. */
export function marked<Params extends { metadata?: Record<string, unknown> }>(
  params: Params,
  key: string,
): Params {
  return { ...params, metadata: { ...params.metadata, [onceMember]: key } };
}

/** Returns the object of a list that the `createOnce` with this key made; null where there is none. */
export async function findMarked<Item extends { metadata: Record<string, unknown> }, Meta extends PageMeta>(
  list: List<Item, Meta>,
  key: string,
): Promise<WithResponse<Item> | null> {
  const { data: page, ...answer } = await list.withResponse();
  for await (const item of page) if (item.metadata[onceMember] === key) return { ...answer, data: item };
  return null;
}

/** Throws ConflictError when the object that was found has another amount than the one now requested. */
export function requireSameAmount(found: { amountCents: number }, asked: number | undefined): void {
  if (asked === undefined || found.amountCents === asked) return;
  throw new ConflictError({
    status: 409,
    code: 'idempotency_key_reused',
    message: 'This key of createOnce was used with another amount. Use a new key for another amount.',
    field: 'amountCents',
    recovery: 'fix_request',
  });
}
