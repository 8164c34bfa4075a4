import { countListed, type CountedList, type ListCounts } from '../../db/server/sorted-lists.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import type { DashboardRoute } from '../route.ts';
import { texts } from '../texts/en.ts';
import type { Visit } from '../visit.ts';
import { addressWith } from './paging.ts';

/** What the mark of a list compares with the list of now. */
export interface ListNews {
  list: CountedList;
  /** The address of the list now. */
  url: string;
  /** The number of rows of the shown statuses. */
  total: number;
  version: string;
}

/** Returns a text that changes with the number of rows in any status. */
const versionOf = (counts: ListCounts): string =>
  Object.entries(counts)
    .filter(([, entries]) => entries > 0)
    .map((entry) => entry.join(':'))
    .toSorted()
    .join(' ');

/** Returns the state of a list; `statuses`: those that it shows, null for all. */
const stateOf = (counts: ListCounts, statuses: readonly string[] | null) => ({
  total: Object.entries(counts)
    .filter(([status]) => statuses === null || statuses.includes(status))
    .reduce((sum, [, entries]) => sum + entries, 0),
  version: versionOf(counts),
});

/**
 * Returns what the mark of a list needs. Null on other pages than the first one and with other filters than
 * the status: then the list is not counted as a whole.
 */
export function newsOf(
  visit: Visit,
  list: CountedList,
  counts: ListCounts | null,
  statuses: readonly string[] | null,
): ListNews | null {
  const others = [...visit.query.keys()].filter((name) => !['status', 'sort', 'done'].includes(name));
  if (counts === null || others.some((name) => visit.query.get(name) !== '')) return null;
  return { list, url: addressWith(visit, `/${list}/news`, { sort: '' }), ...stateOf(counts, statuses) };
}

/** The route with which a list notices new rows. Its cost is that of the counters of lists. ADR 0016. */
export const newsRoute = (
  { lists }: { lists: TenantReads },
  list: CountedList,
  statusesOf: (visit: Visit) => readonly string[] | null,
): DashboardRoute => ({
  method: 'GET',
  path: `/${list}/news`,
  permission: 'read',
  handle: async (visit) => {
    const counts = await lists.read(visit.tenant, (database) => countListed(database, list, visit.tenant));
    return stateOf(counts, statusesOf(visit));
  },
});

/** A mark that a list has new or changed rows, with a link that shows them. Script fills it. */
export const NewsMark = ({ of: news }: { of: ListNews | null }) =>
  news === null ? null : (
    <p
      class="news"
      role="status"
      data-news={news.url}
      data-total={news.total}
      data-is={news.version}
      data-one={texts.common.news[news.list].one}
      data-many={texts.common.news[news.list].many}
      data-changed={texts.common.news[news.list].changed}
    />
  );
