import { createHash } from 'node:crypto';
import type { Keyring } from '../crypto/keyring.ts';
import { sealContext } from '../crypto/seal-contexts.ts';
import { randomUrlSecret } from '../crypto/secrets.ts';
import { endCaptureAccess, markCaptureRegistered, reserveCaptureAccess } from '../db/capture-access.ts';
import type { Database } from '../db/database.ts';
import type { PaymentRecord } from '../domain/payment.ts';
import type { CaptureSession, VaultClient } from '../providers/ports.ts';
import { requirePayment } from './require-payment.ts';

/**
 * The activities of capture access, as the payment's workflow sees them. Each may run any number of times.
 */
export interface CaptureActivities {
  /** Registers capture access at the vault and stores its sealed secret. Repeating it changes nothing. */
  registerCapture(input: { paymentId: string }): Promise<void>;
  /** Revokes capture access at the vault and wipes its secret. */
  endCapture(input: { paymentId: string }): Promise<void>;
}

/** Returns the activities of capture access. Throw while the vault does not answer definitely. */
export function createCaptureActivities(deps: {
  database: Database;
  keyring: Keyring;
  vault: VaultClient;
  publicUrl: string;
}): CaptureActivities {
  const { database, keyring, vault } = deps;

  return {
    registerCapture: async ({ paymentId }) => {
      const record = await requirePayment(database, paymentId);
      const reserved = await reserveCaptureAccess(
        database,
        paymentId,
        keyring.seal(randomUrlSecret(), sealContext.captureSecret(paymentId)),
      );
      if (reserved.registeredAt || !reserved.secretSealed) return;
      const secret = keyring.open(reserved.secretSealed, sealContext.captureSecret(paymentId));
      const { captureUrl } = await vault.registerSession({
        ...captureSession(record, deps.publicUrl),
        // On the hosted page the same secret is the key of the card fields.
        [record.checkoutMode === 'custom' ? 'secretSha256' : 'frameKeySha256']: createHash('sha256')
          .update(secret)
          .digest('hex'),
      });
      await markCaptureRegistered(database, paymentId, captureUrl);
    },

    endCapture: async ({ paymentId }) => {
      const record = await requirePayment(database, paymentId);
      await endCaptureAccess(database, paymentId);
      await vault.revokeSession(record.vaultId);
    },
  };
}

/**
 * What the vault is told of a payment's capture session; the same for every repetition. One reference serves
 * as `vaultId`, capture reference and vault reference (AMB-27).
 */
function captureSession(
  payment: PaymentRecord,
  publicUrl: string,
): Omit<CaptureSession, 'secretSha256' | 'frameKeySha256'> {
  return {
    reference: payment.vaultId,
    paymentId: payment.id,
    merchantId: payment.merchantId,
    environment: payment.environment,
    mode: payment.checkoutMode === 'custom' ? 'single' : 'multi',
    expiresAt: (payment.checkoutMode === 'custom'
      ? payment.captureExpiresAt
      : payment.expiresAt
    ).toISOString(),
    // The hosted page frames the card fields itself, and the shop may frame the page.
    ...(payment.checkoutMode === 'custom'
      ? { allowedOrigin: payment.embeddingOrigin ?? new URL(payment.successUrl).origin }
      : { allowedOrigin: new URL(publicUrl).origin, ancestorOrigins: payment.frameOrigins }),
  };
}
