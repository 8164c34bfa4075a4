import { CardMark, cardBrandName } from '../card-marks/card-mark.tsx';
import type { WalletMark } from '../domain/connector.ts';
import type { PaymentMethod } from '../domain/statuses.ts';

/*
 * Drawn for this page, one unit per pixel at the usual size. The mark of Pix is the owner's outline from
 * Simple Icons 16.37 (CC0 1.0), with two decimals; it remains a trademark of its owner. Marks of card
 * networks: src/card-marks.
 */

const hidden = { 'aria-hidden': 'true', focusable: 'false' } as const;

/** A line drawing of 20 × 20 in the color of the text. */
function Line({ d, name }: { d: string; name?: string }) {
  return (
    <svg class={name === undefined ? 'icon' : `icon ${name}`} viewBox="0 0 20 20" {...hidden}>
      <path d={d} />
    </svg>
  );
}

export const BackIcon = () => <Line d="M12.5 4.5 7 10l5.5 5.5" />;
export const GlobeIcon = () => (
  <Line
    name="lock"
    d="M10 2.5a7.5 7.5 0 1 1 0 15 7.5 7.5 0 0 1 0-15zM2.5 10h15M10 2.5c4.4 4.7 4.4 10.3 0 15M10 2.5c-4.4 4.7-4.4 10.3 0 15"
  />
);
export const ChevronIcon = () => <Line name="chevron" d="m6 8 4 4 4-4" />;
export const LockIcon = () => <Line name="lock" d="M5 9h10v7.5H5zM7 9V6.5a3 3 0 0 1 6 0V9" />;
export const CopyIcon = () => <Line d="M7.5 7.5h8v8h-8zM12.5 4.5h-8v8" />;
export const PrintIcon = () => <Line d="M6 8V3.5h8V8M6 14H3.5V8h13v6H14M6 12h8v4.5H6z" />;

/** The marks of wallets, in their own colors. */
function WalletDrawing({ wallet }: { wallet: WalletMark }) {
  const drawings = {
    sandbox: (
      <>
        <rect width="24" height="24" rx="6" fill="#5b3df5" />
        <path fill="#fff" d="M5 9.5h14V17a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 5 17z" />
        <path fill="#cfc7ff" d="M5 9.5 15.2 5.3a1 1 0 0 1 1.3.5l1.5 3.7z" />
        <circle cx="15.7" cy="14" r="1.4" fill="#5b3df5" />
      </>
    ),
  } as const;
  return (
    <svg class="mark-own" viewBox="0 0 24 24" {...hidden}>
      {drawings[wallet]}
    </svg>
  );
}

export type EndKind = 'done' | 'time' | 'stop' | 'wait' | 'shop' | 'about';

/** The kind of an ending, as a symbol in a disc. */
export function EndIcon({ kind }: { kind: EndKind }) {
  const paths = {
    done: 'm12 20.5 5.5 5.5L28.5 14.5',
    time: 'M20 12v8.5l5.5 3.5',
    stop: 'm14 14 12 12M26 14 14 26',
    wait: 'M20 12v8.5l5.5 3.5',
    about: 'M20 19v9M20 12.5v.5',
    shop: 'M12 18v9h16v-9M10.5 18 13 12h14l2.5 6z',
  } as const;
  return (
    <svg class={`end end-${kind}`} viewBox="0 0 40 40" {...hidden}>
      <circle cx="20" cy="20" r="20" />
      <path d={paths[kind]} />
    </svg>
  );
}

/** The brands that every connector accepts, in a row of small cards. */
const shownBrands = ['visa', 'mastercard', 'amex'] as const;

/** The mark at the end of a method's row. */
export function MethodMark({ method, wallet }: { method: PaymentMethod; wallet: WalletMark | null }) {
  if (method === 'card') {
    return (
      <span class="marks">
        {shownBrands.map((brand) => (
          <CardMark key={brand} brand={brand} />
        ))}
        <span class="unseen">{shownBrands.map(cardBrandName).join(', ')}</span>
      </span>
    );
  }
  if (method === 'wallet' && wallet !== null) return <WalletDrawing wallet={wallet} />;
  return (
    <svg class={`mark mark-${method}`} viewBox="0 0 24 24" {...hidden}>
      {method === 'wallet' ? (
        <path d="M4.5 7.5v-1A2 2 0 0 1 6.5 4.5h10v3M4.5 7.5h14a1.5 1.5 0 0 1 1.5 1.5v9a1.5 1.5 0 0 1-1.5 1.5h-12a2 2 0 0 1-2-2zM20 11.5h-4a2 2 0 0 0 0 4h4" />
      ) : (
        <path d="M5.28 18.36a3.5 3.5 0 0 0 2.49-1.03l3.6-3.6a.68.68 0 0 1 .95 0l3.61 3.61a3.5 3.5 0 0 0 2.49 1.03h.71l-4.56 4.56a3.65 3.65 0 0 1-5.16 0L4.85 18.36ZM18.43 5.63a3.5 3.5 0 0 0-2.49 1.03l-3.61 3.61a.67.67 0 0 1-.95 0l-3.6-3.6A3.5 3.5 0 0 0 5.28 5.64h-.43l4.57-4.57a3.65 3.65 0 0 1 5.16 0l4.56 4.56ZM1.07 9.42L3.79 6.7h1.49a2.48 2.48 0 0 1 1.74.72l3.6 3.6a1.73 1.73 0 0 0 2.44 0l3.61-3.61a2.48 2.48 0 0 1 1.74-.72h1.77l2.74 2.74a3.65 3.65 0 0 1 0 5.16l-2.74 2.74h-1.77a2.48 2.48 0 0 1-1.74-.72l-3.61-3.61a1.77 1.77 0 0 0-2.44 0l-3.6 3.6a2.48 2.48 0 0 1-1.74.72H3.79l-2.72-2.72a3.65 3.65 0 0 1 0-5.16" />
      )}
    </svg>
  );
}
