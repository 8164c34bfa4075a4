import { texts } from '../texts/en.ts';
import { Icon } from './icons.tsx';
import type { ColumnSort } from './table.tsx';
import type { Frame, ListPages } from './view.ts';

/** The link that downloads all pages of a list. */
export const CsvLink = ({ href }: { href: string }) => (
  <a class="button quiet" href={href} download data-testid="csv">
    <Icon of="download" />
    {texts.common.downloadCsv}
  </a>
);

/** The column heads that sort a list. */
export interface ListSorts {
  byAmount: ColumnSort;
  byTime: ColumnSort;
}

/** One tab of a list, with the number of its rows; null if they are not counted. */
export interface Tab {
  label: string;
  href: string;
  isCurrent: boolean;
  rows: string | null;
}

/** Links to the tabs of a list. */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ label: name, href, isCurrent, rows }) => (
      <a key={name} href={href} aria-current={isCurrent ? 'page' : undefined}>
        {name}
        {rows === null ? null : <span class="tab-count">{rows}</span>}
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
        <a class="button quiet" href={before} rel="prev">
          {texts.common.newer}
        </a>
      )}
      {after === null ? null : (
        <a class="button quiet" href={after} rel="next">
          {texts.common.older}
        </a>
      )}
    </nav>
  );
}

/** Returns the head of a column of instants, with the zone in which they are shown. */
export const inZone = (head: string, { timeZone: zone }: Pick<Frame, 'timeZone'>) => ({ head, zone });
