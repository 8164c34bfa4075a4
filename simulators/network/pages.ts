import { html, type Html } from '../html.ts';
import type { Charge } from './records.ts';

interface Choice {
  testId: string;
  result: string;
  label: string;
  look: 'primary' | 'danger' | 'plain';
}

/** The issuer's challenge: a page that works without a script and asks for no card. */
export function challengePage(charge: Charge): Html {
  return choicePage({
    title: 'Confirm it is you',
    kicker: 'First Sandbox Bank',
    text: `Your bank asks you to confirm this card payment${charge.card ? ` with the card ending in ${charge.card.last4}` : ''}.`,
    charge,
    choices: [
      { testId: 'challenge-approve', result: 'approve', label: 'Confirm payment', look: 'primary' },
      { testId: 'challenge-fail', result: 'fail', label: 'Fail authentication', look: 'danger' },
      { testId: 'challenge-cancel', result: 'cancel', label: 'Go back without answering', look: 'plain' },
    ],
  });
}

export function walletPage(charge: Charge): Html {
  return choicePage({
    title: 'Pay with your wallet',
    kicker: 'Sandbox Wallet',
    text: 'Approve the payment to take it from your sandbox balance.',
    charge,
    choices: [
      { testId: 'wallet-approve', result: 'approve', label: 'Approve', look: 'primary' },
      { testId: 'wallet-decline', result: 'decline', label: 'Decline', look: 'danger' },
      { testId: 'wallet-cancel', result: 'cancel', label: 'Go back', look: 'plain' },
    ],
  });
}

/** Stands for the payer's bank: settles or rejects a pix. */
export function pixPage(charge: Charge): Html {
  return choicePage({
    title: 'Settle this pix',
    kicker: 'Sandbox Pix',
    text: 'In the sandbox this page stands for the bank of the payer.',
    charge,
    choices: [
      { testId: 'pix-settle', result: 'approve', label: 'Settle', look: 'primary' },
      { testId: 'pix-reject', result: 'decline', label: 'Reject', look: 'danger' },
    ],
  });
}

/** Shown when there is nothing left to do here. */
export function donePage(charge: Charge): Html {
  return page(
    'This step is done',
    html`<h1>This step is done</h1>
      <p>There is nothing more to do on this page.</p>
      <p>
        <a class="button primary" href="${charge.returnUrl}" data-testid="return">Return to the payment</a>
      </p>`,
  );
}

/** Shown for every address that leads nowhere, whatever the reason. */
export function neutralPage(): Html {
  return page(
    'Page not available',
    html`<h1>This page is not available</h1>
      <p>Go back to the shop to continue.</p>`,
  );
}

function choicePage(of: {
  title: string;
  kicker: string;
  text: string;
  charge: Charge;
  choices: Choice[];
}): Html {
  const buttons = of.choices.map(
    ({ testId, result, label, look }) =>
      html`<button class="button ${look}" name="result" value="${result}" data-testid="${testId}">
        ${label}
      </button>`,
  );
  return page(
    of.title,
    html`<p class="kicker">${of.kicker}</p>
      <h1>${of.title}</h1>
      <p class="amount">${dollars(of.charge.amountCents)}</p>
      <p>${of.text}</p>
      <form method="post">${joined(buttons)}</form>`,
  );
}

function page(title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="stylesheet" href="/assets/pages.css" />
      </head>
      <body>
        <main>
          ${content}
          <p class="note">Sandbox: no real money moves.</p>
        </main>
      </body>
    </html> `;
}

function joined(parts: Html[]): Html {
  return parts.reduce((all, part) => html`${all}${part}`, html``);
}

function dollars(amountCents: number): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(amountCents / 100);
}
