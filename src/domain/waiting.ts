import type { CheckoutMode, CheckoutStatus, PaymentMethod } from './statuses.ts';
import { attemptsPerCheckout } from './checkout-state.ts';

/** Whom a payment waits for. `deadline`: nobody can do anything before it passes, or it is just closing. */
export const waiters = ['customer', 'network', 'vault', 'deadline', 'operator'] as const;
export type Waiter = (typeof waiters)[number];

/** Why a payment is not final. Instants ISO 8601 in UTC; docs/readings.md. */
export interface WaitingFor {
  who: Waiter;
  since: string;
  /** When the wait ends by itself; null where it does not. */
  until: string | null;
  /** What happens next, in a sentence. */
  next: string;
}

/** The attempt that is not over. */
export interface WaitingAttempt {
  attemptNo: number;
  status: 'processing' | 'requiresAction';
  method: PaymentMethod;
  startedAt: Date;
  /** When a worker took it up; null: none has. */
  sentAt: Date | null;
  /** Since when its outcome is unknown; null: whoever made it still waits for the answer. */
  unknownSince: Date | null;
  /** The vault has told the card, or sent it to the network. */
  cardKnown: boolean;
  /** Ordered by the sandbox: without a card. */
  simulated: boolean;
}

/** All that tells whom a payment waits for. */
export interface WaitingFacts {
  checkoutMode: CheckoutMode;
  checkoutStatus: CheckoutStatus;
  createdAt: Date;
  /** When the payment became what it is; null: when it was created. */
  changedAt: Date | null;
  expiresAt: Date;
  captureExpiresAt: Date;
  /** Nothing can follow any more in its checkout. */
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
  /** Since when the sweeps cannot look at the payment. */
  alertSince: Date | null;
}

/** A card that went to the network is in the rows after this, in ms: until then it may be at either. */
const cardIsKnownAfterMs = 1_000;

/**
 * Returns the one party a payment waits for, or null where nothing more is awaited: it is paid, or its
 * checkout is closed and nothing is under way. A paid payment with an undecided refund or an open dispute
 * waits for these. Pure; `now` decides which deadlines have passed. docs/readings.md.
 */
export function waitingFor(facts: WaitingFacts, now: Date): WaitingFor | null {
  const ofCheckout = facts.finalizedAt === null ? checkoutWaiter(facts, now) : null;
  if (ofCheckout === null) return refundWaiter(facts) ?? disputeWaiter(facts, now);
  if (facts.alertSince === null) return ofCheckout;
  return waiter(
    'operator',
    facts.alertSince,
    null,
    'The service looks at the payment again and again and cannot bring it forward: an operator was told.',
  );
}

function checkoutWaiter(facts: WaitingFacts, now: Date): WaitingFor | null {
  const { checkoutStatus, attempt, expiresAt } = facts;
  if (attempt) return attemptWaiter(facts, attempt, now);
  if (checkoutStatus === 'paid') return null;
  if (checkoutStatus === 'expired' || now >= expiresAt) {
    return waiter('deadline', expiresAt, null, 'The checkout is being closed.');
  }
  if (!facts.merchantActive) {
    return waiter(
      'deadline',
      sinceChange(facts),
      expiresAt,
      'The merchant is disabled: no attempt can begin. The checkout closes unpaid.',
    );
  }
  const untouched = facts.attemptsLeft === attemptsPerCheckout && !facts.cardAccepted;
  if (facts.checkoutMode === 'custom' && untouched && now >= facts.captureExpiresAt) {
    return waiter(
      'deadline',
      facts.captureExpiresAt,
      expiresAt,
      'No card can be captured any more. Unless one that was is paid with, the checkout closes unpaid.',
    );
  }
  return waiter(
    'customer',
    sinceChange(facts),
    expiresAt,
    facts.attemptsLeft < attemptsPerCheckout
      ? 'The customer may try again; at the deadline the checkout closes unpaid.'
      : 'The customer pays; at the deadline the checkout closes unpaid.',
  );
}

function attemptWaiter(facts: WaitingFacts, attempt: WaitingAttempt, now: Date): WaitingFor {
  const { checkoutStatus, expiresAt } = facts;
  const network = (since: Date, next: string): WaitingFor => waiter('network', since, null, next);
  if (attempt.unknownSince !== null) {
    return network(
      attempt.unknownSince,
      `Its answer to attempt ${attempt.attemptNo} is unknown: it is asked until it tells.`,
    );
  }
  if (checkoutStatus === 'expired') {
    return network(
      sinceChange(facts),
      `The checkout is closed: attempt ${attempt.attemptNo} is closed at the network, or found to be paid.`,
    );
  }
  if (attempt.status === 'requiresAction') {
    if (checkoutStatus === 'processing') {
      return network(sinceChange(facts), "The customer's step is being confirmed, or given up.");
    }
    if (now >= expiresAt) {
      return waiter('deadline', expiresAt, null, 'The checkout and its open step are being closed.');
    }
    return waiter(
      'customer',
      sinceChange(facts),
      expiresAt,
      'The customer completes the step; at the deadline it is closed at the network.',
    );
  }
  if (attempt.sentAt === null) {
    return network(attempt.startedAt, 'The attempt is about to be sent; if nobody can, it is taken back.');
  }
  const byCard = attempt.method === 'card' && !attempt.simulated;
  if (byCard && !attempt.cardKnown && now.getTime() - attempt.sentAt.getTime() >= cardIsKnownAfterMs) {
    return waiter('vault', attempt.sentAt, null, 'The vault tells the card, then the network is asked.');
  }
  return network(attempt.sentAt, 'Its answer decides the attempt.');
}

function refundWaiter({ refund }: WaitingFacts): WaitingFor | null {
  if (refund === null) return null;
  if (refund.submittedAt === null) {
    return waiter(
      'deadline',
      refund.createdAt,
      refund.submitAfter,
      'The refund is submitted; until then it can be canceled.',
    );
  }
  return waiter('network', refund.submittedAt, null, 'Its answer decides the refund.');
}

function disputeWaiter({ dispute }: WaitingFacts, now: Date): WaitingFor | null {
  if (dispute === null) return null;
  const { status, createdAt, submittedAt, evidenceDueAt } = dispute;
  if (status === 'needsResponse' && submittedAt === null && now < evidenceDueAt) {
    return waiter(
      'deadline',
      createdAt,
      evidenceDueAt,
      'The merchant submits evidence or accepts the dispute by then.',
    );
  }
  return waiter('network', submittedAt ?? createdAt, null, 'It decides the dispute.');
}

const sinceChange = ({ changedAt, createdAt }: WaitingFacts): Date => changedAt ?? createdAt;

const waiter = (who: Waiter, since: Date, until: Date | null, next: string): WaitingFor => ({
  who,
  since: since.toISOString(),
  until: until?.toISOString() ?? null,
  next,
});
