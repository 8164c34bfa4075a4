import type { CardOwner } from '../../vault/card-store.ts';
import type { StoredItem } from './records.ts';

/** Returns the owner that a card of this vault is bound to: its reference and its key. */
export function cardOwner({ reference, key, storedAt }: StoredItem): CardOwner {
  return { reference, paymentId: '', merchantId: key, environment: 'sandbox', createdAt: storedAt };
}
