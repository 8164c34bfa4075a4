import type { PaymentRecord } from '../domain/payment.ts';
import type { CaptureSession } from '../providers/ports.ts';

/**
 * What the vault is told of a payment's capture session; the same for every repetition. One reference serves as
 * `vaultId`, capture reference and vault reference (AMB-27).
 */
export function captureSession(
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
