import type { Keyring } from '../../crypto/keyring.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import { Refusal } from '../../domain/refusals.ts';
import { type CursorList, openCursor } from '../../operations/list-cursor.ts';

/**
 * Returns the position that the cursor of a query holds; null if the query has no cursor. Refuses:
 * invalid_query (400) for a cursor of another list, or of this list with other filters.
 */
export function readCursor<Position>(
  keyring: Keyring,
  tenant: Tenant,
  list: CursorList<Position>,
  cursor: string | null,
): Position | null {
  if (cursor === null) return null;
  const position = openCursor<Position>(keyring, tenant, list, cursor);
  if (position !== null) return position;
  throw new Refusal('invalid_query', {
    field: 'cursor',
    message: 'cursor is not one that this list answered with for these filters',
  });
}
