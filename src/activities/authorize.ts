import { log } from '@temporalio/activity';
import { actionToken, actionUrl, sealContext } from '../crypto/seal-contexts.ts';
import { type ClaimedIntent, claimIntent } from '../db/payments/reservations.ts';
import { recordAnswer, recordCard } from '../db/payments/attempt-answers.ts';
import { recordProviderReference } from '../db/payments/provider-objects.ts';
import { attemptKey } from '../domain/attempt-key.ts';
import type { CardFacts } from '../domain/card.ts';
import type { Connectors, ProviderPorts } from '../providers/connectors.ts';
import { boundedFailure } from '../providers/failure-text.ts';
import { type ChargeRequest, ProviderUnavailable } from '../providers/ports.ts';
import type { SandboxControls } from '../providers/sandbox-controls.ts';
import {
  type AttemptReport,
  type ReportDeps,
  notStarted,
  recordedReport,
  unknown,
} from './attempt-report.ts';
import { type Asking, followUp } from './commit-with-answer.ts';
import { reportSettled } from './finalize-decline.ts';
import type { CommitTransition } from './transitions.ts';

/** What the vault and network calls of a payment need. */
export interface AttemptActivityDeps extends ReportDeps {
  connectors: Connectors;
  /** Orders the outcome of an attempt that the sandbox makes in the customer's place. */
  controls: Pick<SandboxControls, 'orderCharge'>;
  /** Writes a transition in the name of the run that decided it. */
  commit: CommitTransition;
  publicUrl: string;
}

const tokenRejected: AttemptReport = { outcome: { status: 'tokenRejected' }, card: null };

/**
 * Claims the intent, asks the vault whether the card is this payment's, has the network prepare its object
 * where it has one, and sends the charge, once, under the attempt's key; its answer is written down with
 * what follows from it, where whoever asks still waits. Never rejects: whatever goes wrong once a byte of the
 * charge may have been sent is the outcome `unknown`.
 */
export async function authorize(
  deps: AttemptActivityDeps,
  attempt: { paymentId: string; attemptNo: number },
  asking: Asking,
): Promise<AttemptReport> {
  let phase: 'claiming' | 'preparing' | 'sending' = 'claiming';
  let accepted: CardFacts | null = null;
  try {
    const claim = await claimIntent(deps.database, { ...attempt, runId: asking.runId });
    if (claim.state === 'closed') return notStarted(false);
    if (claim.state === 'repeated') return await recordedReport(deps, attempt);
    phase = 'preparing';
    const { intent } = claim;
    const ports = await deps.connectors.portsOf(intent);
    const { network } = ports;
    const token = openToken(deps, intent);
    const proven = token === null ? null : await proveCard(ports, intent, token);
    accepted = proven === 'byPreparing' ? null : proven;
    if (token !== null && proven === null) {
      await recordAnswer(deps.database, attempt, 'token_rejected');
      return tokenRejected;
    }
    const key = attemptKey(attempt.paymentId, attempt.attemptNo);
    if (intent.simulated) await deps.controls.orderCharge(intent.merchantId, key, intent.simulated);
    const asked = chargeRequest(deps, intent, attempt.attemptNo, token);
    const prepared = await prepare(deps, ports, attempt, asked, accepted);
    if ('outcome' in prepared) return prepared;
    const { request } = prepared;
    accepted = prepared.card;

    phase = 'sending';
    const charge = await withCardKept(deps, attempt, accepted, () => network.charge(request));
    if (charge === 'token_rejected') {
      await recordAnswer(deps.database, attempt, 'voided');
      return { outcome: { status: 'voided' }, card: null };
    }
    const write = followUp(deps, asking);
    return await reportSettled(deps, network, charge, request, attempt.attemptNo, accepted, write);
  } catch (error) {
    log.warn('a charge was not sent, or its answer was lost', { error });
    if (phase === 'claiming') return unknown;
    if (phase === 'sending' && !(error instanceof ProviderUnavailable && !error.sent)) return unknown;
    return nothingSent(deps, attempt, accepted);
  }
}

/**
 * Returns the request with the network's object in it, committed: no money can move before; and what is known
 * of the card. A report where the network refused the card, or where somebody closed the attempt meanwhile.
 */
async function prepare(
  deps: AttemptActivityDeps,
  { network, cardsProvenBy }: ProviderPorts,
  attempt: { paymentId: string; attemptNo: number },
  request: ChargeRequest,
  card: CardFacts | null,
): Promise<{ request: ChargeRequest; card: CardFacts | null } | AttemptReport> {
  if (network.prepare === null) return { request, card };
  const prepared = await network.prepare(request);
  if (prepared.status === 'token_rejected') {
    if (cardsProvenBy === 'preparing') {
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

/** A network that takes longer is waited for by a customer, who is shown the card meanwhile. */
const keepCardAfterMs = 500;

/**
 * Sends, and keeps the card's facts where the answer does not come soon, or is lost: otherwise they are
 * written with the answer, in one statement.
 */
async function withCardKept<T>(
  { database }: AttemptActivityDeps,
  attempt: { paymentId: string; attemptNo: number },
  card: CardFacts | null,
  send: () => Promise<T>,
): Promise<T> {
  if (card === null) return send();
  // What it keeps is for showing: a failure changes nothing of the attempt.
  const keep = (): Promise<void> =>
    recordCard(database, attempt, card).catch((error: unknown) => log.warn('a card was not kept', { error }));
  const timer = setTimeout(() => void keep(), keepCardAfterMs);
  try {
    return await send();
  } catch (error) {
    await keep();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Says so in the rows first; where that fails, only the network can tell that nothing arrived. */
async function nothingSent(
  deps: AttemptActivityDeps,
  attempt: { paymentId: string; attemptNo: number },
  card: CardFacts | null,
): Promise<AttemptReport> {
  try {
    await recordAnswer(deps.database, attempt, 'not_sent', { card });
    return notStarted(card !== null);
  } catch {
    return unknown;
  }
}

function openToken({ keyring }: AttemptActivityDeps, intent: ClaimedIntent): string | null {
  return intent.tokenSealed ? keyring.open(intent.tokenSealed, sealContext.cardToken(intent.id)) : null;
}

/**
 * Asks the vault whether the token is this payment's card. Null: it is not. A vault that tells it only by
 * sending the card is asked by preparing the charge.
 */
async function proveCard(
  { vault, cardsProvenBy }: ProviderPorts,
  intent: ClaimedIntent,
  token: string,
): Promise<CardFacts | 'byPreparing' | null> {
  if (intent.captureReference !== intent.vaultId) return null;
  if (cardsProvenBy === 'preparing') return 'byPreparing';
  const claim = await vault.claimToken({
    reference: intent.vaultId,
    token,
    paymentId: intent.id,
    merchantId: intent.merchantId,
    environment: intent.environment,
  });
  return claim.status === 'accepted' ? claim.card : null;
}

function chargeRequest(
  { keyring, publicUrl }: AttemptActivityDeps,
  intent: ClaimedIntent,
  attemptNo: number,
  token: string | null,
): ChargeRequest {
  const hidden = intent.customerPrivateSealed
    ? (JSON.parse(keyring.open(intent.customerPrivateSealed, sealContext.privateCustomer(intent.id))) as {
        documentNumber?: string;
        phone?: string;
      })
    : {};
  const { documentNumber = null, phone = null } = hidden;
  return {
    key: attemptKey(intent.id, attemptNo),
    paymentId: intent.id,
    merchantId: intent.merchantId,
    environment: intent.environment,
    amountCents: intent.amountCents,
    method: intent.attemptMethod,
    ...(token === null ? {} : { cardToken: token, cardReference: intent.vaultId }),
    providerReference: null,
    customer: { name: intent.customerName, email: intent.customerEmail, documentNumber, phone },
    checkoutExpiresAt: intent.expiresAt.toISOString(),
    returnUrl: `${actionUrl(publicUrl, actionToken(keyring, intent.id, attemptNo, null))}/return`,
    ...(intent.frameOrigins.length > 0 ? { ancestorOrigins: intent.frameOrigins } : {}),
  };
}
