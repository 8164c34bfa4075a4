import type { NewPayment } from './payments.ts';
import type { Queryable } from '../server/database.ts';

/** The facts about a payment that Temporal and the network still have, from which it is restored. */
export type RestoredPayment = Pick<
  NewPayment,
  | 'id'
  | 'merchantId'
  | 'environment'
  | 'checkoutMode'
  | 'reference'
  | 'amountCents'
  | 'successUrl'
  | 'cancelUrl'
  | 'offeredMethods'
  | 'checkoutUrlSealed'
  | 'checkoutTokenHash'
  | 'vaultId'
  | 'createdAt'
  | 'expiresAt'
  | 'captureExpiresAt'
  | 'connectorId'
> & {
  /** Null if it is unknown. */
  creationKeyHash: Buffer | null;
};

/**
 * Restores a payment under its id, as pending, with the keyed hash of its Idempotency-Key, in the caller's
 * transaction. A payment that has a row is left unchanged. Returns whether it was restored. ADR 0062.
 */
export async function insertRestoredPayment(
  transaction: Queryable,
  payment: RestoredPayment,
  keyExpiresAt: Date,
): Promise<boolean> {
  const { rowCount } = await transaction.query(
    `INSERT INTO payments (id, created_at, merchant_id, environment, checkout_mode, reference, amount_cents,
       currency, metadata, success_url, cancel_url, offered_methods, locale, checkout_url_sealed,
       checkout_token_hash, vault_id, expires_at, capture_expires_at, connector_id, creation_key_hash,
       workflow_started_at, restored_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'USD', '{}', $8, $9, $10, 'en', $11, $12, $13, $14, $15, $16, $17,
       clock_timestamp(), clock_timestamp())
     ON CONFLICT (id) DO NOTHING`,
    [
      payment.id,
      payment.createdAt,
      payment.merchantId,
      payment.environment,
      payment.checkoutMode,
      payment.reference,
      payment.amountCents,
      payment.successUrl,
      payment.cancelUrl,
      payment.offeredMethods,
      payment.checkoutUrlSealed,
      payment.checkoutTokenHash,
      payment.vaultId,
      payment.expiresAt,
      payment.captureExpiresAt,
      payment.connectorId,
      payment.creationKeyHash,
    ],
  );
  if (rowCount !== 1) return false;
  if (payment.creationKeyHash !== null) {
    await transaction.query(
      `INSERT INTO restored_creations (merchant_id, key_hash, payment_id, expires_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (merchant_id, key_hash) DO NOTHING`,
      [payment.merchantId, payment.creationKeyHash, payment.id, keyExpiresAt],
    );
  }
  return true;
}

/** Returns those of these payments that are not paid yet. */
export async function listUnpaid(database: Queryable, ids: readonly string[]): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    'SELECT id FROM payments WHERE id = ANY ($1) AND paid_at IS NULL ORDER BY id',
    [ids],
  );
  return rows.map(({ id }) => id);
}
