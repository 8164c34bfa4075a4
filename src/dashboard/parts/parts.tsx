import type { ComponentChildren } from 'preact';
import { distance, instant, labelOf } from './format.ts';
import type { Frame, Notice } from './view.ts';

/** What was just done, or why it was not; read out when the page opens. */
export function NoticeLine({ notice }: { notice: Notice }) {
  return (
    <p class={`notice ${notice.kind}`} role={notice.kind === 'bad' ? 'alert' : 'status'}>
      {notice.text}
    </p>
  );
}

/**
 * An instant: in UTC as written, in the viewer's zone once the script ran, with UTC to hover over. `precise`:
 * to the second, where many stand together.
 */
export function Time({
  at,
  frame,
  precise = false,
}: {
  at: Date | string | null;
  frame?: Frame;
  precise?: boolean;
}) {
  if (at === null) return <span class="none">–</span>;
  const date = new Date(at);
  const text = instant(date, precise);
  return (
    <time
      dateTime={date.toISOString()}
      title={frame ? `${text}, ${distance(date, frame.nowMs)}` : text}
      data-local={precise ? 'seconds' : 'minutes'}
    >
      {text}
    </time>
  );
}

const tones: Readonly<Record<string, string>> = {
  paid: 'good',
  succeeded: 'good',
  delivered: 'good',
  won: 'good',
  enabled: 'good',
  active: 'good',
  pending: 'calm',
  processing: 'calm',
  underReview: 'calm',
  requiresAction: 'warn',
  needsResponse: 'warn',
  disputed: 'warn',
  failing: 'warn',
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

/** A status as a coloured word. */
export const Status = ({ of: status }: { of: string }) => (
  <span class={`status ${tones[status] ?? 'muted'}`}>{labelOf(status)}</span>
);

/** A part of a page with a title. */
export function Card({
  title,
  id,
  children,
  aside,
}: {
  title: string;
  /** Where an address of the page may lead to. */
  id?: string;
  children: ComponentChildren;
  aside?: ComponentChildren;
}) {
  return (
    <section class="card" id={id}>
      <div class="card-head">
        <h2>{title}</h2>
        {aside ?? null}
      </div>
      {children}
    </section>
  );
}

/** What to do where there is nothing yet. */
export const Empty = ({ children }: { children: ComponentChildren }) => <p class="empty">{children}</p>;

/** One column of a table. */
export interface Column<Row> {
  head: string;
  cell: (row: Row) => ComponentChildren;
  /** Numbers stand at the end. */
  end?: boolean;
}

/**
 * A table that turns into a list of cards on a phone. `brief`: of two lines each there, what leads on and the
 * amount first; for rows that are scanned, with cells that need no name.
 */
export function Table<Row>({
  label,
  columns,
  rows,
  rowKey,
  testId,
  brief = false,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  testId?: string;
  brief?: boolean;
}) {
  return (
    <div class={brief ? 'table brief' : 'table'} role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ head, end }) => (
              <th key={head} scope="col" class={end ? 'end' : undefined}>
                {head === '' ? <span class="unseen">Actions</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} data-testid={testId}>
              {columns.map((column) => (
                <Cell key={column.head} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<Row>({ column: { head, cell, end }, row }: { column: Column<Row>; row: Row }) {
  const content = cell(row);
  return (
    <td data-head={head} class={end ? 'end' : undefined}>
      {content === null ? null : <div>{content}</div>}
    </td>
  );
}

/** Names and values of one thing. */
export const Facts = ({
  of: facts,
}: {
  of: readonly (readonly [name: string, value: ComponentChildren])[];
}) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** A secret that is shown this once, to be copied. */
export function Secret({
  label,
  value,
  testId,
  many = false,
}: {
  label: string;
  value: string;
  testId: string;
  /** Whether it is several, one a line. */
  many?: boolean;
}) {
  return (
    <div class="secret">
      <p>
        <strong>{label}</strong>{' '}
        {many ? 'They are shown this once: keep them' : 'It is shown this once: keep it'} somewhere safe now.
      </p>
      <div class="copy">
        <code data-testid={testId}>{value}</code>
        <button type="button" class="quiet" data-copy={value} hidden>
          Copy
        </button>
      </div>
    </div>
  );
}

/** Links to the pages before and after. */
export function Pager({ before, after }: { before: string | null; after: string | null }) {
  if (before === null && after === null) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {before === null ? <span /> : <a href={before}>← Newer</a>}
      {after === null ? <span /> : <a href={after}>Older →</a>}
    </nav>
  );
}
