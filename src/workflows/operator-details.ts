import type { CheckoutEvent } from '../domain/checkout.ts';
import {
  type CheckoutState,
  attemptsPerCheckout,
  checkoutStatus,
  isClosed,
} from '../domain/checkout-state.ts';
import { type WaitingFacts, waitingFor } from '../domain/waiting.ts';

type Card = { brand: string; last4: string } | null;

/** Facts that the details show in addition to the state. */
export interface DetailFacts {
  /** When the payment began to wait for the role it waits for now. */
  sinceMs: number;
  lastDecline: { attemptNo: number; failureCode: string; card: Card; atMs: number } | null;
  paid: { attemptNo: number; card: Card; late: boolean; atMs: number } | null;
}

/** Returns the facts with those of an event added. Pure. */
export function addFacts(
  facts: DetailFacts,
  event: CheckoutEvent,
  card: Card,
  after: CheckoutState,
  atMs: number,
): DetailFacts {
  if (event.type === 'AttemptDeclined' || event.type === 'AttemptFailed') {
    const { attemptNo, failureCode } = event;
    return { ...facts, lastDecline: { attemptNo, failureCode, card, atMs } };
  }
  if (event.type === 'AttemptPaid') {
    const late = after.resting === 'expired';
    return { ...facts, paid: { attemptNo: event.attemptNo, card, late, atMs } };
  }
  return facts;
}

/**
 * Returns Markdown for operators in the Temporal UI: where the payment stands, which role it waits for, the
 * last decline, and how it was paid. It shows the card's brand and last digits and no other data of the
 * customer. Pure.
 */
export function describeCheckout(
  state: CheckoutState,
  facts: DetailFacts,
  needsAttention: boolean,
  nowMs: number,
): string {
  const { lastDecline, paid } = facts;
  const lines = [
    `**${checkoutStatus(state)}** · payment **${state.paymentStatus}** · ${state.attemptsLeft} attempts left`,
    waitsFor(state, facts, nowMs),
    `Capture access ends ${iso(state.captureEndsAtMs)} · checkout deadline ${iso(state.expiresAtMs)}`,
  ];
  if (lastDecline) {
    const { attemptNo, failureCode, card, atMs } = lastDecline;
    lines.push(`Last decline: attempt ${attemptNo}, ${failureCode}${cardText(card)}, ${iso(atMs)}`);
  }
  if (paid) {
    const how = `${state.method ?? 'unknown'}${cardText(paid.card)}, attempt ${paid.attemptNo}`;
    lines.push(`Paid ${iso(paid.atMs)} by ${how}${paid.late ? ', after the checkout closed' : ''}`);
  }
  if (needsAttention)
    lines.push('**Needs attention:** the network has not returned the outcome for a long time.');
  return lines.join('\n\n');
}

function waitsFor(state: CheckoutState, facts: DetailFacts, nowMs: number): string {
  const waiting = waitingFor(factsOf(state, facts), new Date(nowMs));
  if (waiting === null) return 'Waits for nothing: the checkout is closed.';
  const until = waiting.until === null ? '' : `, until ${waiting.until}`;
  return `Waits for **${waiting.who}** since ${waiting.since}${until}. ${waiting.next}`;
}

/**
 * Returns the facts on which `waitingFor` decides. Reads take them from the rows, this view from the state.
 */
function factsOf(state: CheckoutState, { sinceMs }: DetailFacts): WaitingFacts {
  const since = new Date(sinceMs);
  const { flight } = state;
  const hasStep = state.resting === 'requiresAction';
  const attemptNo = flight?.attemptNo ?? state.attemptsStarted;
  const isOpen = flight !== null || hasStep;
  return {
    checkoutMode: state.mode,
    checkoutStatus: checkoutStatus(state),
    createdAt: since,
    changedAt: since,
    expiresAt: new Date(state.expiresAtMs),
    captureExpiresAt: new Date(state.captureEndsAtMs),
    finalizedAt: isClosed(state) && flight === null ? since : null,
    attemptsLeft: state.attemptsLeft,
    cardAccepted: state.captureRevoked && state.attemptsStarted > 0,
    merchantActive: true,
    attempt: isOpen
      ? {
          attemptNo,
          status: flight?.kind === 'attempt' ? 'processing' : 'requiresAction',
          method: state.method ?? 'card',
          startedAt: since,
          claimedAt: since,
          unknownSince: flight?.certainty === 'unknown' ? since : null,
          cardKnown: true,
          simulated: false,
        }
      : null,
    refund: null,
    dispute: null,
    alertSince: null,
  };
}

/** Returns whether a payment waits for another role, or for another step of the same role, than before. */
export const waitsForOther = (before: CheckoutState, after: CheckoutState): boolean =>
  checkoutStatus(before) !== checkoutStatus(after) ||
  before.attemptsLeft !== after.attemptsLeft ||
  before.flight?.kind !== after.flight?.kind ||
  before.flight?.certainty !== after.flight?.certainty;

/** The values of the search attributes with which a payment's workflow starts. */
export const attributesAtStart = {
  paymentStatus: 'pending',
  checkoutStatus: 'open',
  attemptsLeft: attemptsPerCheckout,
  needsAttention: false,
} as const;

const cardText = (card: Card): string => (card === null ? '' : ` (${card.brand} ${card.last4})`);
const iso = (ms: number): string => new Date(ms).toISOString();
