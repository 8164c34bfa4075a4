import type { Keyring } from '../../crypto/keyring.ts';
import { actionToken, actionUrl, sealContext } from '../../crypto/seal-contexts.ts';
import { type AttemptAction, findOpenAction } from '../../db/payments/attempts.ts';
import { type CheckoutRecord, readDeadline } from '../../db/payments/checkouts.ts';
import type { Queryable } from '../../db/server/database.ts';
import type { CheckoutPayment } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { CheckoutStatus, Environment, TerminalReason } from '../../domain/statuses.ts';
import type { ProviderAction } from '../../domain/action.ts';
import type {
  CaptureAddresses,
  ConnectorOwner,
  Connectors,
  ProviderPorts,
} from '../../providers/connectors.ts';
import type { PaymentWorkflows } from '../../temporal/clients/payments.ts';

/** The status of a checkout as reads show it now. Instants in epoch ms. */
export interface CheckoutNow {
  status: CheckoutStatus;
  terminalReason: TerminalReason | null;
  attemptsLeft: number;
  expiresAtMs: number;
}

/** The checkout object; `capture` only from prepare (CHECKOUT-24). Spec: Resources > Checkout object. */
export interface CheckoutObject {
  paymentId: string;
  amountCents: number;
  currency: 'USD';
  reference: string;
  status: CheckoutStatus;
  expiresAt: string;
  attemptsLeft: number;
  environment: Environment;
  pciConfig: {
    provider: CaptureAddresses['provider'];
    captureUrl: string;
    vaultId: string;
    allowedOrigin: string;
    iframeUrl?: string;
  };
  terminalReason?: TerminalReason;
  actionUrl?: string;
  capture?: { url: string; secret: string; reference: string; expiresAt: string };
}

/**
 * The status object; `action`: null unless the status is `requiresAction`. Spec: Resources > Status object.
 */
export interface StatusObject {
  paymentId: string;
  status: CheckoutStatus;
  attemptsLeft: number;
  expiresAt: string;
  action:
    | { kind: 'threeDS'; clientSecret: string; publishableKey: string }
    | { kind: 'wallet'; checkoutUrl: string; expiresAt: string }
    | null;
  terminalReason?: TerminalReason;
}

type CheckoutColumns = Pick<
  CheckoutPayment,
  'checkoutStatus' | 'terminalReason' | 'attemptsLeft' | 'expiresAt'
>;

/** The dependencies of reading a checkout's state. */
export interface CheckoutStateDeps {
  database: Queryable;
  workflows: Pick<PaymentWorkflows, 'snapshot'>;
  statusSource: 'workflow' | 'projection';
  /** Epoch ms. */
  now: () => number;
}

/**
 * Returns the checkout as of now, from its row. The row is never behind: an attempt is reserved in it before
 * the workflow or a provider is called, and every change is committed before it is visible. With
 * `STATUS_SOURCE=workflow` an open checkout is also queried from its workflow, and the newer of both is
 * returned. A passed deadline shows at once, even before its timer has fired, unless the payment is being
 * paid at that moment. The network is never called. Spec: GET /v1/payments/{id}/status; PSTATE-12; ADR 0014.
 */
export async function readCheckout(deps: CheckoutStateDeps, checkout: CheckoutRecord): Promise<CheckoutNow> {
  const view = await newestView(deps, checkout);
  if (isClosed(view) || deps.now() < view.expiresAtMs) return view;
  const stored = await readDeadline(deps.database, checkout.id);
  if (stored === null) return view;
  const storedView = viewOf(stored);
  if (isClosed(storedView)) return storedView;
  return stored.hasPassed ? expired(view) : view;
}

/** Returns the checkout from its row or its workflow, whichever is newer. */
async function newestView(deps: CheckoutStateDeps, checkout: CheckoutRecord): Promise<CheckoutNow> {
  const stored = viewOf(checkout);
  if (deps.statusSource === 'projection' || checkout.finalizedAt !== null) return stored;
  // The row is ahead while a reservation has not reached the workflow.
  if (checkout.attempt?.status === 'processing' && !checkout.attempt.isClaimed) return stored;
  const snapshot = await deps.workflows.snapshot(checkout.id);
  return snapshot && snapshot.seq >= checkout.stateSeq ? snapshot : stored;
}

/**
 * Returns the checkout as of `now` (epoch ms) from a row that was read already. A passed deadline shows at
 * once, even before its timer has fired.
 */
export function checkoutNow(payment: CheckoutPayment, now: number): CheckoutNow {
  const view = viewOf(payment);
  return isClosed(view) || now < view.expiresAtMs ? view : expired(view);
}

const viewOf = ({
  checkoutStatus: status,
  terminalReason,
  attemptsLeft,
  expiresAt,
}: CheckoutColumns): CheckoutNow => ({
  status,
  terminalReason,
  attemptsLeft,
  expiresAtMs: expiresAt.getTime(),
});

const isClosed = ({ status }: CheckoutNow): boolean => status === 'paid' || status === 'expired';

const expired = (view: CheckoutNow): CheckoutNow => ({
  ...view,
  status: 'expired',
  terminalReason: 'checkout_expired',
});

/**
 * Returns the provider's action of an attempt, decrypted. Throws service_unavailable when it cannot be
 * decrypted (AMB-57).
 */
export function openAction(
  keyring: Keyring,
  action: Pick<AttemptAction, 'paymentId' | 'attemptNo' | 'actionSealed'>,
): ProviderAction {
  if (!action.actionSealed) throw new Refusal('service_unavailable');
  try {
    return JSON.parse(
      keyring.open(action.actionSealed, sealContext.action(action.paymentId, action.attemptNo)),
    ) as ProviderAction;
  } catch (error) {
    throw new Refusal('service_unavailable', { cause: error });
  }
}

/**
 * Returns the status object, with `action` only while `requiresAction`. The workflow may have an action that
 * the row lacked when it was read; then the row is read again. Spec: Resources > Status object.
 */
export async function statusObject(
  deps: { database: Queryable; keyring: Keyring },
  checkout: CheckoutRecord,
  shown: CheckoutNow,
): Promise<StatusObject> {
  return {
    paymentId: checkout.id,
    status: shown.status,
    attemptsLeft: shown.attemptsLeft,
    expiresAt: new Date(shown.expiresAtMs).toISOString(),
    action: shown.status === 'requiresAction' ? await shownAction(deps, checkout) : null,
    ...(shown.terminalReason === null ? {} : { terminalReason: shown.terminalReason }),
  };
}

async function shownAction(
  deps: { database: Queryable; keyring: Keyring },
  checkout: CheckoutRecord,
): Promise<NonNullable<StatusObject['action']>> {
  const { attempt } = checkout;
  const stored = attempt?.actionSealed
    ? { ...attempt, paymentId: checkout.id }
    : await findOpenAction(deps.database, checkout.id);
  if (!stored) throw new Refusal('service_unavailable');
  const action = openAction(deps.keyring, stored);
  if (action.kind === 'threeDS') {
    return { kind: 'threeDS', clientSecret: action.clientSecret, publishableKey: action.publishableKey };
  }
  return { kind: 'wallet', checkoutUrl: action.url, expiresAt: action.expiresAt };
}

export interface CheckoutObjectDeps {
  keyring: Keyring;
  connectors: Connectors;
  publicUrl: string;
}

/**
 * Returns the checkout object of GET checkout and of prepare, which alone adds `capture` (SECRET-05).
 * `hostedForm`: the merchant may show the vault's card fields in its own page. Spec: Resources > Checkout
 * object.
 */
export async function checkoutObject(
  deps: CheckoutObjectDeps,
  checkout: CheckoutRecord,
  shown: CheckoutNow,
  hostedForm: boolean,
): Promise<CheckoutObject> {
  const { capture } = await portsOrRefuse(deps, checkout);
  const attempt = shown.status === 'requiresAction' ? checkout.attempt : null;
  return {
    paymentId: checkout.id,
    amountCents: checkout.amountCents,
    currency: 'USD',
    reference: checkout.reference,
    status: shown.status,
    expiresAt: new Date(shown.expiresAtMs).toISOString(),
    attemptsLeft: shown.attemptsLeft,
    environment: checkout.environment,
    pciConfig: {
      provider: capture.provider,
      captureUrl: checkout.access?.captureUrl ?? capture.urlOf(checkout.vaultId),
      vaultId: checkout.vaultId,
      allowedOrigin: checkout.embeddingOrigin ?? new URL(checkout.successUrl).origin,
      ...(hostedForm && capture.shopsMayFrame && capture.frameUrlOf
        ? { iframeUrl: capture.frameUrlOf(checkout.vaultId) }
        : {}),
    },
    ...(shown.terminalReason === null ? {} : { terminalReason: shown.terminalReason }),
    ...(attempt === null
      ? {}
      : {
          actionUrl: actionUrl(
            deps.publicUrl,
            actionToken(deps.keyring, checkout.id, attempt.attemptNo, attempt.actionTokenHash),
          ),
        }),
  };
}

/** Returns the vault and network of a payment. Refuses service_unavailable when they cannot be opened. */
export async function portsOrRefuse(
  { connectors }: { connectors: Connectors },
  payment: ConnectorOwner,
): Promise<ProviderPorts> {
  try {
    return await connectors.portsOf(payment);
  } catch (error) {
    throw new Refusal('service_unavailable', { cause: error });
  }
}
