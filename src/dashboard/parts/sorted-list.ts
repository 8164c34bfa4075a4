import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type ListOrder, readSortedPage, type SortedPage } from '../../db/server/sorted-lists.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { Refusal } from '../../domain/refusals.ts';
import { createConcurrencyLimit } from '../../operations/concurrency-limit.ts';
import { csvOfRows } from '../../operations/lists-csv.ts';
import { redirectTo, type Visit } from '../visit.ts';
import { count, labelOf } from './format.ts';
import type { Tab } from './list.tsx';
import { spanOf } from './days.ts';
import { addressWith, choiceOf, ignoredFilters, listPages, pageOf, perListPage } from './paging.ts';
import type { ColumnSort } from './table.tsx';
import { texts } from '../texts/en.ts';

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

/** Returns the span between the days or instants in the address. */
function daysOf({ query, frame }: Visit): { from: Date | null; until: Date | null } {
  const span = (name: string) => spanOf(query.get(name) ?? '', frame.timeZone);
  return { from: span('from')?.start ?? null, until: span('to')?.end ?? null };
}

/** Reads the page that an address names, with its tabs, its page links and the links of its column heads. */
export async function readList(lists: TenantReads, visit: Visit, list: SortedList) {
  const status = choiceOf(visit, 'status', list.statuses);
  const sort = choiceOf(visit, 'sort', orders);
  const order = sort === '' ? list.first : sort;
  const page = pageOf(visit);
  const found = await lists.read(visit.tenant, (database) =>
    readSortedPage(database, list, visit.tenant, {
      status: status === '' ? null : status,
      ...daysOf(visit),
      order,
      offset: (page - 1) * perListPage,
      limit: perListPage,
    }),
  );
  const path = `/${list.list}`;
  const sorts = (down: ListOrder, up: ListOrder): ColumnSort => ({
    href: addressWith(visit, path, { sort: order === down ? up : down }),
    now: order === down ? 'descending' : order === up ? 'ascending' : null,
  });
  return {
    rows: found.rows,
    status,
    pages: listPages(visit, path, { page, rows: found.rows.length, total: found.total }),
    tabs: tabsOf(visit, list, status, found),
    sorts: { byAmount: sorts('largest', 'smallest'), byTime: sorts('newest', 'oldest') },
    notice: ignoredFilters(visit, { status: list.statuses, sort: orders }),
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

const csvLimit = createConcurrencyLimit({ all: 10, each: 2 });
/** The number of rows that are read, and held in memory, at a time. */
const chunk = 500;

/** Sends all pages of the address's list as CSV. An invalid filter redirects to the page. */
export async function sendListCsv(lists: TenantReads, visit: Visit, list: SortedList): Promise<FastifyReply> {
  const status = choiceOf(visit, 'status', list.statuses);
  if (ignoredFilters(visit, { status: list.statuses, sort: orders }) !== null) {
    return redirectTo(visit, `/${list.list}?${visit.query.toString()}`);
  }
  const leave = csvLimit.take(visit.tenant.merchantId);
  if (leave === null) throw new Refusal('rate_limited', { retryAfterSeconds: 5 });
  const lines = async function* (): AsyncGenerator<string> {
    for (let offset = 0; ; offset += chunk) {
      const at = offset;
      const { rows } = await lists.read(visit.tenant, (database) =>
        // Oldest first, so that a row added meanwhile moves no other row.
        readSortedPage(database, list, visit.tenant, {
          status: status === '' ? null : status,
          ...daysOf(visit),
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
