import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { type CheckoutState, attemptsPerCheckout, checkoutStatus } from '../domain/checkout.ts';
import {
  attemptsLeftKey,
  checkoutStatusKey,
  needsAttentionKey,
  paymentStatusKey,
} from '../temporal/contract/search-attribute-keys.ts';

/**
 * Returns a function that shows operators where a payment stands, in the Temporal UI's details and search
 * attributes. Only what changed is written: each upsert is an event. Search attributes are clear text and
 * hold no customer data.
 */
export function createOperatorView(): (state: CheckoutState, needsAttention: boolean) => void {
  // What the start of the workflow already set.
  let shown = {
    paymentStatus: 'pending',
    checkoutStatus: 'open',
    attemptsLeft: attemptsPerCheckout,
    needsAttention: false,
  };
  return (state, needsAttention) => {
    setCurrentDetails(describeCheckout(state, needsAttention));
    // What lasts milliseconds is not worth an event and a row of the visibility store.
    if (state.flight?.certainty === 'running') return;
    const now = {
      paymentStatus: state.paymentStatus,
      checkoutStatus: checkoutStatus(state),
      attemptsLeft: state.attemptsLeft,
      needsAttention,
    };
    const changed: SearchAttributeUpdatePair[] = [];
    if (now.paymentStatus !== shown.paymentStatus)
      changed.push({ key: paymentStatusKey, value: now.paymentStatus });
    if (now.checkoutStatus !== shown.checkoutStatus) {
      changed.push({ key: checkoutStatusKey, value: now.checkoutStatus });
    }
    if (now.attemptsLeft !== shown.attemptsLeft)
      changed.push({ key: attemptsLeftKey, value: now.attemptsLeft });
    if (now.needsAttention !== shown.needsAttention) {
      changed.push({ key: needsAttentionKey, value: now.needsAttention });
    }
    if (changed.length > 0) upsertSearchAttributes(changed);
    shown = now;
  };
}

/**
 * Markdown for operators in the Temporal UI: where the payment stands and what it waits for. No customer
 * data.
 */
function describeCheckout(state: CheckoutState, needsAttention: boolean): string {
  const lines = [
    `**${checkoutStatus(state)}** · payment **${state.paymentStatus}** · ${state.attemptsLeft} attempts left`,
    `Waits for: ${waitsFor(state)}`,
    `Capture access ends ${iso(state.captureEndsAtMs)} · checkout deadline ${iso(state.expiresAtMs)}`,
  ];
  if (needsAttention)
    lines.push('**Needs attention:** the network has not told the outcome for a long time.');
  return lines.join('\n\n');
}

function waitsFor(state: CheckoutState): string {
  const { flight } = state;
  if (flight?.certainty === 'unknown')
    return `the network to tell the outcome of attempt ${flight.attemptNo}`;
  if (flight) return `${flight.kind} of attempt ${flight.attemptNo}`;
  switch (state.resting) {
    case 'open':
      return 'a payment attempt, or the deadline';
    case 'failed_retryable':
      return 'another attempt, or the deadline';
    case 'requiresAction':
      return `the customer's step for attempt ${state.attemptsStarted}, or the deadline`;
    case 'paid':
    case 'expired':
      return 'nothing: the checkout is closed';
  }
}

const iso = (ms: number): string => new Date(ms).toISOString();
