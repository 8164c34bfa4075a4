import { log } from '@temporalio/activity';
import { actionToken, actionUrl, hashPurposes, sealContext } from '../crypto/seal-contexts.ts';
import { type ClaimedAttempt, claimAttempt, holdBack } from '../db/payments/reservations.ts';
import { recordAnswer, recordCard } from '../db/payments/attempt-answers.ts';
import { recordProviderReference } from '../db/payments/provider-objects.ts';
import { attemptKey } from '../domain/payment.ts';
import type { CardFacts } from '../domain/card.ts';
import { decideByDeclines } from '../domain/card-testing.ts';
import type { Connectors, ProviderPorts } from '../providers/connectors.ts';
import { boundedFailure } from '../providers/failure-text.ts';
import { type ChargeRequest, ProviderUnavailable } from '../providers/ports.ts';
import type { SandboxControls } from '../providers/sandbox-controls.ts';
import {
  type Attempt,
  type AttemptReport,
  type ReportDeps,
  answerOf,
  finalCharge,
  notStarted,
  recordedReport,
  unknown,
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
 * after a byte of the charge may have been sent is the outcome `unknown`.
 */
export async function authorize(
  deps: AttemptActivityDeps,
  attempt: Attempt,
  context: CallContext,
): Promise<AttemptReport> {
  let phase: 'claiming' | 'preparing' | 'sending' | 'answered' = 'claiming';
  let accepted: KnownCard | null = null;
  try {
    const claim = await claimAttempt(deps.database, { ...attempt, runId: context.runId });
    if (claim.state === 'closed') return notStarted(false);
    if (claim.state === 'repeated') return await recordedReport(deps, attempt);
    phase = 'preparing';
    const { claimed } = claim;
    // An attempt that was released before may have been sent, and PostgreSQL may have lost that. ADR 0038.
    if (claimed.releasedBefore.length > 0) {
      if (await createLostAttempts(deps).restoreReleased(attempt, claimed.releasedBefore)) return unknown;
    }
    const ports = await deps.connectors.portsOf(claimed);
    const { network } = ports;
    const token = openToken(deps, claimed);
    const verified = token === null ? null : await verifyCard(ports, claimed, token);
    accepted = verified === 'byPreparing' || verified === null ? null : knownCard(deps, claimed, verified);
    if (token !== null && verified === null) {
      await recordAnswer(deps.database, attempt, 'token_rejected');
      return tokenRejected;
    }
    const key = attemptKey(attempt.paymentId, attempt.attemptNo);
    if (claimed.simulated) await deps.controls.simulateCharge(claimed.merchantId, key, claimed.simulated);
    const early = await limitDeclines(deps, claimed, attempt, accepted);
    if (early === 'held') return notStarted(accepted !== null);
    const unprepared = chargeRequest(deps, claimed, attempt.attemptNo, token);
    const prepared = await prepare(deps, ports, attempt, unprepared, accepted);
    if ('outcome' in prepared) return prepared;
    accepted =
      prepared.card === accepted ? accepted : prepared.card && knownCard(deps, claimed, prepared.card);
    const verdict = accepted === null ? early : await limitDeclines(deps, claimed, attempt, accepted);
    if (verdict === 'held') return notStarted(true);
    const forceChallenge = verdict === 'challenge';
    const request = forceChallenge ? ({ ...prepared.request, forceChallenge } as const) : prepared.request;

    phase = 'sending';
    const charge = await withCardStored(deps, attempt, accepted, () => network.charge(request));
    phase = 'answered';
    if (charge === 'token_rejected') {
      await recordAnswer(deps.database, attempt, 'voided');
      return { outcome: { status: 'voided' }, card: null };
    }
    const final = await finalCharge(network, charge, request);
    const answer = answerOf(deps, final, { ...attempt, amountCents: request.amountCents }, accepted);
    if (answer.record) answer.record.details.forceChallenge = forceChallenge;
    return await commitWithAnswer(deps, context, attempt, answer);
  } catch (error) {
    log.warn('a charge was not sent, or its answer was lost', { error });
    // After the answer, another call failed: the cancellation of a declined charge, or the commit.
    if (phase === 'claiming' || phase === 'answered') return unknown;
    if (error instanceof ProviderUnavailable && error.keyReused) return unknown;
    if (phase === 'sending' && !(error instanceof ProviderUnavailable && !error.sent)) return unknown;
    return nothingSent(deps, attempt, accepted);
  }
}

/**
 * Returns the request with the network's object in it, and what is known of the card. The object is committed
 * first, and no money can move before that. Returns a report when the network refused the card, or when the
 * attempt was closed meanwhile.
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
    if (await createLostAttempts(deps).isCharged(attempt)) return unknown;
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

/** A card with the keyed hash of its number, where the provider names it. */
type KnownCard = CardFacts & { hash: Buffer | null };

/** Returns the card with its keyed hash. The same card has different hashes at two merchants. */
function knownCard(
  { keyring }: AttemptActivityDeps,
  { merchantId }: ClaimedAttempt,
  card: CardFacts,
): KnownCard {
  const { fingerprint } = card;
  const named = `${merchantId}:${fingerprint}`;
  return {
    ...card,
    hash: fingerprint === null ? null : keyring.lookupHash(hashPurposes.cardFingerprint, named),
  };
}

/**
 * Returns whether the charge may be sent, or only with a challenge. `held`: this card or its BIN had too many
 * declines. Then the attempt is canceled, and its row holds the reason for the caller. ADR 0053.
 */
async function limitDeclines(
  { database }: AttemptActivityDeps,
  { declinedCards, forceChallenge }: ClaimedAttempt,
  attempt: Attempt,
  card: KnownCard | null,
): Promise<'send' | 'challenge' | 'held'> {
  if (declinedCards.length === 0) return forceChallenge ? 'challenge' : 'send';
  const hash = card?.hash ?? null;
  const bin = card?.bin ?? null;
  const verdict = decideByDeclines(declinedCards, { bin, hash: hash?.toString('hex') ?? null });
  if (typeof verdict === 'string') return forceChallenge ? 'challenge' : verdict;
  await holdBack(database, attempt, { dimension: verdict.refuse, cardHash: hash, bin });
  return 'held';
}

/** If the network takes longer, in ms, the card is stored so that the waiting customer can see it. */
const storeCardAfterMs = 500;

/**
 * Sends the charge, and stores the card's facts when the answer is slow or lost. Otherwise they are stored
 * with the answer, in one statement.
 */
async function withCardStored<T>(
  { database }: AttemptActivityDeps,
  attempt: Attempt,
  card: KnownCard | null,
  send: () => Promise<T>,
): Promise<T> {
  if (card === null) return send();
  // The facts are for display: a failure does not change the attempt.
  const store = (): Promise<void> =>
    recordCard(database, attempt, card).catch((error: unknown) =>
      log.warn('the facts of a card were not stored', { error }),
    );
  const timer = setTimeout(() => void store(), storeCardAfterMs);
  try {
    return await send();
  } catch (error) {
    await store();
    throw error;
  } finally {
    clearTimeout(timer);
  }
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
    return unknown;
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
