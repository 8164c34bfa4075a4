import { log } from '@temporalio/activity';
import { actionToken, actionUrl, sealContext } from '../crypto/seal-contexts.ts';
import { type ClaimedAttempt, claimAttempt } from '../db/payments/reservations.ts';
import { recordAnswer } from '../db/payments/attempt-answers.ts';
import { recordProviderReference } from '../db/payments/provider-objects.ts';
import { attemptKey } from '../domain/payment.ts';
import type { CardFacts } from '../domain/card.ts';
import type { Connectors, ProviderPorts } from '../providers/connectors.ts';
import { boundedFailure } from '../providers/failure-text.ts';
import { type ChargeRequest, type PaymentNetwork, ProviderUnavailable } from '../providers/ports.ts';
import type { SandboxControls } from '../providers/sandbox-controls.ts';
import { type KnownCard, knownCard, limitDeclines, withCardStored } from './attempt-card.ts';
import {
  type Attempt,
  type AttemptReport,
  type ReportDeps,
  answerOf,
  finalCharge,
  notStarted,
  recordedReport,
  unknownReport,
} from './attempt-report.ts';
import { type CallContext, commitWithAnswer } from './commit-with-answer.ts';
import { createLostAttempts } from './restore-attempts.ts';
import type { CommitTransition } from './transitions.ts';

/** The dependencies of a payment's vault and network calls. */
export interface AttemptActivityDeps extends ReportDeps {
  connectors: Connectors;
  /** Orders the outcome of an attempt that the sandbox makes in the customer's place. */
  controls: Pick<SandboxControls, 'simulateCharge'>;
  /** Writes a transition in the name of the run that decided it. */
  commit: CommitTransition;
  publicUrl: string;
  /** PostgreSQL's time in epoch ms. */
  now: () => number;
}

const tokenRejected: AttemptReport = { outcome: { status: 'tokenRejected' }, card: null };

/**
 * Claims the reservation, verifies with the vault that the card is this payment's, prepares the network's
 * object where the network has one, and sends the charge, once, under the attempt's key. The answer is
 * committed with the transition that follows from it if the workflow still waits. Never rejects: any fault
 * after a byte of the charge may have been sent is the outcome `unknown`. ADR 0013.
 */
export async function authorize(
  deps: AttemptActivityDeps,
  attempt: Attempt,
  context: CallContext,
): Promise<AttemptReport> {
  const progress: Progress = { phase: 'claiming', card: null };
  try {
    const claim = await claimAttempt(deps.database, { ...attempt, runId: context.runId });
    if (claim.state === 'closed') return notStarted(false);
    if (claim.state === 'repeated') return await recordedReport(deps, attempt);
    progress.phase = 'preparing';
    // An attempt that was released before may have been sent, and PostgreSQL may have lost that. ADR 0038.
    const { releasedBefore } = claim.claimed;
    if (releasedBefore.length > 0) {
      if (await createLostAttempts(deps).restoreReleased(attempt, releasedBefore)) return unknownReport;
    }
    const ready = await readyCharge(deps, claim.claimed, attempt, progress);
    if ('outcome' in ready) return ready;
    const { network, request } = ready;

    progress.phase = 'sending';
    const charge = await withCardStored(deps, attempt, progress.card, () => network.charge(request));
    progress.phase = 'answered';
    if (charge === 'token_rejected') {
      await recordAnswer(deps.database, attempt, 'voided');
      return { outcome: { status: 'voided' }, card: null };
    }
    const final = await finalCharge(network, charge, request);
    const answer = answerOf(deps, final, { ...attempt, amountCents: request.amountCents }, progress.card);
    if (answer.record) answer.record.details.forceChallenge = request.forceChallenge === true;
    return await commitWithAnswer(deps, context, attempt, answer);
  } catch (error) {
    log.warn('a charge was not sent, or its answer was lost', { error });
    const { phase, card } = progress;
    // After the answer, another call failed: the cancellation of a declined charge, or the commit.
    if (phase === 'claiming' || phase === 'answered') return unknownReport;
    if (error instanceof ProviderUnavailable && error.keyReused) return unknownReport;
    if (phase === 'sending' && !(error instanceof ProviderUnavailable && !error.sent)) return unknownReport;
    return nothingSent(deps, attempt, card);
  }
}

/**
 * How far an attempt has come, which decides what a fault means. `card`: the verified card; null: none yet.
 */
interface Progress {
  phase: 'claiming' | 'preparing' | 'sending' | 'answered';
  card: KnownCard | null;
}

/**
 * Verifies the card and prepares the charge. Returns the request that may be sent, and its network. Returns a
 * report instead when the card is rejected, when its declines are too many, or when the attempt was closed
 * meanwhile. Stores the verified card in `progress`.
 */
async function readyCharge(
  deps: AttemptActivityDeps,
  claimed: ClaimedAttempt,
  attempt: Attempt,
  progress: Progress,
): Promise<{ network: PaymentNetwork; request: ChargeRequest } | AttemptReport> {
  const ports = await deps.connectors.portsOf(claimed);
  const token = openToken(deps, claimed);
  const verified = token === null ? null : await verifyCard(ports, claimed, token);
  if (token !== null && verified === null) {
    await recordAnswer(deps.database, attempt, 'token_rejected');
    return tokenRejected;
  }
  if (verified !== null && verified !== 'byPreparing') progress.card = knownCard(deps, claimed, verified);
  const key = attemptKey(attempt.paymentId, attempt.attemptNo);
  if (claimed.simulated) await deps.controls.simulateCharge(claimed.merchantId, key, claimed.simulated);
  const early = await limitDeclines(deps, claimed, attempt, progress.card);
  if (early === 'held') return notStarted(progress.card !== null);
  const unprepared = chargeRequest(deps, claimed, attempt.attemptNo, token);
  const prepared = await prepare(deps, ports, attempt, unprepared, progress.card);
  if ('outcome' in prepared) return prepared;
  if (prepared.card !== progress.card)
    progress.card = prepared.card && knownCard(deps, claimed, prepared.card);
  // Again, because some vaults name the card only when the charge is prepared.
  const verdict = progress.card === null ? early : await limitDeclines(deps, claimed, attempt, progress.card);
  if (verdict === 'held') return notStarted(true);
  const { network } = ports;
  return verdict === 'challenge'
    ? { network, request: { ...prepared.request, forceChallenge: true } }
    : { network, request: prepared.request };
}

/**
 * Prepares the network's object of a charge, where the network has one, and commits it before any money can
 * move. Returns the request with the object, and the card's facts. Returns a report instead when the network
 * refused the card, or when the attempt was closed meanwhile.
 */
async function prepare(
  deps: AttemptActivityDeps,
  { network, cardsVerifiedBy }: ProviderPorts,
  attempt: Attempt,
  request: ChargeRequest,
  card: KnownCard | null,
): Promise<{ request: ChargeRequest; card: CardFacts | null } | AttemptReport> {
  if (network.prepare === null) return { request, card };
  const prepared = await network.prepare(request);
  if (prepared.status === 'token_rejected') {
    // The key may be in use for another card if PostgreSQL lost the rows of an earlier attempt. ADR 0038.
    if (await createLostAttempts(deps).isCharged(attempt)) return unknownReport;
    if (cardsVerifiedBy === 'preparing') {
      await recordAnswer(deps.database, attempt, 'token_rejected');
      return tokenRejected;
    }
    await recordAnswer(deps.database, attempt, 'voided');
    return { outcome: { status: 'voided' }, card: null };
  }
  if (prepared.status !== 'prepared') {
    const failure = boundedFailure(prepared.failureCode, prepared.message);
    await recordAnswer(deps.database, attempt, prepared.status, { card, failure });
    const shown = card && { brand: card.brand, last4: card.last4 };
    return { outcome: { status: prepared.status, ...failure }, card: shown };
  }
  const { providerReference } = prepared;
  if (await recordProviderReference(deps.database, attempt, providerReference)) {
    return { request: { ...request, providerReference }, card: card ?? prepared.card };
  }
  return recordedReport(deps, attempt);
}

/** Records that nothing was sent. If that fails, only a query to the network can prove it. */
async function nothingSent(
  deps: AttemptActivityDeps,
  attempt: Attempt,
  card: KnownCard | null,
): Promise<AttemptReport> {
  try {
    await recordAnswer(deps.database, attempt, 'not_sent', { card });
    return notStarted(card !== null);
  } catch {
    return unknownReport;
  }
}

function openToken({ keyring }: AttemptActivityDeps, claimed: ClaimedAttempt): string | null {
  return claimed.tokenSealed ? keyring.open(claimed.tokenSealed, sealContext.cardToken(claimed.id)) : null;
}

/**
 * Verifies with the vault that the token is this payment's card, and returns the card; null when it is not. A
 * vault that verifies a card only by forwarding it does so when the charge is prepared.
 */
async function verifyCard(
  { vault, cardsVerifiedBy }: ProviderPorts,
  claimed: ClaimedAttempt,
  token: string,
): Promise<CardFacts | 'byPreparing' | null> {
  // A wallet's payment method is the network's own: only the network can verify it.
  if (claimed.attemptMethod === 'wallet') return cardsVerifiedBy === 'preparing' ? 'byPreparing' : null;
  if (claimed.captureReference !== claimed.vaultId) return null;
  if (cardsVerifiedBy === 'preparing') return 'byPreparing';
  const claim = await vault.claimToken({
    reference: claimed.vaultId,
    token,
    paymentId: claimed.id,
    merchantId: claimed.merchantId,
    environment: claimed.environment,
  });
  return claim.status === 'accepted' ? claim.card : null;
}

function chargeRequest(
  { keyring, publicUrl }: AttemptActivityDeps,
  claimed: ClaimedAttempt,
  attemptNo: number,
  token: string | null,
): ChargeRequest {
  const hidden = claimed.customerPrivateSealed
    ? (JSON.parse(keyring.open(claimed.customerPrivateSealed, sealContext.privateCustomer(claimed.id))) as {
        documentNumber?: string;
        phone?: string;
      })
    : {};
  const { documentNumber = null, phone = null } = hidden;
  return {
    key: attemptKey(claimed.id, attemptNo),
    paymentId: claimed.id,
    merchantId: claimed.merchantId,
    environment: claimed.environment,
    amountCents: claimed.amountCents,
    method: claimed.attemptMethod,
    ...(token === null
      ? {}
      : claimed.attemptMethod === 'wallet'
        ? { walletToken: token }
        : { cardToken: token, cardReference: claimed.vaultId }),
    providerReference: null,
    customer: { name: claimed.customerName, email: claimed.customerEmail, documentNumber, phone },
    checkoutExpiresAt: claimed.expiresAt.toISOString(),
    returnUrl: `${actionUrl(publicUrl, actionToken(keyring, claimed.id, attemptNo, null))}/return`,
    creation: {
      reference: claimed.reference,
      keyHash: claimed.creationKeyHash?.toString('hex') ?? null,
    },
    ...(claimed.frameOrigins.length > 0 ? { ancestorOrigins: claimed.frameOrigins } : {}),
  };
}
