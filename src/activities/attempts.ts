import { ApplicationFailure, Context, log } from '@temporalio/activity';
import { equalHashes, type Keyring } from '../crypto/keyring.ts';
import { actionToken, actionUrl, hashPurposes, sealContext } from '../crypto/seal-contexts.ts';
import { loadAcceptedTokenHash, loadAttemptInput, recordAction, recordAttemptStart } from '../db/attempts.ts';
import { inTransaction, type Database } from '../db/database.ts';
import { loadPayment, loadPrivateCustomer } from '../db/payments.ts';
import { loadSimulatedOutcome } from '../db/sandbox.ts';
import { attemptKey } from '../domain/attempt-key.ts';
import type { CardFacts } from '../domain/card.ts';
import type { Outcome } from '../domain/checkout.ts';
import type { PaymentRecord } from '../domain/payment.ts';
import { boundedFailure } from '../providers/failure-text.ts';
import {
  type Charge,
  type PaymentNetwork,
  ProviderUnavailable,
  type SandboxControls,
  type VaultClient,
} from '../providers/ports.ts';
import { callingRunId } from './calling-run.ts';

/** What an activity found out about an attempt. Nothing secret: it travels through workflow history. */
export interface AttemptReport {
  outcome: Outcome;
  /** From the network's answer, where there is one. */
  card: { brand: string; last4: string } | null;
}

/** The activities of a payment's attempts, as its workflow sees them. */
export interface AttemptActivities {
  /** Checks the token, records the attempt and sends the charge, once, under the attempt's key. */
  authorize(input: {
    paymentId: string;
    attemptNo: number;
    inputId: string;
    seq: number;
  }): Promise<AttemptReport>;
  /** Completes the attempt after the customer's step. */
  confirmAttempt(input: { paymentId: string; attemptNo: number }): Promise<AttemptReport>;
  /** Asks the network until it knows; `close` also makes sure that nothing can be charged any more. */
  resolveAttempt(input: { paymentId: string; attemptNo: number; close: boolean }): Promise<AttemptReport>;
}

export interface AttemptActivityDeps {
  database: Database;
  keyring: Keyring;
  vault: VaultClient;
  network: PaymentNetwork;
  /** Orders the outcome of an attempt that the sandbox makes in the customer's place. */
  controls: Pick<SandboxControls, 'orderCharge'>;
  publicUrl: string;
}

/**
 * Not-found answers in a row before the key of an attempt is closed: a slow charge may still be on its way.
 */
const lookupsBeforeVoid = 3;

const unknown: AttemptReport = { outcome: { status: 'unknown' }, card: null };
const notStarted = (recorded: boolean): AttemptReport => ({
  outcome: { status: 'notStarted', recorded },
  card: null,
});
const tokenRejected: AttemptReport = { outcome: { status: 'tokenRejected' }, card: null };

/**
 * Vault and network calls of the payment workflow. Definite answers are values; an ambiguous end is the
 * outcome `unknown`, never a thrown verdict.
 */
export function createAttemptActivities(deps: AttemptActivityDeps): AttemptActivities {
  const { database, keyring, vault, network } = deps;

  const payment = async (id: string): Promise<PaymentRecord> => {
    const record = await loadPayment(database, id);
    if (!record) throw ApplicationFailure.nonRetryable('the payment does not exist', 'service_unavailable');
    return record;
  };

  /** Turns the network's word into a report, keeping an action's secrets out of it. */
  const report = async (charge: Charge, record: PaymentRecord, attemptNo: number): Promise<AttemptReport> => {
    const { card } = charge;
    if (charge.amountCents !== record.amountCents) return unknown;
    switch (charge.status) {
      case 'captured':
        return { outcome: { status: 'paid' }, card };
      case 'declined':
      case 'failed':
        return {
          outcome: { status: charge.status, ...boundedFailure(charge.failureCode, charge.message) },
          card,
        };
      case 'voided':
        return { outcome: { status: 'voided' }, card };
      case 'pending':
        if (charge.action === null) return unknown;
        break;
      case 'requires_action':
        break;
    }
    if (!charge.action) return unknown;
    await recordAction(database, {
      paymentId: record.id,
      attemptNo,
      method: record.method ?? 'card',
      kind: charge.action.kind,
      actionSealed: keyring.seal(JSON.stringify(charge.action), sealContext.action(record.id, attemptNo)),
      tokenHash: keyring.lookupHash(hashPurposes.actionToken, actionToken(keyring, record.id, attemptNo)),
    });
    return { outcome: { status: 'requiresAction' }, card };
  };

  /** Asks the vault whether the token is this payment's card. `null`: it is not. */
  const acceptCard = async (
    record: PaymentRecord,
    token: string,
    captureReference: string | null,
  ): Promise<{ card: CardFacts; tokenHash: Buffer } | null> => {
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
  };

  const customerOf = async (record: PaymentRecord) => {
    const sealed = await loadPrivateCustomer(database, record.id);
    const hidden = sealed
      ? (JSON.parse(keyring.open(sealed, sealContext.privateCustomer(record.id))) as unknown)
      : {};
    const { documentNumber = null, phone = null } = hidden as { documentNumber?: string; phone?: string };
    return { name: record.customerName, email: record.customerEmail, documentNumber, phone };
  };

  const resolve = async (paymentId: string, attemptNo: number, close: boolean): Promise<AttemptReport> => {
    const record = await payment(paymentId);
    const key = attemptKey(paymentId, attemptNo);
    const voidKey = () => network.void({ key, paymentId, amountCents: record.amountCents });
    let charge = close ? await voidKey() : await network.lookup(key);
    if (!charge) {
      // Nothing there is no answer yet: the key is closed first, then nothing can arrive late.
      if (Context.current().info.attempt < lookupsBeforeVoid) return unknown;
      charge = await voidKey();
    }
    // The customer completed the step but nobody confirmed in time: the attempt is finished, not thrown away.
    if (close && charge.status === 'requires_action') charge = await network.confirm(key);
    const found = await report(charge, record, attemptNo);
    return close && found.outcome.status === 'requiresAction' ? unknown : found;
  };

  return {
    authorize: async ({ paymentId, attemptNo, inputId, seq }) => {
      let phase: 'checking' | 'recording' | 'sending' = 'checking';
      try {
        const record = await payment(paymentId);
        const input = await loadAttemptInput(database, inputId);
        if (!input || input.paymentId !== paymentId) return tokenRejected;
        const token = input.tokenSealed
          ? keyring.open(input.tokenSealed, sealContext.cardToken(inputId))
          : null;
        const accepted = token === null ? null : await acceptCard(record, token, input.captureReference);
        const simulated = token === null ? await loadSimulatedOutcome(database, inputId) : null;
        if (input.method === 'card' && !accepted && !simulated) return tokenRejected;
        if (simulated) await deps.controls.orderCharge(attemptKey(paymentId, attemptNo), simulated);
        const customer = await customerOf(record);

        phase = 'recording';
        const start = await inTransaction(database, (transaction) =>
          recordAttemptStart(transaction, {
            paymentId,
            attemptNo,
            seq,
            method: input.method,
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
          method: input.method,
          ...(token === null ? {} : { cardToken: token }),
          customer,
          checkoutExpiresAt: record.expiresAt.toISOString(),
          returnUrl: `${actionUrl(deps.publicUrl, actionToken(keyring, paymentId, attemptNo))}/return`,
          ...(record.frameOrigins.length > 0 ? { ancestorOrigins: record.frameOrigins } : {}),
        });
        if (charge === 'token_rejected') return { outcome: { status: 'voided' }, card: null };
        return await report(charge, { ...record, method: input.method }, attemptNo);
      } catch (error) {
        log.warn('a charge was not sent, or its answer was lost', { error });
        if (phase === 'sending' && !(error instanceof ProviderUnavailable && !error.sent)) return unknown;
        // Nothing was sent. A commit whose answer was lost counts as recorded: releasing it again does no
        // harm.
        return notStarted(phase !== 'checking');
      }
    },

    confirmAttempt: async ({ paymentId, attemptNo }) => {
      const record = await payment(paymentId);
      const charge = await network.confirm(attemptKey(paymentId, attemptNo));
      return report(charge, record, attemptNo);
    },

    resolveAttempt: async ({ paymentId, attemptNo, close }) => {
      const found = await resolve(paymentId, attemptNo, close);
      if (found.outcome.status === 'unknown') {
        throw ApplicationFailure.create({
          message: 'the network does not tell the outcome yet',
          type: 'OUTCOME_UNKNOWN',
          category: 'BENIGN',
        });
      }
      return found;
    },
  };
}
