import { uuidv7 } from 'uuidv7';
import type { Keyring } from '../../crypto/keyring.ts';
import { hashPurposes, sealContext } from '../../crypto/seal-contexts.ts';
import { randomBase62, randomUrlSecret } from '../../crypto/secrets.ts';
import type { TenantSettings } from '../../db/merchants/api-keys.ts';
import type { Database } from '../../db/server/database.ts';
import { type IdempotencyClaim, refuseReuse } from '../../db/server/idempotency-keys.ts';
import {
  type NewPayment,
  type StoredCreation,
  findCreation,
  insertPayment,
} from '../../db/payments/payments.ts';
import { capabilitiesOf, workingMethods } from '../../domain/connector.ts';
import type { LineItem } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { CheckoutMode, Environment, LocaleChoice, PaymentMethod } from '../../domain/statuses.ts';
import type { CaptureAddresses, Connectors } from '../../providers/connectors.ts';
import type { StartQueue } from './start-queue.ts';

export const createOperation = 'create_payment';

/** A payment to create, complete with defaults. Amounts in integer US cents. */
export interface CreatePaymentCommand {
  amountCents: number;
  currency: 'USD';
  reference: string;
  /** As sent, byte for byte (AMB-53). */
  successUrl: string;
  cancelUrl: string;
  paymentMethod: 'card' | 'wallet' | null;
  checkoutMode: CheckoutMode;
  /** In canonical form, like the stored approved origins. */
  embeddingOrigin: string | null;
  locale: LocaleChoice;
  environment: Environment | null;
  customer: {
    email: string | null;
    name: string | null;
    documentNumber: string | null;
    phone: string | null;
  };
  metadata: Record<string, unknown>;
  description: string | null;
  lineItems: LineItem[] | null;
}

/**
 * The creation result of the API. It has only stored, immutable fields, so that a replay has the same bytes.
 */
export interface CreationResult {
  id: string;
  status: 'pending';
  checkoutUrl: string;
  expiresAt: string;
  environment: Environment;
}

export interface CreatePaymentDeps {
  database: Database;
  keyring: Keyring;
  starts: StartQueue;
  publicUrl: string;
  now: () => number;
  checkoutDeadlineSeconds: number;
  captureWindowSeconds: number;
  idempotencyRetentionSeconds: number;
  /** Whether the simulators accept live payments of merchants without a connector; not in production. */
  simulatedLive: boolean;
  connectors: Connectors;
}

/**
 * The most approved sites that may all frame the page of a payment without `embeddingOrigin`. Spec: Limits.
 */
const maxFramingSites = 20;

/** Retry-After of the refusal while the queue of starts is full, in seconds. */
const queueFullRetrySeconds = 2;

/**
 * Creates a payment and its checkout session, once per key, in one commit. Its workflow is started in the
 * background. With `replayed`, an earlier request created it.
 * Refuses: idempotency_key_reused and idempotency_in_progress (409), validation_failed (422) for what the
 * settings of key and merchant do not allow, service_unavailable (503) while Temporal cannot keep up or the
 * provider's ports cannot be opened. Spec: POST /v1/payments; AMB-14 for the order of checks.
 */
export async function createPayment(
  deps: CreatePaymentDeps,
  settings: TenantSettings,
  claim: IdempotencyClaim,
  command: CreatePaymentCommand,
  id: string = uuidv7(),
): Promise<{ result: CreationResult; replayed: boolean }> {
  const { database, keyring, starts } = deps;
  if (starts.isFull) throw new Refusal('service_unavailable', { retryAfterSeconds: queueFullRetrySeconds });
  const named = `${claim.merchantId}:${claim.operation}:${claim.key}`;
  const { amountCents, reference } = command;
  const terms = { keyHashes: keyring.lookupHashes(hashPurposes.creationKey, named), amountCents, reference };
  // Two rounds: after losing the race for a free key, the second round finds the winner's row.
  for (let round = 0; round < 2; round += 1) {
    const now = new Date(deps.now());
    const known = await findCreation(database, claim, terms, now);
    if (known) {
      refuseReuse(claim, known);
      return { result: creationResult(keyring, known.payment), replayed: true };
    }
    const frames = await hostedFrames(deps, settings, command);
    const methods = methodsOf(settings, frames);
    const refused =
      checkSettings(settings, command, methods) ??
      checkConnector(deps, settings, command) ??
      checkHostedCards(frames);
    if (refused) throw refused;
    const creationKeyHash = keyring.lookupHash(hashPurposes.creationKey, named);
    const payment = { ...newPayment(deps, settings, command, { id, now, methods }), creationKeyHash };
    if (await insertPayment(database, payment, claim, deps.idempotencyRetentionSeconds)) {
      starts.add(payment);
      return { result: creationResult(keyring, payment), replayed: false };
    }
  }
  throw new Refusal('idempotency_in_progress', { retryAfterSeconds: 1 });
}

function creationResult(keyring: Keyring, payment: StoredCreation): CreationResult {
  const stored = JSON.parse(keyring.open(payment.checkoutUrlSealed, sealContext.checkoutUrl(payment.id))) as {
    url: string;
    expiresAt: string;
  };
  return {
    id: payment.id,
    status: 'pending',
    checkoutUrl: stored.url,
    // Stored with the URL: the sandbox clock may move the payment's deadline, but not the stored response.
    expiresAt: stored.expiresAt,
    environment: payment.environment,
  };
}

/**
 * Returns the refusal of the first field that the settings do not allow, in the order of the request's fields
 * (AMB-14 step 8, AMB-60), or null.
 */
function checkSettings(
  settings: TenantSettings,
  command: CreatePaymentCommand,
  methods: readonly PaymentMethod[],
): Refusal | null {
  const custom = command.checkoutMode === 'custom';
  if (command.paymentMethod !== null && custom && command.paymentMethod !== 'card') {
    return invalid('paymentMethod', 'custom card capture supports card only');
  }
  if (command.paymentMethod !== null && !methods.includes(command.paymentMethod)) {
    return invalid('paymentMethod', 'paymentMethod is not enabled');
  }
  if (command.paymentMethod === null && !custom && methods.length === 0) {
    return invalid('paymentMethod', 'no payment method is enabled');
  }
  if (custom && (!settings.customMode || !methods.includes('card'))) {
    return invalid('checkoutMode', 'custom card capture is not enabled');
  }
  if (command.embeddingOrigin !== null && !settings.embeddingOrigins.includes(command.embeddingOrigin)) {
    return invalid('embeddingOrigin', 'embeddingOrigin is not an approved website');
  }
  if (command.environment !== null && command.environment !== settings.environment) {
    return invalid('environment', "environment does not equal the key's environment");
  }
  return null;
}

const invalid = (field: string, message: string): Refusal =>
  new Refusal('validation_failed', { field, message });

/** The frames of a real network on a hosted page; null: simulators, or no hosted page. */
type HostedFrames = Pick<CaptureAddresses, 'frameUrlOf' | 'walletFrameUrl'> | Refusal | null;

/** Returns the methods that both the settings and the network allow. */
function methodsOf({ methods, connector }: TenantSettings, frames: HostedFrames): PaymentMethod[] {
  const hasWallets = frames !== null && 'walletFrameUrl' in frames && frames.walletFrameUrl !== null;
  const working = workingMethods(connector?.kind ?? null, hasWallets);
  return methods.filter((method) => working.includes(method));
}

/** Returns the refusal of a payment that the network would not accept, or null. docs/errors.md. */
function checkConnector(
  { simulatedLive }: CreatePaymentDeps,
  { environment, connector }: TenantSettings,
  { amountCents }: CreatePaymentCommand,
): Refusal | null {
  if (connector === null && environment === 'live' && !simulatedLive) {
    return invalid('environment', 'live payments are not set up: this account has no payment provider yet');
  }
  const limits = capabilitiesOf(connector?.kind ?? null);
  if (limits && amountCents < limits.minimumCents) {
    return invalid('amountCents', `the payment provider takes ${limits.minimumCents} cents or more`);
  }
  if (limits && amountCents > limits.maximumCents) {
    return invalid('amountCents', `the payment provider takes ${limits.maximumCents} cents at most`);
  }
  return null;
}

/**
 * Returns the frames of the merchant's provider for a hosted page, or the refusal when it cannot be opened.
 */
async function hostedFrames(
  { connectors }: CreatePaymentDeps,
  { connector, environment }: TenantSettings,
  { checkoutMode }: CreatePaymentCommand,
): Promise<HostedFrames> {
  if (connector === null || checkoutMode !== 'hosted') return null;
  try {
    return (await connectors.portsOf({ connectorId: connector.id, environment })).capture;
  } catch (error) {
    return new Refusal('service_unavailable', { cause: error });
  }
}

/** Returns the refusal of a hosted page without card fields, or null. */
function checkHostedCards(frames: HostedFrames): Refusal | null {
  if (frames === null || frames instanceof Refusal) return frames;
  if (frames.frameUrlOf) return null;
  return invalid('checkoutMode', 'the hosted page takes no cards of this payment provider: use custom');
}

function newPayment(
  deps: CreatePaymentDeps,
  settings: TenantSettings,
  command: CreatePaymentCommand,
  { id, now, methods }: { id: string; now: Date; methods: PaymentMethod[] },
): Omit<NewPayment, 'creationKeyHash'> {
  const token = randomUrlSecret();
  const expiresAt = new Date(now.getTime() + deps.checkoutDeadlineSeconds * 1000);
  const captureEndsMs = now.getTime() + deps.captureWindowSeconds * 1000;
  const { customer } = command;
  const hidden = { documentNumber: customer.documentNumber, phone: customer.phone };
  const allowlist = settings.embeddingOrigins;
  return {
    id,
    merchantId: settings.merchantId,
    environment: settings.environment,
    checkoutMode: command.checkoutMode,
    reference: command.reference,
    amountCents: command.amountCents,
    customerEmail: customer.email,
    customerName: customer.name,
    customerPrivateSealed:
      hidden.documentNumber === null && hidden.phone === null
        ? null
        : deps.keyring.seal(JSON.stringify(hidden), sealContext.privateCustomer(id)),
    metadata: command.metadata,
    description: command.description,
    lineItems: command.lineItems,
    successUrl: command.successUrl,
    cancelUrl: command.cancelUrl,
    fixedMethod: command.paymentMethod,
    offeredMethods:
      command.checkoutMode === 'custom'
        ? ['card']
        : command.paymentMethod === null
          ? methods
          : [command.paymentMethod],
    embeddingOrigin: command.embeddingOrigin,
    frameOrigins:
      command.embeddingOrigin !== null
        ? [command.embeddingOrigin]
        : allowlist.length <= maxFramingSites
          ? allowlist
          : [],
    locale: command.locale === 'auto' ? 'en' : command.locale,
    localeAuto: command.locale === 'auto',
    checkoutUrlSealed: deps.keyring.seal(
      JSON.stringify({ url: `${deps.publicUrl}/c/${token}`, expiresAt: expiresAt.toISOString() }),
      sealContext.checkoutUrl(id),
    ),
    checkoutTokenHash: deps.keyring.lookupHash(hashPurposes.checkoutToken, token),
    // It is random and belongs to this payment, and is never derived from the order reference (CHECKOUT-16,
    // -17).
    vaultId: `cap_${randomBase62(24)}`,
    createdAt: now,
    expiresAt,
    // The hosted page accepts cards until its deadline; only custom mode has a window before that (AMB-64).
    captureExpiresAt:
      command.checkoutMode === 'hosted' ? expiresAt : new Date(Math.min(captureEndsMs, expiresAt.getTime())),
    connectorId: settings.connector?.id ?? null,
  };
}
