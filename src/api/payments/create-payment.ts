import type { Keyring } from '../../crypto/keyring.ts';
import { hashPurposes, sealContext } from '../../crypto/seal-contexts.ts';
import { randomBase62, randomUrlSecret } from '../../crypto/secrets.ts';
import type { Principal } from '../../db/api-keys.ts';
import type { Database } from '../../db/database.ts';
import { type NewPayment, findPayment, insertPayment, markWorkflowStarted } from '../../db/payments.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { Environment } from '../../domain/statuses.ts';
import type { IdempotencyClaim } from '../../db/idempotency-keys.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import type { CreatePaymentCommand } from './create-body.ts';
import type { StartablePayment } from '../../temporal/contract/start-payment.ts';
import { runIdempotent } from '../http/idempotency.ts';
import type { PaymentWorkflows } from '../../temporal/clients/payments.ts';

export const createOperation = 'create_payment';

/**
 * The creation result of the API: built from stored, immutable fields only, so a replay has the same bytes.
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
  workflows: PaymentWorkflows;
  publicUrl: string;
  now: () => number;
  checkoutDeadlineSeconds: number;
  captureWindowSeconds: number;
  idempotencyRetentionSeconds: number;
  /** Told of a start that Temporal did not answer; the sweeper heals it. */
  onStartFailed: (paymentId: string) => void;
}

/** Sites an embedding allowlist may hold before `embeddingOrigin` is needed. Spec: Limits. */
const legacyEmbeddingSites = 20;

/**
 * Creates a payment and its checkout session, once per key. `replayed` when an earlier request created it.
 * Refuses: idempotency_in_progress, idempotency_key_reused (409), validation_failed (422) for what the
 * settings of key and merchant do not allow. Spec: POST /v1/payments; AMB-14 for the order of checks.
 */
export async function createPayment(
  deps: CreatePaymentDeps,
  principal: Principal,
  claim: IdempotencyClaim,
  command: CreatePaymentCommand,
): Promise<{ result: CreationResult; replayed: boolean }> {
  const { result, replayed } = await runIdempotent<NewPayment, StoredCreation>(deps, claim, {
    create: async (transaction, id, now) => {
      checkSettings(principal, command);
      const payment = newPayment(deps, principal, command, { id, now });
      await insertPayment(transaction, payment);
      return payment;
    },
    work: async (id, created) => {
      const payment = created ?? (await ownPayment(deps, principal, id));
      return { payment, started: await startWorkflow(deps, payment) };
    },
    conclude: async (transaction, id, { started }) => {
      if (started) await markWorkflowStarted(transaction, id);
    },
    load: async (id) => ({ payment: await ownPayment(deps, principal, id), started: true }),
  });
  return { result: creationResult(deps.keyring, result.payment), replayed };
}

/** What the answer of a creation is built from. */
interface StoredCreation {
  payment: Pick<NewPayment, 'id' | 'checkoutUrlSealed' | 'createdAt' | 'expiresAt' | 'environment'>;
  started: boolean;
}

async function ownPayment(deps: CreatePaymentDeps, principal: Principal, id: string): Promise<PaymentRecord> {
  const payment = await findPayment(deps.database, principal, id);
  if (!payment) throw new Refusal('service_unavailable');
  return payment;
}

/** The payment exists: a start that fails is healed by the sweep and still answered 201. */
async function startWorkflow(deps: CreatePaymentDeps, payment: StartablePayment): Promise<boolean> {
  try {
    await deps.workflows.start(payment);
    return true;
  } catch {
    deps.onStartFailed(payment.id);
    return false;
  }
}

function creationResult(keyring: Keyring, payment: StoredCreation['payment']): CreationResult {
  const stored = JSON.parse(keyring.open(payment.checkoutUrlSealed, sealContext.checkoutUrl(payment.id))) as {
    url: string;
    expiresAt: string;
  };
  return {
    id: payment.id,
    status: 'pending',
    checkoutUrl: stored.url,
    // Kept with the URL: a sandbox clock may move the payment's deadline, but not what was answered.
    expiresAt: stored.expiresAt,
    environment: payment.environment,
  };
}

/** The 422 rules that depend on settings, in the order of the request's fields (AMB-14 step 8, AMB-60). */
function checkSettings(principal: Principal, command: CreatePaymentCommand): void {
  const invalid = (field: string, message: string) => new Refusal('validation_failed', { field, message });
  const custom = command.checkoutMode === 'custom';
  const { methods } = principal;
  if (command.paymentMethod !== null && custom && command.paymentMethod !== 'card') {
    throw invalid('paymentMethod', 'custom card capture supports card only');
  }
  if (command.paymentMethod !== null && !methods.includes(command.paymentMethod)) {
    throw invalid('paymentMethod', 'paymentMethod is not enabled');
  }
  if (command.paymentMethod === null && !custom && methods.length === 0) {
    throw invalid('paymentMethod', 'no payment method is enabled');
  }
  if (custom && (!principal.customMode || !methods.includes('card'))) {
    throw invalid('checkoutMode', 'custom card capture is not enabled');
  }
  if (command.embeddingOrigin !== null && !principal.embeddingOrigins.includes(command.embeddingOrigin)) {
    throw invalid('embeddingOrigin', 'embeddingOrigin is not an approved website');
  }
  if (command.environment !== null && command.environment !== principal.environment) {
    throw invalid('environment', "environment does not equal the key's environment");
  }
}

function newPayment(
  deps: CreatePaymentDeps,
  principal: Principal,
  command: CreatePaymentCommand,
  { id, now }: { id: string; now: Date },
): NewPayment {
  const token = randomUrlSecret();
  const expiresAt = new Date(now.getTime() + deps.checkoutDeadlineSeconds * 1000);
  const captureEndsMs = now.getTime() + deps.captureWindowSeconds * 1000;
  const { customer } = command;
  const hidden = { documentNumber: customer.documentNumber, phone: customer.phone };
  const allowlist = principal.embeddingOrigins;
  return {
    id,
    merchantId: principal.merchantId,
    environment: principal.environment,
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
    successUrl: command.successUrl,
    cancelUrl: command.cancelUrl,
    fixedMethod: command.paymentMethod,
    offeredMethods:
      command.checkoutMode === 'custom'
        ? ['card']
        : command.paymentMethod === null
          ? principal.methods
          : [command.paymentMethod],
    embeddingOrigin: command.embeddingOrigin,
    frameOrigins:
      command.embeddingOrigin !== null
        ? [command.embeddingOrigin]
        : allowlist.length <= legacyEmbeddingSites
          ? allowlist
          : [],
    locale: command.locale,
    checkoutUrlSealed: deps.keyring.seal(
      JSON.stringify({ url: `${deps.publicUrl}/c/${token}`, expiresAt: expiresAt.toISOString() }),
      sealContext.checkoutUrl(id),
    ),
    checkoutTokenHash: deps.keyring.lookupHash(hashPurposes.checkoutToken, token),
    // Random and payment-scoped, never derived from the order reference (CHECKOUT-16, -17).
    vaultId: `cap_${randomBase62(24)}`,
    createdAt: now,
    expiresAt,
    // The hosted page takes cards until its deadline; only custom mode has a window before that (AMB-64).
    captureExpiresAt:
      command.checkoutMode === 'hosted' ? expiresAt : new Date(Math.min(captureEndsMs, expiresAt.getTime())),
  };
}

/** The checkout URL as it was given at creation. */
export function openCheckoutUrl(
  keyring: Keyring,
  payment: { id: string; checkoutUrlSealed: Buffer },
): string {
  const stored = JSON.parse(keyring.open(payment.checkoutUrlSealed, sealContext.checkoutUrl(payment.id))) as {
    url: string;
  };
  return stored.url;
}
