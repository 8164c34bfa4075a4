import type { ComponentChildren } from 'preact';
import { texts } from '../texts/en.ts';
import { Icon } from './icons.tsx';

/** One column of a table. */
export interface Column<Row> {
  head: string;
  /**
   * The zone of a column of instants: its offset is in the head, its name in the tooltip. Omitted on a phone,
   * where every card repeats the head.
   */
  zone?: { name: string; offset: string };
  cell: (row: Row) => ComponentChildren;
  /** Aligns the column at the end, for numbers. */
  end?: boolean;
  /** Sorts the list by this column. */
  sort?: ColumnSort | undefined;
}

/** `href` leads to the order by this column. The current order is null if another column sorts the list. */
export interface ColumnSort {
  href: string;
  now: 'ascending' | 'descending' | null;
}

/**
 * A table, shown as a list of cards on a phone. `brief`: cards of two lines without column names, the link
 * and the amount first.
 */
export function Table<Row>({
  label,
  columns,
  rows,
  rowKey,
  total,
  testId,
  brief = false,
  isList = false,
  isSmall = false,
  onPhone,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** The row of their sum, below them. Its first cell is the head of that row. */
  total?: Row | undefined;
  testId?: string;
  brief?: boolean;
  /** Whether each row leads to its own page; the row's first link then covers the whole row. */
  isList?: boolean;
  /** Whether it fits on a phone as a table. */
  isSmall?: boolean;
  /** A special layout of its rows on a phone; only `totals` keeps the column names. */
  onPhone?: 'deliveries' | 'calls' | 'entries' | 'totals';
}) {
  const kinds = { brief, 'row-links': isList, small: isSmall };
  const chosen = Object.entries(kinds).flatMap(([kind, is]) => (is ? [kind] : []));
  const name = ['table-container', 'rows', ...chosen, ...(onPhone === undefined ? [] : [onPhone])].join(' ');
  return (
    <div class={name} role="region" aria-label={label} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            {columns.map(({ head, zone, end, sort }) => (
              <th
                key={head}
                scope="col"
                class={end ? 'end' : undefined}
                aria-sort={sort === undefined ? undefined : (sort.now ?? 'none')}
              >
                {head === '' ? (
                  <span class="sr-only">{texts.common.actions}</span>
                ) : sort === undefined ? (
                  <Head of={head} zone={zone} />
                ) : (
                  <SortLink head={<Head of={head} zone={zone} />} sort={sort} />
                )}
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
        {total === undefined ? null : (
          <tfoot>
            <tr data-testid={testId === undefined ? undefined : `${testId}-total`}>
              {columns.map((column, at) => (
                <Cell key={column.head} column={column} row={total} isHead={at === 0} />
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

/** The head of a column, with the zone in which its instants are shown. */
const Head = ({ of: head, zone }: { of: string; zone: Column<never>['zone'] }) =>
  zone === undefined ? (
    <>{head}</>
  ) : (
    <span class="nowrap" title={zone.name}>
      {texts.common.inZone(head, zone.offset)}
    </span>
  );

/** Prevents a line break between the name of a column and its arrow. */
const wordJoiner = '\u2060';

const SortLink = ({ head, sort }: { head: ComponentChildren; sort: ColumnSort }) => (
  <a class={sort.now === null ? 'sort' : 'sort sorted'} href={sort.href}>
    {head}
    {wordJoiner}
    <Icon of={sort.now === null ? 'sort' : sort.now === 'ascending' ? 'up' : 'down'} />
  </a>
);

function Cell<Row>({
  column: { head, cell, end },
  row,
  isHead = false,
}: {
  column: Column<Row>;
  row: Row;
  isHead?: boolean;
}) {
  const content = cell(row);
  if (isHead) return <th scope="row">{content}</th>;
  return (
    <td data-head={head} class={end ? 'end' : undefined}>
      {content === null ? null : <div>{content}</div>}
    </td>
  );
}
