import type { ComponentChildren } from 'preact';
import type { PaymentMethod } from '../domain/statuses.ts';

/*
 * Drawn here, one unit a pixel at the usual size. Marks of brands show which cards are accepted; they are
 * simple likenesses of our own, not the brands' artwork.
 */

const hidden = { 'aria-hidden': 'true', focusable: 'false' } as const;

/** A line drawing of 20 × 20 in the colour of the text. */
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

/** The kind of an ending, as a sign in a disc. */
export function EndIcon({ kind }: { kind: 'done' | 'time' | 'stop' | 'wait' | 'shop' }) {
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
          fill="#1a2d8f"
          d="m7 7.5 2.6 7.5h1.9l3.1-7.5h-2l-1.9 5.2L9 7.5zM15.3 7.5 14 15h1.9l1.3-7.5zM21.6 7.4c-2 0-3.2 1-3.2 2.4 0 2.1 2.9 2.2 2.9 3.2 0 .5-.5.8-1.2.8-.8 0-1.5-.3-2-.6l-.4 1.4c.6.4 1.5.6 2.3.6 2 0 3.2-1 3.2-2.5 0-2-2.8-2.1-2.8-3.1 0-.5.5-.8 1.2-.8.7 0 1.2.2 1.6.4l.4-1.4c-.5-.2-1.2-.4-2-.4zM26.6 7.5 23.4 15h1.9l.5-1.3h2.3l.3 1.3h1.7l-1.5-7.5zm.5 2 .6 2.7h-1.5z"
        />
      </>
    ),
  },
  mastercard: {
    label: 'Mastercard',
    mark: () => (
      <>
        <rect class="plate" width="34" height="22" rx="3.5" />
        <circle cx="13.5" cy="11" r="6" fill="#e5233d" />
        <circle cx="20.5" cy="11" r="6" fill="#f6a01a" />
        <path fill="#f26122" d="M17 6.1a6 6 0 0 1 0 9.8 6 6 0 0 1 0-9.8z" />
      </>
    ),
  },
  amex: {
    label: 'American Express',
    mark: () => (
      <>
        <rect width="34" height="22" rx="3.5" fill="#1f72cd" />
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

/** The mark at the end of the row of a method. */
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
        <path d="M12 2.2a3 3 0 0 1 2.1.9l6.8 6.8a3 3 0 0 1 0 4.2l-6.8 6.8a3 3 0 0 1-4.2 0l-6.8-6.8a3 3 0 0 1 0-4.2l6.8-6.8A3 3 0 0 1 12 2.2zm0 5.6L9.3 10.5a2 2 0 0 1-1.4.6H6v1.8h1.9a2 2 0 0 1 1.4.6L12 16.2l2.7-2.7a2 2 0 0 1 1.4-.6H18v-1.8h-1.9a2 2 0 0 1-1.4-.6z" />
      )}
    </svg>
  );
}
