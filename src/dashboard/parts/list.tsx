import { texts } from '../texts/en.ts';
import { Icon } from './icons.tsx';
import type { ColumnSort } from './table.tsx';
import type { Frame, ListPages } from './view.ts';

/** Downloads what a list shows, all pages of it. */
export const CsvLink = ({ href }: { href: string }) => (
  <a class="button quiet" href={href} download data-testid="csv">
    <Icon of="download" />
    {texts.common.downloadCsv}
  </a>
);

/** The heads of a list that sort it. */
export interface ListSorts {
  byAmount: ColumnSort;
  byTime: ColumnSort;
}

/** One part of a list, with how many rows it has; null where they are not counted. */
export interface Tab {
  label: string;
  href: string;
  isCurrent: boolean;
  rows: string | null;
}

/** Links to the parts of a list. */
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

/** Links to the pages before and after, with the rows that this one shows. */
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

/** Returns the head of a column of instants, and the zone in which they are written. */
export const inZone = (head: string, { timeZone: zone }: Pick<Frame, 'timeZone'>) => ({ head, zone });
