import type { Html } from '../html.ts';
import { CHALLENGE_CHOICES, choicePage } from '../pages.ts';
import type { Charge } from './records.ts';

/** The issuer's challenge. */
export function challengePage(charge: Charge): Html {
  return choicePage({
    title: "Confirm it's you",
    kicker: 'First Sandbox Bank',
    text: `Your bank asks you to confirm this card payment${charge.card ? ` with the card ending in ${charge.card.last4}` : ''}.`,
    amountCents: charge.amountCents,
    choices: CHALLENGE_CHOICES,
  });
}

export function walletPage(charge: Charge): Html {
  return choicePage({
    title: 'Pay with your wallet',
    kicker: 'Sandbox Wallet',
    text: 'Approve the payment to take it from your sandbox balance.',
    amountCents: charge.amountCents,
    choices: [
      { testId: 'wallet-approve', result: 'approve', label: 'Approve', look: 'primary' },
      { testId: 'wallet-decline', result: 'decline', label: 'Decline', look: 'danger' },
      { testId: 'wallet-cancel', result: 'cancel', label: 'Go back', look: 'plain' },
    ],
  });
}

/** Stands for the payer's bank: approves or rejects a pix. */
export function pixPage(charge: Charge): Html {
  return choicePage({
    title: 'Pay this pix',
    kicker: 'Sandbox Pix',
    text: 'In the sandbox this page stands for the bank of the payer.',
    amountCents: charge.amountCents,
    choices: [
      { testId: 'pix-settle', result: 'approve', label: 'Pay', look: 'primary' },
      { testId: 'pix-reject', result: 'decline', label: 'Reject', look: 'danger' },
    ],
  });
}
