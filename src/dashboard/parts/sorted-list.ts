import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import {
  type ListOrder,
  maxSummedRows,
  readSortedPage,
  readSortedRows,
  type SortedPage,
} from '../../db/server/sorted-lists.ts';
import { readListState } from '../../db/server/watched-lists.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { Refusal } from '../../domain/refusals.ts';
import { createConcurrencyLimit } from '../../operations/concurrency-limit.ts';
import { csvOfRows } from '../../operations/lists-csv.ts';
import type { DashboardRoute } from '../route.ts';
import { redirectTo, type Visit } from '../visit.ts';
import { count, labelOf } from './format.ts';
import type { ListSorts, Tab } from './list.tsx';
import { spanOf } from './days.ts';
import { addressWith, choiceOf, ignoredFilters, listPages, pageOf, perListPage } from './paging.ts';
import { type FilteredList, newsOf, newsRoute, readWatched } from './list-news.tsx';
import type { ColumnSort } from './table.tsx';
import { texts } from '../texts/en.ts';
import type { Notice } from './view.ts';

/** The properties of a list of refunds or disputes. */
export interface SortedList {
  list: 'refunds' | 'disputes';
  columns: string;
  statuses: readonly string[];
  /** The order if the address names none. */
  first: ListOrder;
  csvColumns: readonly string[];
}

const orders = ['newest', 'oldest', 'largest', 'smallest'] as const satisfies ListOrder[];

/** Returns the orders that the address of a list may name. */
const ordersOf = ({ first }: SortedList): readonly ListOrder[] =>
  first === 'due' ? [...orders, 'due'] : orders;

/** Returns the valid days or instants in the address, and the span between them. */
function daysOf({ query, frame }: Visit) {
  const given = (name: string): string => query.get(name) ?? '';
  const [first, last] = [spanOf(given('from'), frame.timeZone), spanOf(given('to'), frame.timeZone)];
  return {
    days: { from: first === null ? '' : given('from'), to: last === null ? '' : given('to') },
    span: { from: first?.start ?? null, until: last?.end ?? null },
  };
}

/** Returns the notice for an address that is partly invalid; null for a valid one. */
function noticeOf(visit: Visit, list: SortedList): Notice | null {
  const ignored = ignoredFilters(visit, { status: list.statuses, sort: ordersOf(list) }, ['from', 'to']);
  if (ignored !== null) return ignored;
  const { from, until } = daysOf(visit).span;
  const isEmpty = from !== null && until !== null && from >= until;
  return isEmpty ? { kind: 'bad', text: texts.payments.fromAfterTo } : null;
}

/** Reads the page that an address names, with its tabs, its page links and the links of its column heads. */
export async function readList(lists: TenantReads, visit: Visit, list: SortedList) {
  const status = choiceOf(visit, 'status', list.statuses);
  const sort = choiceOf(visit, 'sort', ordersOf(list));
  const order = sort === '' ? list.first : sort;
  const page = pageOf(visit);
  const { days, span } = daysOf(visit);
  const { watched, ...found } = await lists.read(visit.tenant, async (database) => ({
    watched: await readWatched(database, visit, filteredBy(visit, list)),
    ...(await readSortedPage(database, list, visit.tenant, {
      status: status === '' ? null : status,
      ...span,
      order,
      offset: (page - 1) * perListPage,
      limit: perListPage,
    })),
  }));
  const path = `/${list.list}`;
  const sorts = (down: ListOrder, up: ListOrder): ColumnSort => ({
    href: addressWith(visit, path, { sort: order === down ? up : down }),
    now: order === down ? 'descending' : order === up ? 'ascending' : null,
  });
  return {
    rows: found.rows,
    filter: { status, sort, ...days },
    sums: found.sums ?? texts.common.tooManySums(count(maxSummedRows)),
    pages: listPages(visit, path, { page, rows: found.rows.length, total: found.total }),
    tabs: tabsOf(visit, list, status, found),
    sorts: {
      byAmount: sorts('largest', 'smallest'),
      byTime: sorts('newest', 'oldest'),
      byDue:
        list.first === 'due'
          ? { href: addressWith(visit, path, { sort: '' }), now: order === 'due' ? 'ascending' : null }
          : null,
    } satisfies ListSorts,
    news: newsOf(visit, list.list, watched),
    notice: noticeOf(visit, list),
    csv: addressWith(visit, `${path}.csv`, {}),
  };
}

function tabsOf(visit: Visit, { list, statuses }: SortedList, current: string, found: SortedPage): Tab[] {
  const all = Object.values(found.counts).reduce((sum, entries) => sum + entries, 0);
  return ['', ...statuses].map((status) => ({
    label: status === '' ? texts.common.all : labelOf(status),
    href: addressWith(visit, `/${list}`, { status }),
    isCurrent: status === current,
    rows: count(status === '' ? all : (found.counts[status] ?? 0)),
  }));
}

/** Returns a list as an address filters it, for its mark. */
function filteredBy(visit: Visit, { list, statuses }: SortedList): FilteredList {
  const status = choiceOf(visit, 'status', statuses);
  const { from, until } = daysOf(visit).span;
  return {
    list,
    span: { from: from ?? undefined, until: until ?? undefined },
    stateOf: (database, span) =>
      readListState(database, list, visit.tenant, { ...span, status: status === '' ? null : status }),
  };
}

/** The route with which the list notices new rows. */
export const listNewsRoute = (deps: { lists: TenantReads }, list: SortedList): DashboardRoute =>
  newsRoute(deps, list.list, (visit) => filteredBy(visit, list));

const csvLimit = createConcurrencyLimit({ all: 10, each: 2 });
/** The number of rows that are read, and held in memory, at a time. */
const chunk = 500;

/** Sends all pages of the address's list as CSV. An invalid filter redirects to the page. */
export async function sendListCsv(lists: TenantReads, visit: Visit, list: SortedList): Promise<FastifyReply> {
  const status = choiceOf(visit, 'status', list.statuses);
  if (noticeOf(visit, list) !== null) {
    return redirectTo(visit, `/${list.list}?${visit.query.toString()}`);
  }
  const leave = csvLimit.take(visit.tenant.merchantId);
  if (leave === null) throw new Refusal('rate_limited', { retryAfterSeconds: 5 });
  const lines = async function* (): AsyncGenerator<string> {
    for (let offset = 0; ; offset += chunk) {
      const at = offset;
      const rows = await lists.read(visit.tenant, (database) =>
        // Oldest first, so that a row added meanwhile moves no other row.
        readSortedRows(database, list, visit.tenant, {
          status: status === '' ? null : status,
          ...daysOf(visit).span,
          order: 'oldest',
          offset: at,
          limit: chunk,
        }),
      );
      yield csvOfRows(list.csvColumns, rows as Record<string, unknown>[], at === 0);
      if (rows.length < chunk) return;
    }
  };
  const stream = Readable.from(lines(), { highWaterMark: 1 });
  stream.once('close', leave);
  if (visit.reply.raw.destroyed) stream.destroy();
  return visit.reply
    .type('text/csv; charset=utf-8; header=present')
    .header('Content-Disposition', `attachment; filename="${list.list}.csv"`)
    .send(stream);
}
