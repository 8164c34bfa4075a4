import {
  type ListSpan,
  type ListState,
  type WatchedList,
  watchedFrom,
} from '../../db/server/watched-lists.ts';
import type { Queryable } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import type { DashboardRoute } from '../route.ts';
import { texts } from '../texts/en.ts';
import type { Visit } from '../visit.ts';
import { addressWith, pageOf } from './paging.ts';

/** A list as its address filters it. `stateOf` reads the state of the rows of a span. */
export interface FilteredList {
  list: WatchedList;
  span: ListSpan;
  stateOf: (database: Queryable, span: ListSpan) => Promise<ListState>;
}

/** The watched rows of a list. */
export interface WatchedRows extends ListState {
  /** The creation from which on they are watched; null for all rows of the list. */
  since: Date | null;
}

/** What the mark of a list compares with the list of now. */
export interface ListNews extends ListState {
  list: WatchedList;
  /** The address of the state of now. */
  url: string;
}

const spanSince = (span: ListSpan, since: Date | null): ListSpan =>
  since === null ? span : { ...span, from: since };

/**
 * Returns the state of the rows that the mark of a list watches. It is read before the rows of the page, so
 * that no row is missed that appears between. Null on other pages than the first one.
 */
export async function readWatched(
  database: Queryable,
  visit: Visit,
  { list, span, stateOf }: FilteredList,
): Promise<WatchedRows | null> {
  if (pageOf(visit) > 1) return null;
  const since = await watchedFrom(database, list, visit.tenant, span);
  return { since, ...(await stateOf(database, spanSince(span, since))) };
}

/** Returns what the mark of a list needs; `also`: further parameters of its address. */
export function newsOf(
  visit: Visit,
  list: WatchedList,
  watched: WatchedRows | null,
  also: Readonly<Record<string, string>> = {},
): ListNews | null {
  if (watched === null) return null;
  const { since, ...state } = watched;
  const from = since === null ? '' : String(since.getTime());
  return { list, url: addressWith(visit, `/${list}/news`, { sort: '', ...also, since: from }), ...state };
}

/** Returns the creation from which on an address watches rows; null for all rows. */
function sinceOf({ query }: Visit): Date | null {
  const given = query.get('since') ?? '';
  return /^\d{1,15}$/.test(given) ? new Date(Number(given)) : null;
}

/** The route with which a list notices new and changed rows. For its cost see db/server/watched-lists.ts. */
export const newsRoute = (
  { lists }: { lists: TenantReads },
  list: WatchedList,
  filteredBy: (visit: Visit) => FilteredList,
): DashboardRoute => ({
  method: 'GET',
  path: `/${list}/news`,
  permission: 'read',
  handle: (visit) => {
    const { span, stateOf } = filteredBy(visit);
    return lists.read(visit.tenant, (database) => stateOf(database, spanSince(span, sinceOf(visit))));
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
