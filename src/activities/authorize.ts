import { log } from '@temporalio/activity';
import { type Keyring, equalHashes } from '../crypto/keyring.ts';
import { actionToken, actionUrl, hashPurposes, sealContext } from '../crypto/seal-contexts.ts';
import { loadAcceptedTokenHash, loadAttemptInput, recordAttemptStart } from '../db/attempts.ts';
import { type Database, inTransaction } from '../db/database.ts';
import { loadPrivateCustomer } from '../db/payments.ts';
import { loadSimulatedOutcome } from '../db/sandbox.ts';
import { attemptKey } from '../domain/attempt-key.ts';
import type { CardFacts } from '../domain/card.ts';
import type { PaymentRecord } from '../domain/payment.ts';
import {
  type PaymentNetwork,
  ProviderUnavailable,
  type SandboxControls,
  type VaultClient,
} from '../providers/ports.ts';
import { type AttemptReport, reportCharge, unknown } from './attempt-report.ts';
import { callingRunId } from './calling-run.ts';
import { requirePayment } from './require-payment.ts';

/** What the vault and network calls of a payment need. */
export interface AttemptActivityDeps {
  database: Database;
  keyring: Keyring;
  vault: VaultClient;
  network: PaymentNetwork;
  /** Orders the outcome of an attempt that the sandbox makes in the customer's place. */
  controls: Pick<SandboxControls, 'orderCharge'>;
  publicUrl: string;
}

const notStarted = (recorded: boolean): AttemptReport => ({
  outcome: { status: 'notStarted', recorded },
  card: null,
});
const tokenRejected: AttemptReport = { outcome: { status: 'tokenRejected' }, card: null };

/**
 * Checks the token, records the attempt and sends the charge, once, under the attempt's key. Whatever goes
 * wrong after the first byte was sent is the outcome `unknown`.
 */
export async function authorize(
  deps: AttemptActivityDeps,
  input: { paymentId: string; attemptNo: number; inputId: string; seq: number },
): Promise<AttemptReport> {
  const { database, keyring, network } = deps;
  const { paymentId, attemptNo, inputId, seq } = input;
  let phase: 'checking' | 'recording' | 'sending' = 'checking';
  try {
    const record = await requirePayment(database, paymentId);
    const stored = await loadAttemptInput(database, inputId);
    if (!stored || stored.paymentId !== paymentId) return tokenRejected;
    const token = stored.tokenSealed
      ? keyring.open(stored.tokenSealed, sealContext.cardToken(inputId))
      : null;
    const accepted = token === null ? null : await acceptCard(deps, record, token, stored.captureReference);
    const simulated = token === null ? await loadSimulatedOutcome(database, inputId) : null;
    if (stored.method === 'card' && !accepted && !simulated) return tokenRejected;
    if (simulated) await deps.controls.orderCharge(attemptKey(paymentId, attemptNo), simulated);
    const customer = await customerOf(deps, record);

    phase = 'recording';
    const start = await inTransaction(database, (transaction) =>
      recordAttemptStart(transaction, {
        paymentId,
        attemptNo,
        inputId,
        seq,
        method: stored.method,
        tokenHash: accepted?.tokenHash ?? null,
        singleCard: record.checkoutMode === 'custom',
        card: accepted?.card ?? null,
        runId: callingRunId(),
      }),
    );
    if (start === 'closed') return notStarted(false);
    // An earlier run may have sent it: only the network knows.
    if (start === 'repeated') return unknown;
    phase = 'sending';

    const charge = await network.charge({
      key: attemptKey(paymentId, attemptNo),
      paymentId,
      merchantId: record.merchantId,
      environment: record.environment,
      amountCents: record.amountCents,
      method: stored.method,
      ...(token === null ? {} : { cardToken: token }),
      customer,
      checkoutExpiresAt: record.expiresAt.toISOString(),
      returnUrl: `${actionUrl(deps.publicUrl, actionToken(keyring, paymentId, attemptNo))}/return`,
      ...(record.frameOrigins.length > 0 ? { ancestorOrigins: record.frameOrigins } : {}),
    });
    if (charge === 'token_rejected') return { outcome: { status: 'voided' }, card: null };
    return await reportCharge(deps, charge, { ...record, method: stored.method }, attemptNo);
  } catch (error) {
    log.warn('a charge was not sent, or its answer was lost', { error });
    if (phase === 'sending' && !(error instanceof ProviderUnavailable && !error.sent)) return unknown;
    // Nothing was sent. A commit whose answer was lost counts as recorded: releasing it again does no
    // harm.
    return notStarted(phase !== 'checking');
  }
}

/** Asks the vault whether the token is this payment's card. `null`: it is not. */
async function acceptCard(
  { database, keyring, vault }: AttemptActivityDeps,
  record: PaymentRecord,
  token: string,
  captureReference: string | null,
): Promise<{ card: CardFacts; tokenHash: Buffer } | null> {
  if (captureReference !== record.vaultId) return null;
  const tokenHash = keyring.lookupHash(hashPurposes.cardToken, token);
  if (record.checkoutMode === 'custom') {
    const accepted = await loadAcceptedTokenHash(database, record.id);
    if (accepted && !equalHashes(accepted, tokenHash)) return null;
  }
  const claim = await vault.claimToken({
    reference: record.vaultId,
    token,
    paymentId: record.id,
    merchantId: record.merchantId,
    environment: record.environment,
  });
  return claim.status === 'accepted' ? { card: claim.card, tokenHash } : null;
}

async function customerOf({ database, keyring }: AttemptActivityDeps, record: PaymentRecord) {
  const sealed = await loadPrivateCustomer(database, record.id);
  const hidden = sealed
    ? (JSON.parse(keyring.open(sealed, sealContext.privateCustomer(record.id))) as unknown)
    : {};
  const { documentNumber = null, phone = null } = hidden as { documentNumber?: string; phone?: string };
  return { name: record.customerName, email: record.customerEmail, documentNumber, phone };
}
