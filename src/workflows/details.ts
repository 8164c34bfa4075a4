import { type CheckoutState, checkoutStatus } from '../domain/checkout.ts';

/** Markdown for operators in the Temporal UI: where the payment stands and what it waits for. No customer data. */
export function describeCheckout(state: CheckoutState, needsAttention: boolean): string {
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
