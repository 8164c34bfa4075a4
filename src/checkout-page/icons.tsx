import type { ComponentChildren } from 'preact';
import type { PaymentMethod } from '../domain/statuses.ts';

/*
 * Drawn for this page, one unit per pixel at the usual size. Brand marks show which cards are accepted. The
 * marks of Visa and Pix are the owners' outlines from Simple Icons 16.37 (CC0 1.0), with two decimals.
 * Mastercard's circles have the proportions of its guidelines. American Express is a simple likeness, because
 * its outline alone would be a twentieth of the page's weight. The marks remain trademarks of their owners.
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

export type EndKind = 'done' | 'time' | 'stop' | 'wait' | 'shop';

/** The kind of an ending, as a symbol in a disc. */
export function EndIcon({ kind }: { kind: EndKind }) {
  const paths = {
    done: 'm12 20.5 5.5 5.5L28.5 14.5',
    time: 'M20 12v8.5l5.5 3.5',
    stop: 'm14 14 12 12M26 14 14 26',
    wait: 'M20 12v8.5l5.5 3.5',
    shop: 'M12 18v9h16v-9M10.5 18 13 12h14l2.5 6z',
  } as const;
  return (
    <svg class={`end end-${kind}`} viewBox="0 0 40 40" {...hidden}>
      <circle cx="20" cy="20" r="20" />
      <path d={paths[kind]} />
    </svg>
  );
}

/** The accepted brands, in a row of small cards. */
export const brandMarks: Readonly<Record<string, { label: string; mark: () => ComponentChildren }>> = {
  visa: {
    label: 'Visa',
    mark: () => (
      <>
        <rect class="plate" width="34" height="22" rx="3.5" />
        <path
          fill="#1434cb"
          transform="translate(4.04 -1.97) scale(1.08)"
          d="M9.11 8.26L5.97 15.76H3.92L2.37 9.78c-.09-.37-.17-.5-.46-.66C1.45 8.86.68 8.63 0 8.48l.05-.22h3.3a.9.9 0 0 1 .89.76l.82 4.34 2.02-5.1zm8.03 5.05c.01-1.98-2.74-2.09-2.72-2.97 .01-.27.26-.56.82-.63a3.66 3.66 0 0 1 1.91.34l.34-1.59a5.21 5.21 0 0 0-1.81-.33c-1.92 0-3.27 1.02-3.28 2.48-.01 1.08.96 1.68 1.7 2.04 .76.37 1.01.6 1.01.93-.01.5-.6.72-1.16.73-.97.01-1.54-.26-1.99-.47l-.35 1.64c.45.21 1.29.39 2.16.4 2.04 0 3.37-1.01 3.38-2.56m5.06 2.45H24l-1.56-7.5h-1.66a.88.88 0 0 0-.83.55l-2.91 6.95h2.04l.41-1.12h2.49zm-2.16-2.66l1.02-2.81 .59 2.81zm-8.16-4.84l-1.6 7.5H8.34l1.6-7.5z"
        />
      </>
    ),
  },
  mastercard: {
    label: 'Mastercard',
    mark: () => (
      <>
        <rect class="plate" width="34" height="22" rx="3.5" />
        <circle cx="12.8" cy="11" r="6" fill="#eb001b" />
        <circle cx="21.2" cy="11" r="6" fill="#f79e1b" />
        <path fill="#ff5f00" d="M17 6.715a6 6 0 0 1 0 8.57 6 6 0 0 1 0-8.57z" />
      </>
    ),
  },
  amex: {
    label: 'American Express',
    mark: () => (
      <>
        <rect width="34" height="22" rx="3.5" fill="#006fcf" />
        <path
          fill="#fff"
          d="M6.4 7.5 3.8 14.5h1.7l.4-1.2h2.4l.4 1.2h1.8L7.9 7.5zm.7 1.9.7 2.4H6.4zM11.2 7.5v7h1.6V10l1.5 4.5h1.2L17 10v4.5h1.6v-7h-2.3L14.9 12l-1.4-4.5zM19.7 7.5v7h4.7v-1.5h-3.1v-1.3h3v-1.5h-3V9h3.1V7.5zM24.6 7.5l2 3.5-2.1 3.5h1.8l1.2-2.2 1.2 2.2h1.9l-2.1-3.5 2-3.5h-1.8l-1.2 2.2-1.1-2.2z"
        />
      </>
    ),
  },
};

export function BrandMark({ brand }: { brand: string }) {
  const known = brandMarks[brand];
  if (!known) return null;
  return (
    <svg class="brand" viewBox="0 0 34 22" {...hidden}>
      {known.mark()}
    </svg>
  );
}

/** The mark at the end of a method's row. */
export function MethodMark({ method }: { method: PaymentMethod }) {
  if (method === 'card') {
    return (
      <span class="marks">
        {Object.keys(brandMarks).map((brand) => (
          <BrandMark key={brand} brand={brand} />
        ))}
        <span class="unseen">
          {Object.values(brandMarks)
            .map(({ label }) => label)
            .join(', ')}
        </span>
      </span>
    );
  }
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
