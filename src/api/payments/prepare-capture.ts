import { createHash } from 'node:crypto';
import type { Keyring } from '../../crypto/keyring.ts';
import { sealContext } from '../../crypto/seal-contexts.ts';
import { randomUrlSecret } from '../../crypto/secrets.ts';
import {
  type CaptureAccess,
  endCaptureAccess,
  markCaptureEnded,
  markCaptureRegistered,
  reserveCaptureAccess,
} from '../../db/capture-access.ts';
import { type CheckoutRecord, loadCheckout } from '../../db/checkouts.ts';
import type { Database } from '../../db/database.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { CaptureSession, VaultClient } from '../../providers/ports.ts';
import { refuseByRow } from './make-attempt.ts';

export interface CaptureDeps {
  database: Database;
  keyring: Keyring;
  vault: VaultClient;
  publicUrl: string;
  now: () => number;
}

const command = { type: 'prepareCapture' } as const;

/**
 * Returns the secret of the payment's capture access, registered at the vault; the same each time. Charges
 * nothing and asks no workflow: the row decides, before the vault is called and again after it. The payment's
 * workflow ends the access with its window or its checkout. Refuses with the 409 and 410 of the fences and
 * the closed checkout, checkout_expired once the access has ended, service_unavailable while the vault is
 * away. Spec: POST capture; CAPTURE-05 to -08.
 */
export async function prepareCapture(deps: CaptureDeps, checkout: CheckoutRecord): Promise<string> {
  refuseByRow(checkout, command, deps.now());
  const access = checkout.access ?? (await reserve(deps, checkout));
  const secret = openSecret(deps.keyring, checkout.id, access);
  if (access.status !== 'registered') await register(deps, checkout, secret);
  return secret;
}

async function reserve(deps: CaptureDeps, { id }: CheckoutRecord): Promise<CaptureAccess> {
  const sealed = deps.keyring.seal(randomUrlSecret(), sealContext.captureSecret(id));
  return (await reserveCaptureAccess(deps.database, id, sealed, new Date(deps.now()))) ?? refuseNow(deps, id);
}

function openSecret(keyring: Keyring, paymentId: string, { secretSealed }: CaptureAccess): string {
  if (!secretSealed) throw new Refusal('checkout_expired');
  try {
    return keyring.open(secretSealed, sealContext.captureSecret(paymentId));
  } catch (error) {
    throw new Refusal('service_unavailable', { cause: error });
  }
}

async function register(deps: CaptureDeps, checkout: CheckoutRecord, secret: string): Promise<void> {
  const { database, vault } = deps;
  try {
    await vault.registerSession(captureSession(checkout, deps.publicUrl, secret));
  } catch (error) {
    throw new Refusal('service_unavailable', { cause: error });
  }
  if (await markCaptureRegistered(database, checkout.id, new Date(deps.now()))) return;
  // The window, a pay or the deadline came between: the vault may have heard of the end before the beginning.
  const current = await loadCheckout(database, checkout.id);
  if (current?.access?.status === 'ending' || current?.access?.status === 'ended') {
    await vault.revokeSession(checkout.vaultId).catch(() => endCaptureAccess(database, checkout.id));
    await markCaptureEnded(database, checkout.id);
  }
  await refuseNow(deps, checkout.id);
}

/** The row refused: says why, as it is now. */
async function refuseNow({ database, now }: CaptureDeps, id: string): Promise<never> {
  const checkout = await loadCheckout(database, id);
  if (checkout) refuseByRow(checkout, command, now());
  throw new Refusal('checkout_expired');
}

/**
 * What the vault is told of a payment's capture session; the same for every repetition. One reference serves
 * as `vaultId`, capture reference and vault reference (AMB-27).
 */
function captureSession(payment: PaymentRecord, publicUrl: string, secret: string): CaptureSession {
  const digest = createHash('sha256').update(secret).digest('hex');
  const custom = payment.checkoutMode === 'custom';
  return {
    reference: payment.vaultId,
    paymentId: payment.id,
    merchantId: payment.merchantId,
    environment: payment.environment,
    mode: custom ? 'single' : 'multi',
    expiresAt: payment.captureExpiresAt.toISOString(),
    // The hosted page frames the card fields itself, and the shop may frame the page; there the secret is the
    // fields'.
    ...(custom
      ? {
          secretSha256: digest,
          allowedOrigin: payment.embeddingOrigin ?? new URL(payment.successUrl).origin,
        }
      : {
          frameKeySha256: digest,
          allowedOrigin: new URL(publicUrl).origin,
          ancestorOrigins: payment.frameOrigins,
        }),
  };
}
