import { renderToString } from 'preact-render-to-string';
import type { FrameFile } from './files.ts';
import { type FrameLocale, frameLocale } from './texts.ts';

/**
 * The release of Stripe.js that matches the connector's API version (src/providers/stripe/client.ts). Stripe
 * changes it in place, so it has no hash here. docs/checkout/scripts.json.
 */
export const stripeRelease = 'endive';

/** The values that the wallets' buttons show. */
export interface WalletButtons {
  /** The merchant's key for browsers, which may only make payment methods. */
  publishableKey: string;
  /** Integer US cents. */
  amountCents: number;
  locale: FrameLocale;
  /** Null for the customer's own theme. */
  theme: 'light' | 'dark' | null;
  /** The embedding shop's choice; null for the page's own. */
  radius: 'none' | 'small' | 'large' | null;
}

/**
 * Returns the values in the query of the frame's address (`key`, `amount`, `locale`, `theme?`, `radius?`);
 * null if it is malformed.
 */
export function readWalletQuery(query: URLSearchParams): WalletButtons | null {
  const publishableKey = query.get('key') ?? '';
  const amount = query.get('amount') ?? '';
  if (!/^pk_(test|live)_[A-Za-z0-9]{8,250}$/.test(publishableKey) || !/^[1-9]\d{0,8}$/.test(amount))
    return null;
  const chosen = <Known extends string>(name: string, known: readonly Known[]): Known | null =>
    known.find((one) => one === query.get(name)) ?? null;
  return {
    publishableKey,
    amountCents: Number(amount),
    locale: frameLocale(query.get('locale')),
    theme: chosen('theme', ['light', 'dark']),
    radius: chosen('radius', ['none', 'small', 'large']),
  };
}

/**
 * Returns the HTML of the wallets' buttons. `parent`: origin of the page that frames them. Stripe.js is on
 * this page only, which has an origin of its own and no card field. ADR 0068.
 */
export function renderWalletPage(
  { parent, stripeUrl, ...buttons }: WalletButtons & { parent: string; stripeUrl: string },
  files: { script: FrameFile; style: FrameFile },
): string {
  return `<!doctype html>${renderToString(
    <html lang={buttons.locale} data-theme={buttons.theme ?? undefined}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Apple Pay, Google Pay</title>
        <link rel="stylesheet" href={files.style.versionedPath} integrity={files.style.integrity} />
        <script src={`${stripeUrl}/${stripeRelease}/stripe.js`} defer />
        <script src={files.script.versionedPath} integrity={files.script.integrity} defer />
      </head>
      <body>
        <main
          id="wallets"
          data-parent={parent}
          data-key={buttons.publishableKey}
          data-amount={String(buttons.amountCents)}
          data-radius={buttons.radius ?? undefined}
        />
      </body>
    </html>,
  )}`;
}
