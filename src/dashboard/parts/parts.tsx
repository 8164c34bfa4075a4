import { entryNamed } from '../../domain/entry-named.ts';
import { type ComponentChildren, Fragment } from 'preact';
import { texts } from '../texts/en.ts';
import { clockTime, count, distance, instant, labelOf, shortInstant } from './format.ts';
import { Icon } from './icons.tsx';
import type { Frame, Notice } from './view.ts';

/** The result of a form. Screen readers announce it when the page opens. */
export function NoticeLine({ notice }: { notice: Notice }) {
  return (
    <p class={`alert notice ${notice.kind}`} role={notice.kind === 'bad' ? 'alert' : 'status'}>
      {notice.text}
    </p>
  );
}

/**
 * The result of a form, shown above the page. It gets the focus, and disappears once the member does
 * something else; without script it stays until the next page.
 */
export const Toast = ({ text }: { text: string }) => (
  <div class="toaster print:hidden" data-align="center">
    <div class="toast" role="status" tabIndex={-1} data-toast data-testid="toast">
      <div class="toast-content text-sm">
        <Icon of="done" />
        <section>
          <p class="break-normal text-foreground">{text}</p>
        </section>
        <footer>
          <button
            type="button"
            class="btn"
            data-variant="ghost"
            data-size="icon-sm"
            data-dismiss
            hidden
            aria-label={texts.common.dismiss}
          >
            <Icon of="dismiss" />
          </button>
        </footer>
      </div>
    </div>
  </div>
);

/**
 * An instant in the merchant's time zone. The tooltip names the zone and the distance from now. `precise`:
 * with seconds. `recent`: short, as in lists, and within a day as a distance such as `2 hours ago`. `clock`:
 * without its day, which is known.
 */
export function Time({
  at,
  frame,
  precise = false,
  recent = false,
  clock = false,
}: {
  at: Date | string | null;
  frame: Pick<Frame, 'nowMs' | 'timeZone'>;
  precise?: boolean;
  recent?: boolean;
  clock?: boolean;
}) {
  if (at === null) return <None />;
  const date = new Date(at);
  const { nowMs, timeZone } = frame;
  const written = clock
    ? clockTime(date, timeZone, precise)
    : recent
      ? shortInstant(date, timeZone, nowMs)
      : instant(date, timeZone, precise);
  const isRecent = recent && Math.abs(nowMs - date.getTime()) < dayMs;
  return (
    <time
      dateTime={date.toISOString()}
      title={texts.common.timeAndDistance(instant(date, timeZone, true), timeZone, distance(date, nowMs))}
    >
      {isRecent ? distance(date, nowMs) : written}
    </time>
  );
}

const dayMs = 86_400_000;

/** Shown in place of a missing value. */
export const None = () => <span class="none">{texts.common.none}</span>;

const tones: Readonly<Record<string, string>> = {
  paid: 'good',
  succeeded: 'good',
  delivered: 'good',
  complete: 'good',
  won: 'good',
  enabled: 'good',
  active: 'good',
  pending: 'calm',
  processing: 'calm',
  running: 'calm',
  underReview: 'calm',
  requiresAction: 'warn',
  needsResponse: 'warn',
  disputed: 'warn',
  failing: 'warn',
  retrying: 'warn',
  incomplete: 'warn',
  refunded: 'muted',
  partiallyRefunded: 'muted',
  canceled: 'muted',
  expired: 'muted',
  revoked: 'muted',
  disabled: 'bad',
  failed: 'bad',
  declined: 'bad',
  lost: 'bad',
  voided: 'muted',
};

/** A status as a colored word. */
export const Status = ({ of: status }: { of: string }) => (
  <span class={`badge status ${entryNamed(tones, status) ?? 'muted'}`} data-variant="secondary">
    {labelOf(status)}
  </span>
);

/** A part of a page with a title. */
export function Card({
  title,
  id,
  children,
  aside,
}: {
  title: string;
  /** The id to which the fragment of an address points. */
  id?: string;
  children: ComponentChildren;
  aside?: ComponentChildren;
}) {
  return (
    <section class="card" id={id}>
      <header class="card-head">
        <h2>{title}</h2>
        {aside ?? null}
      </header>
      <section class="stack">{children}</section>
    </section>
  );
}

/** A part of a page that is folded until the member opens it, with the number of its rows. */
export const Fold = ({
  title,
  rows,
  aside,
  children,
}: {
  title: string;
  rows: number;
  /** A summary of its rows, shown while it is folded. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}) => (
  <details class="card fold">
    <summary>
      <h2>{title}</h2> <span class="quiet-text">{count(rows)}</span>
      {aside ?? null}
    </summary>
    {children}
  </details>
);

/**
 * A part of a page that only a phone folds. `state` says in the summary what is inside. `isOpen`: whether it
 * begins open.
 */
export const PhoneFold = ({
  title,
  state,
  isOpen = false,
  children,
}: {
  title: string;
  state: ComponentChildren;
  isOpen?: boolean;
  children: ComponentChildren;
}) => (
  <>
    {/* On a phone it opens the element after it; elsewhere that element is always shown. */}
    <details class="fold phone-fold" open={isOpen}>
      <summary>
        <span>{title}</span>
        <span class="quiet-text">{state}</span>
      </summary>
    </details>
    <div class="phone-folded">{children}</div>
  </>
);

/** Shown in place of an empty list, with what to do. */
export const Empty = ({ children }: { children: ComponentChildren }) => (
  <div class="empty p-6">
    <header>
      <p>{children}</p>
    </header>
  </div>
);

/** Names and values. A fact whose value is null is left out. */
export const Facts = ({
  of: facts,
  isOne = false,
  isPairs = false,
}: {
  /** Whether the facts stand in one column. */
  isOne?: boolean;
  /** Whether two short facts stand in a line. */
  isPairs?: boolean;
  of: readonly (readonly [name: string, value: ComponentChildren])[];
}) => (
  <dl class={isOne ? 'facts one' : isPairs ? 'facts pairs' : 'facts'}>
    {facts.map(([name, value]) =>
      value === null ? null : (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
);

/** An e-mail address or a URL that breaks after "@" and "/" where it does not fit in its line. */
export const Address = ({ of: address }: { of: string }) => (
  <>
    {address.split(/(?<=[@/])(?=[^/])/).map((part, index) => (
      <Fragment key={index}>
        {index === 0 ? null : <wbr />}
        {part}
      </Fragment>
    ))}
  </>
);
