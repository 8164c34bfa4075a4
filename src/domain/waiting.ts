import type { CheckoutMode, CheckoutStatus, PaymentMethod } from './statuses.ts';
import { attemptsPerCheckout } from './checkout-state.ts';
import { waitingTexts as texts } from './waiting-texts.ts';

/**
 * The parties that a payment may wait for. `deadline`: nothing is possible before it, or the checkout closes.
 */
export const awaitedParties = ['customer', 'network', 'vault', 'deadline', 'operator'] as const;
export type AwaitedParty = (typeof awaitedParties)[number];

/** Why a payment is not final. Instants ISO 8601 in UTC; docs/readings.md. */
export interface WaitingFor {
  who: AwaitedParty;
  since: string;
  /** When the wait ends by itself; null when it does not. */
  until: string | null;
  /** The next step, as a sentence. */
  next: string;
}

/** The open attempt. */
export interface WaitingAttempt {
  attemptNo: number;
  status: 'processing' | 'requiresAction';
  method: PaymentMethod;
  startedAt: Date;
  /** When a worker claimed it; null: not yet. */
  claimedAt: Date | null;
  /** Since when its outcome is unknown; null: its worker still waits for the answer. */
  unknownSince: Date | null;
  /** The vault has returned the card's details, or sent the card to the network. */
  cardKnown: boolean;
  /** Made by a sandbox simulation, without a card. */
  simulated: boolean;
}

/** The facts that decide what a payment waits for. */
export interface WaitingFacts {
  checkoutMode: CheckoutMode;
  checkoutStatus: CheckoutStatus;
  createdAt: Date;
  /** When the payment last changed; null: at its creation. */
  changedAt: Date | null;
  expiresAt: Date;
  captureExpiresAt: Date;
  /** When its checkout was finalized: no transition can follow. */
  finalizedAt: Date | null;
  attemptsLeft: number;
  /** A card was accepted: attempts need no other. */
  cardAccepted: boolean;
  merchantActive: boolean;
  attempt: WaitingAttempt | null;
  /** The oldest refund that is not decided. */
  refund: { createdAt: Date; submitAfter: Date; submittedAt: Date | null } | null;
  /** The open dispute whose evidence is due first. */
  dispute: { status: string; createdAt: Date; submittedAt: Date | null; evidenceDueAt: Date } | null;
  /** Since when the sweeps cannot check the payment. */
  alertSince: Date | null;
}

/** After this long a card that reached the network is in the rows, in ms. Before, it may be at either. */
const cardIsKnownAfterMs = 1_000;

/**
 * Returns the one party that a payment waits for. Returns null when it waits for none: it is paid, or its
 * checkout is closed and nothing is in flight. A paid payment with an undecided refund or an open dispute
 * waits for these. Pure; `now` decides which deadlines have passed. docs/readings.md.
 */
export function waitingFor(facts: WaitingFacts, now: Date): WaitingFor | null {
  const ofCheckout = facts.finalizedAt === null ? checkoutWaiter(facts, now) : null;
  if (ofCheckout === null) return refundWaiter(facts) ?? disputeWaiter(facts, now);
  if (facts.alertSince === null) return ofCheckout;
  return awaiting('operator', facts.alertSince, null, texts.operator);
}

function checkoutWaiter(facts: WaitingFacts, now: Date): WaitingFor | null {
  const { checkoutStatus, attempt, expiresAt } = facts;
  if (attempt) return attemptWaiter(facts, attempt, now);
  if (checkoutStatus === 'paid') return null;
  if (checkoutStatus === 'expired' || now >= expiresAt) {
    return awaiting('deadline', expiresAt, null, texts.closing);
  }
  if (!facts.merchantActive) {
    return awaiting('deadline', sinceChange(facts), expiresAt, texts.merchantDisabled);
  }
  const untouched = facts.attemptsLeft === attemptsPerCheckout && !facts.cardAccepted;
  if (facts.checkoutMode === 'custom' && untouched && now >= facts.captureExpiresAt) {
    return awaiting('deadline', facts.captureExpiresAt, expiresAt, texts.captureOver);
  }
  return awaiting(
    'customer',
    sinceChange(facts),
    expiresAt,
    facts.attemptsLeft < attemptsPerCheckout ? texts.customerRetries : texts.customerPays,
  );
}

function attemptWaiter(facts: WaitingFacts, attempt: WaitingAttempt, now: Date): WaitingFor {
  const { checkoutStatus, expiresAt } = facts;
  const network = (since: Date, next: string): WaitingFor => awaiting('network', since, null, next);
  if (attempt.unknownSince !== null) {
    return network(attempt.unknownSince, texts.outcomeUnknown(attempt.attemptNo));
  }
  if (checkoutStatus === 'expired') {
    return network(sinceChange(facts), texts.checkoutClosed(attempt.attemptNo));
  }
  if (attempt.status === 'requiresAction') {
    if (checkoutStatus === 'processing') {
      return network(sinceChange(facts), texts.confirming);
    }
    if (now >= expiresAt) {
      return awaiting('deadline', expiresAt, null, texts.closingStep);
    }
    return awaiting('customer', sinceChange(facts), expiresAt, texts.customerConfirms);
  }
  if (attempt.claimedAt === null) {
    return network(attempt.startedAt, texts.sending);
  }
  const byCard = attempt.method === 'card' && !attempt.simulated;
  if (byCard && !attempt.cardKnown && now.getTime() - attempt.claimedAt.getTime() >= cardIsKnownAfterMs) {
    return awaiting('vault', attempt.claimedAt, null, texts.verifyingCard);
  }
  return network(attempt.claimedAt, texts.charging);
}

function refundWaiter({ refund }: WaitingFacts): WaitingFor | null {
  if (refund === null) return null;
  if (refund.submittedAt === null) {
    return awaiting('deadline', refund.createdAt, refund.submitAfter, texts.refundDelayed);
  }
  return awaiting('network', refund.submittedAt, null, texts.refunding);
}

function disputeWaiter({ dispute }: WaitingFacts, now: Date): WaitingFor | null {
  if (dispute === null) return null;
  const { status, createdAt, submittedAt, evidenceDueAt } = dispute;
  if (status === 'needsResponse' && submittedAt === null && now < evidenceDueAt) {
    return awaiting('deadline', createdAt, evidenceDueAt, texts.evidenceDue);
  }
  return awaiting('network', submittedAt ?? createdAt, null, texts.disputeDecision);
}

const sinceChange = ({ changedAt, createdAt }: WaitingFacts): Date => changedAt ?? createdAt;

const awaiting = (who: AwaitedParty, since: Date, until: Date | null, next: string): WaitingFor => ({
  who,
  since: since.toISOString(),
  until: until?.toISOString() ?? null,
  next,
});
