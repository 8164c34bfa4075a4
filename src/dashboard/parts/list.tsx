import { texts } from '../texts/en.ts';
import { DayField, SearchForm } from './fields.tsx';
import { money } from './format.ts';
import { zoneOffset } from './days.ts';
import { Icon } from './icons.tsx';
import type { ColumnSort } from './table.tsx';
import type { ComponentChildren } from 'preact';
import type { Frame, ListPages } from './view.ts';

/** The link that downloads all pages of a list. */
export const CsvLink = ({ href }: { href: string }) => (
  <a class="btn" data-variant="outline" href={href} download data-testid="csv">
    <Icon of="download" />
    {texts.common.downloadCsv}
  </a>
);

/** The column heads that sort a list; null if it has no such order. */
export interface ListSorts {
  byAmount: ColumnSort;
  byTime: ColumnSort;
  byDue: ColumnSort | null;
}

/**
 * Fields of a search form that a phone folds. `used`: how many of them are filled in, or a text that names
 * what is chosen.
 */
export const MoreFilters = ({ used, children }: { used: number | string; children: ComponentChildren }) => (
  <>
    {/* On a phone it opens the fields after it; elsewhere they are always open. */}
    <details class="more-filters">
      <summary class="btn" data-variant="outline">
        {typeof used === 'string' ? used : texts.common.moreFilters(used)}
        <Icon of="more" />
      </summary>
    </details>
    <div class="folded-filters">{children}</div>
  </>
);

/** The filter of a list of refunds or disputes, as in its address. */
export interface ListFilter {
  status: string;
  sort: string;
  from: string;
  to: string;
}

/** Whether a filter leaves out no row. */
export const isUnfiltered = ({ status, from, to }: ListFilter): boolean =>
  [status, from, to].every((value) => value === '');

/** The days of a list. Its status and order stay as they are. */
export function DaysForm({
  action,
  filter: { status, sort, from, to },
}: {
  action: string;
  filter: ListFilter;
}) {
  return (
    <SearchForm action={action} searched={from !== '' || to !== ''} button={texts.common.apply}>
      {status === '' ? null : <input type="hidden" name="status" value={status} />}
      {sort === '' ? null : <input type="hidden" name="sort" value={sort} />}
      <MoreFilters used={[from, to].filter((value) => value !== '').length}>
        <DayField label={texts.payments.from} name="from" value={from} />
        <DayField label={texts.payments.to} name="to" value={to} />
      </MoreFilters>
    </SearchForm>
  );
}

/** The sums of a list by name, above its rows; a text explains why there are none. */
export const SumsLine = ({
  of: sums,
}: {
  of: readonly (readonly [name: string, cents: number])[] | string;
}) => (
  <div class="sums">
    {typeof sums === 'string' ? (
      <small class="quiet-text">{sums}</small>
    ) : (
      <dl data-testid="sums">
        {sums.map(([name, cents]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{money(cents)}</dd>
          </div>
        ))}
      </dl>
    )}
  </div>
);

/** One tab of a list, with the number of its rows; null if they are not counted. */
export interface Tab {
  label: string;
  href: string;
  isCurrent: boolean;
  rows: string | null;
}

/** Links to the tabs of a list. */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav class="flex gap-5 overflow-x-auto border-b [scrollbar-width:thin]" aria-label={label}>
    {tabs.map(({ label: name, href, isCurrent, rows }) => (
      <a class="list-tab" key={name} href={href} aria-current={isCurrent ? 'page' : undefined}>
        {name}
        {rows === null ? null : (
          <span class="badge text-muted-foreground" data-variant="secondary">
            {rows}
          </span>
        )}
      </a>
    ))}
  </nav>
);

/** Links to the previous and next page, with the range of rows on this page. */
export function ListFoot({ before, after, shown }: ListPages) {
  if (shown === null && before === null) return null;
  return (
    <nav class="pager" aria-label={texts.common.pages}>
      <span data-testid="shown">{shown}</span>
      {before === null ? null : (
        <a class="btn" data-variant="outline" href={before} rel="prev">
          {texts.common.newer}
        </a>
      )}
      {after === null ? null : (
        <a class="btn" data-variant="outline" href={after} rel="next">
          {texts.common.older}
        </a>
      )}
    </nav>
  );
}

/** Returns the head of a column of instants, with the zone in which they are shown. */
export const inZone = (head: string, { timeZone, nowMs }: Pick<Frame, 'timeZone' | 'nowMs'>) => ({
  head,
  zone: { name: timeZone, offset: zoneOffset(timeZone, nowMs) },
});
