import { createHash } from 'node:crypto';
import type { Keyring } from '../../crypto/keyring.ts';
import { sealContext } from '../../crypto/seal-contexts.ts';
import { randomUrlSecret } from '../../crypto/secrets.ts';
import {
  type CaptureAccess,
  type RegistrationLease,
  markCaptureEnded,
  markCaptureRegistered,
  releaseRegistrationLease,
  repeatCaptureEnd,
  repeatCaptureRegistration,
  reserveCaptureAccess,
  takeRegistrationLease,
} from '../../db/payments/capture-access.ts';
import { rememberCapturedCards } from '../../db/payments/captured-cards.ts';
import { type CheckoutRecord, loadCheckout } from '../../db/payments/checkouts.ts';
import type { Database } from '../../db/server/database.ts';
import type { CheckoutPayment } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { Locale } from '../../domain/statuses.ts';
import type { Connectors, ProviderPorts } from '../../providers/connectors.ts';
import type { CaptureSession } from '../../providers/ports.ts';
import { type CheckoutObject, portsOrRefuse } from './checkout-view.ts';
import { refuseByRow } from './make-attempt.ts';

export interface CaptureDeps {
  database: Database;
  keyring: Keyring;
  connectors: Connectors;
  publicUrl: string;
  now: () => number;
}

/** The secret and the address with which a payment's card is captured. */
export interface PreparedCapture {
  secret: string;
  url: string;
}

const command = { type: 'prepareCapture' } as const;

/** Above the longest duration of one registration, in ms: three calls to the vault of 5 s each. */
const registrationMs = 20_000;

/**
 * Returns the secret and address of the payment's capture access, registered at the vault; the same each
 * time. A vault that makes the secret itself is called by one request at a time. Charges nothing and calls no
 * workflow: the row decides, before the call to the vault and again after it. The payment's workflow ends the
 * access when its window or its checkout ends. Refuses with the 409 and 410 of the fences and the closed
 * checkout, checkout_expired once the access has ended, service_unavailable while the vault is unavailable.
 * Spec: POST capture; CAPTURE-05 to -08.
 */
export async function prepareCapture(deps: CaptureDeps, checkout: CheckoutRecord): Promise<PreparedCapture> {
  refuseByRow(checkout, command, deps.now());
  const ports = await portsOrRefuse(deps, checkout);
  const access = checkout.access ?? (await reserve(deps, checkout));
  const secret = openSecret(deps.keyring, checkout.id, access);
  const url = access.captureUrl ?? ports.capture.urlOf(checkout.vaultId);
  if (access.status === 'registered') return { secret, url };
  return ports.capture.makesSecrets
    ? registerAlone(deps, ports, checkout)
    : { ...(await register(deps, ports, checkout, { secret })), url };
}

/**
 * Registers the access, in one request at a time: the vault makes the secret, so two requests would get two
 * secrets, of which only the later one works.
 */
async function registerAlone(
  deps: CaptureDeps,
  ports: ProviderPorts,
  checkout: CheckoutRecord,
): Promise<PreparedCapture> {
  const { database, now } = deps;
  const lease = await takeRegistrationLease(database, checkout.id, new Date(now()), registrationMs);
  if (lease === null) throw new Refusal('service_unavailable', { retryAfterSeconds: 1 });
  try {
    return await register(deps, ports, checkout, { lease });
  } catch (error) {
    await releaseRegistrationLease(database, checkout.id, lease).catch(() => undefined);
    throw error;
  }
}

/** Reserves the access with a new secret. Throws the present refusal of a checkout that takes no card. */
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

/**
 * Registers the access at the vault, with `secret` or under `lease` with the secret that the vault makes, and
 * stores that. Throws the present refusal when the row no longer accepts the access.
 */
async function register(
  deps: CaptureDeps,
  { vault }: ProviderPorts,
  checkout: CheckoutRecord,
  how: { secret: string; lease?: never } | { secret?: never; lease: RegistrationLease },
): Promise<PreparedCapture> {
  const { database, keyring } = deps;
  const { secret = null, lease } = how;
  let registered: { captureUrl: string; secret?: string };
  try {
    registered = await vault.registerSession(captureSession(checkout, deps.publicUrl, secret));
  } catch (error) {
    throw new Refusal('service_unavailable', { cause: error });
  }
  const captureSecret = registered.secret ?? secret;
  if (captureSecret === null) throw new Refusal('service_unavailable');
  const prepared = { secret: captureSecret, url: registered.captureUrl };
  const assigned =
    lease === undefined
      ? null
      : {
          secretSealed: keyring.seal(captureSecret, sealContext.captureSecret(checkout.id)),
          captureUrl: registered.captureUrl,
          lease,
        };
  // Stored before a card can be sent there.
  if (vault.forgetCards) await rememberCapturedCards(database, checkout.id);
  if (await markCaptureRegistered(database, checkout.id, new Date(deps.now()), assigned)) return prepared;
  // The access may have ended meanwhile, and the vault may have got the revocation before the registration.
  const current = await loadCheckout(database, checkout.id);
  const status = current?.access?.status;
  if (status === 'ending' || status === 'ended') {
    const isRevoked = await vault.revokeSession(checkout.vaultId).then(
      () => true,
      () => false,
    );
    await (isRevoked ? markCaptureEnded : repeatCaptureEnd)(database, checkout.id);
  } else if (lease !== undefined) {
    // Another caller registered after this lease had ended. Either secret may be the one that the vault has.
    await repeatCaptureRegistration(database, checkout.id);
    if (current) refuseByRow(current, command, deps.now());
    throw new Refusal('service_unavailable', { retryAfterSeconds: 1 });
  }
  return refuseNow(deps, checkout.id);
}

/** Throws the present reason why the row rejected the access; reads the checkout again. */
async function refuseNow({ database, now }: CaptureDeps, id: string): Promise<never> {
  const checkout = await loadCheckout(database, id);
  if (checkout) refuseByRow(checkout, command, now());
  throw new Refusal('checkout_expired');
}

/**
 * Returns the registration of a payment's capture session; the same for every repetition. One reference
 * serves as `vaultId`, capture reference and vault reference (AMB-27).
 */
function captureSession(payment: CheckoutPayment, publicUrl: string, secret: string | null): CaptureSession {
  const digest = secret === null ? undefined : createHash('sha256').update(secret).digest('hex');
  const custom = payment.checkoutMode === 'custom';
  return {
    reference: payment.vaultId,
    paymentId: payment.id,
    merchantId: payment.merchantId,
    environment: payment.environment,
    mode: custom ? 'single' : 'multi',
    expiresAt: payment.captureExpiresAt.toISOString(),
    // The hosted page shows the card fields in its own frame, and the shop may frame the page. The secret
    // opens that frame.
    ...(custom
      ? {
          ...(digest === undefined ? {} : { secretSha256: digest }),
          allowedOrigin: payment.embeddingOrigin ?? new URL(payment.successUrl).origin,
        }
      : {
          ...(digest === undefined ? {} : { frameKeySha256: digest }),
          allowedOrigin: new URL(publicUrl).origin,
          ancestorOrigins: payment.frameOrigins,
        }),
  };
}

/** Returns prepare's part of the checkout object, the same access each time. Spec: `capture`; CAPTURE-07. */
export function captureObject(
  payment: CheckoutPayment,
  { url, secret }: PreparedCapture,
): NonNullable<CheckoutObject['capture']> {
  return {
    url,
    secret,
    reference: payment.vaultId,
    expiresAt: payment.captureExpiresAt.toISOString(),
  };
}

/**
 * Returns the address of the vault's frame on this payment's hosted page, and the key that opens it. The key
 * is in no address and no markup. Refuses not_found for a payment whose page takes no cards, and otherwise as
 * `prepareCapture` does.
 */
export async function prepareCardFields(
  deps: CaptureDeps,
  checkout: CheckoutRecord,
  locale: Locale,
): Promise<{ url: string; frameKey: string }> {
  const { capture } = await portsOrRefuse(deps, checkout);
  if (!capture.frameUrlOf) throw new Refusal('not_found');
  const { secret: frameKey } = await prepareCapture(deps, checkout);
  const parent = encodeURIComponent(new URL(deps.publicUrl).origin);
  // Sites that may frame the page. A vault that makes its own secrets gets them here, signed.
  const above = capture.signAncestors ? checkout.frameOrigins.join(' ') : '';
  const signature = capture.signAncestors?.(checkout.vaultId, above) ?? '';
  const ancestors = above === '' ? '' : `&ancestors=${encodeURIComponent(above)}&signature=${signature}`;
  return {
    url: `${capture.frameUrlOf(checkout.vaultId)}?parent=${parent}&locale=${locale}${ancestors}`,
    frameKey,
  };
}
