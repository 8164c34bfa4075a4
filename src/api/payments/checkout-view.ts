import type { Keyring } from '../../crypto/keyring.ts';
import { actionToken, actionUrl, sealContext } from '../../crypto/seal-contexts.ts';
import { type AttemptAction, findOpenAction } from '../../db/attempts.ts';
import type { CaptureAccess } from '../../db/capture-access.ts';
import type { Queryable } from '../../db/database.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { CheckoutStatus, TerminalReason } from '../../domain/statuses.ts';
import type { ProviderAction } from '../../domain/action.ts';
import type { PaymentWorkflows } from '../../temporal/clients/payments.ts';
import type { CheckoutObject, StatusObject } from './checkout-schema.ts';

/** Checkout status as shown; instants in epoch ms. */
export interface CheckoutNow {
  status: CheckoutStatus;
  terminalReason: TerminalReason | null;
  attemptsLeft: number;
  expiresAtMs: number;
}

export interface CheckoutReadDeps {
  database: Queryable;
  keyring: Keyring;
  workflows: PaymentWorkflows;
  statusSource: 'workflow' | 'projection';
  publicUrl: string;
  vaultPublicUrl: string;
  now: () => number;
}

/**
 * The checkout as of now: from the workflow while it is open, else from the projection row, whichever is
 * newer. The network is never asked. Spec: GET /v1/payments/{id}/status; PSTATE-12.
 */
export async function readCheckout(deps: CheckoutReadDeps, payment: PaymentRecord): Promise<CheckoutNow> {
  if (payment.finalizedAt === null && deps.statusSource === 'workflow') {
    const snapshot = await deps.workflows.snapshot(payment.id);
    if (snapshot && snapshot.seq >= payment.stateSeq) return snapshot;
  }
  return storedCheckout(payment, deps.now());
}

/**
 * The projection row's view: a deadline that passed shows at once, even when its timer has not been heard
 * yet.
 */
function storedCheckout(payment: PaymentRecord, now: number): CheckoutNow {
  const expiresAtMs = payment.expiresAt.getTime();
  const closed = payment.checkoutStatus === 'paid' || payment.checkoutStatus === 'expired';
  const overdue = !closed && now >= expiresAtMs;
  return {
    status: overdue ? 'expired' : payment.checkoutStatus,
    terminalReason: overdue ? 'checkout_expired' : payment.terminalReason,
    attemptsLeft: payment.attemptsLeft,
    expiresAtMs,
  };
}

/**
 * The provider's action of an attempt, opened. Throws service_unavailable when it cannot be opened (AMB-57).
 */
export function openAction(keyring: Keyring, action: AttemptAction): ProviderAction {
  if (!action.actionSealed) throw new Refusal('service_unavailable');
  try {
    return JSON.parse(
      keyring.open(action.actionSealed, sealContext.action(action.paymentId, action.attemptNo)),
    ) as ProviderAction;
  } catch (error) {
    throw new Refusal('service_unavailable', { cause: error });
  }
}

/** The status object. Spec: Resources > Status object; `action` only while `requiresAction`. */
export async function statusObject(
  deps: CheckoutReadDeps,
  payment: PaymentRecord,
  checkout: CheckoutNow,
): Promise<StatusObject> {
  return {
    paymentId: payment.id,
    status: checkout.status,
    attemptsLeft: checkout.attemptsLeft,
    expiresAt: new Date(checkout.expiresAtMs).toISOString(),
    action: checkout.status === 'requiresAction' ? await shownAction(deps, payment.id) : null,
    ...(checkout.terminalReason === null ? {} : { terminalReason: checkout.terminalReason }),
  };
}

async function shownAction(
  deps: CheckoutReadDeps,
  paymentId: string,
): Promise<NonNullable<StatusObject['action']>> {
  const stored = await findOpenAction(deps.database, paymentId);
  if (!stored) throw new Refusal('service_unavailable');
  const action = openAction(deps.keyring, stored);
  if (action.kind === 'threeDS') {
    return { kind: 'threeDS', clientSecret: action.clientSecret, publishableKey: action.publishableKey };
  }
  return { kind: 'wallet', checkoutUrl: action.url, expiresAt: action.expiresAt };
}

/**
 * The checkout object of GET checkout and of prepare, which alone adds `capture` (SECRET-05).
 * Spec: Resources > Checkout object.
 */
export async function checkoutObject(
  deps: CheckoutReadDeps,
  payment: PaymentRecord,
  checkout: CheckoutNow,
  hostedForm: boolean,
): Promise<CheckoutObject> {
  const action =
    checkout.status === 'requiresAction' ? await findOpenAction(deps.database, payment.id) : null;
  const captureUrl = captureUrlOf(deps, payment);
  return {
    paymentId: payment.id,
    amountCents: payment.amountCents,
    currency: 'USD',
    reference: payment.reference,
    status: checkout.status,
    expiresAt: new Date(checkout.expiresAtMs).toISOString(),
    attemptsLeft: checkout.attemptsLeft,
    environment: payment.environment,
    pciConfig: {
      provider: 'cardVault',
      captureUrl,
      vaultId: payment.vaultId,
      allowedOrigin: payment.embeddingOrigin ?? new URL(payment.successUrl).origin,
      ...(hostedForm ? { iframeUrl: `${deps.vaultPublicUrl}/frame/${payment.vaultId}` } : {}),
    },
    ...(checkout.terminalReason === null ? {} : { terminalReason: checkout.terminalReason }),
    ...(action
      ? { actionUrl: actionUrl(deps.publicUrl, actionToken(deps.keyring, payment.id, action.attemptNo)) }
      : {}),
  };
}

function captureUrlOf(deps: CheckoutReadDeps, payment: PaymentRecord): string {
  return `${deps.vaultPublicUrl}/capture/${payment.vaultId}`;
}

/** What prepare adds: the same access each time. Null once it has ended. Spec: `capture`; CAPTURE-07. */
export function captureObject(
  deps: CheckoutReadDeps,
  payment: PaymentRecord,
  access: CaptureAccess | null,
): NonNullable<CheckoutObject['capture']> | null {
  if (!access?.secretSealed || access.endedAt) return null;
  let secret: string;
  try {
    secret = deps.keyring.open(access.secretSealed, sealContext.captureSecret(payment.id));
  } catch (error) {
    throw new Refusal('service_unavailable', { cause: error });
  }
  return {
    url: captureUrlOf(deps, payment),
    secret,
    reference: payment.vaultId,
    expiresAt: payment.captureExpiresAt.toISOString(),
  };
}
