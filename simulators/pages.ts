import { html, type Html } from './html.ts';

export interface Choice {
  testId: string;
  result: string;
  label: string;
  look: 'primary' | 'danger' | 'plain';
}

/** The answers of an issuer's challenge. */
export const CHALLENGE_CHOICES: readonly Choice[] = [
  { testId: 'challenge-approve', result: 'approve', label: 'Confirm payment', look: 'primary' },
  { testId: 'challenge-fail', result: 'fail', label: 'Fail authentication', look: 'danger' },
  { testId: 'challenge-cancel', result: 'cancel', label: 'Go back without answering', look: 'plain' },
];

/** Returns the page of a finished step, which leads back to `returnUrl`. */
export function donePage(returnUrl: string): Html {
  return page(
    'This step is done',
    html`<h1>This step is done</h1>
      <p>There is nothing more to do on this page.</p>
      <p>
        <a class="button primary" href="${returnUrl}" data-testid="return">Return to the payment</a>
      </p>`,
  );
}

/** Returns the page for every invalid address. It does not name the reason. */
export function neutralPage(): Html {
  return page(
    'Page not available',
    html`<h1>This page is not available</h1>
      <p>Go back to the shop to continue.</p>`,
  );
}

/** Returns a page on which a customer chooses. It works without a script and does not request a card. */
export function choicePage(of: {
  title: string;
  kicker: string;
  text: string;
  amountCents: number;
  choices: readonly Choice[];
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
      <p class="amount">${dollars(of.amountCents)}</p>
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
