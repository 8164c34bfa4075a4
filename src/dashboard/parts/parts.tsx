import { type ComponentChildren, Fragment } from 'preact';
import { texts } from '../texts/en.ts';
import { clockTime, count, distance, instant, labelOf, shortInstant } from './format.ts';
import { Icon } from './icons.tsx';
import type { CursorPages, Frame, Notice } from './view.ts';

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
  <span class={`badge status ${tones[status] ?? 'muted'}`} data-variant="secondary">
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

/** A secret to copy, shown once. */
export function Secret({
  label,
  value,
  testId,
  many = false,
}: {
  label: string;
  value: string;
  testId: string;
  /** Whether there are several secrets, one per line. */
  many?: boolean;
}) {
  return (
    <div class="secret">
      <p>
        <strong>{label}</strong> {many ? texts.common.copyAllNow : texts.common.copyNow}
      </p>
      <div class="copy">
        <code data-testid={testId}>{value}</code>
        <button
          type="button"
          class="btn"
          data-variant="outline"
          data-copy={value}
          data-copied={texts.common.copied}
          data-copy-failed={texts.common.copyFailed}
          hidden
        >
          {texts.common.copy}
        </button>
      </div>
    </div>
  );
}

/** A value with a copy button, which the script shows. */
export const Copied = ({ value, children }: { value: string; children: ComponentChildren }) => (
  <div class="copied">
    <span>{children}</span>
    <button
      type="button"
      class="btn text-muted-foreground"
      data-variant="ghost"
      data-size="xs"
      data-copy={value}
      data-copied={texts.common.copied}
      data-copy-failed={texts.common.copyFailed}
      title={texts.common.copy}
      hidden
    >
      <Icon of="copy" />
      <span class="sr-only">{texts.common.copy}</span>
    </button>
  </div>
);

/** A link to another page of a list; an empty element if there is none. */
const PageLink = ({ href, rel, label }: { href: string | null; rel: 'prev' | 'next'; label: string }) =>
  href === null ? (
    <span />
  ) : (
    <a class="btn" data-variant="outline" href={href} rel={rel}>
      {label}
    </a>
  );

/** Links to the previous and next page. */
export function Pager({ before, after }: { before: string | null; after: string | null }) {
  if (before === null && after === null) return null;
  return (
    <nav class="pager" aria-label={texts.common.pages}>
      <PageLink href={before} rel="prev" label={texts.common.newer} />
      <PageLink href={after} rel="next" label={texts.common.older} />
    </nav>
  );
}

/** Links of a list that is read by cursor. */
export function CursorPager({ first, next }: CursorPages) {
  if (first === null && next === null) return null;
  return (
    <nav class="pager" aria-label={texts.common.pages}>
      <PageLink href={first} rel="prev" label={texts.common.newest} />
      <PageLink href={next} rel="next" label={texts.common.next} />
    </nav>
  );
}
