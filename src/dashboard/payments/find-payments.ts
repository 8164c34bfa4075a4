import { centsOf } from '../parts/format.ts';
import { orders, type PaymentFilter, paymentTabs, statusesOf } from './list-page.tsx';
import type { Notice } from '../parts/view.ts';
import { type PaymentPage, readPaymentPage } from '../../db/payments/payment-lists.ts';
import { type PaymentSearch, searchPayments } from '../../db/payments/payment-search.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { shortReferenceNumber } from '../../domain/short-reference.ts';
import { paymentMethods, type PaymentStatus, paymentStatuses } from '../../domain/statuses.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import { readPaymentsState } from '../../db/server/watched-lists.ts';
import { readingArchive, type TenantReads } from '../../db/server/tenant-reads.ts';
import { isUuid } from '../../http/request.ts';
import { spanOf } from '../parts/days.ts';
import {
  type FilteredList,
  type ListNews,
  newsOf,
  newsRoute,
  readWatched,
  type WatchedRows,
} from '../parts/list-news.tsx';
import { ignoredFilters, pageOf, perListPage, choiceOf } from '../parts/paging.ts';
import { formError } from '../parts/form-error.ts';
import type { DashboardRoute } from '../route.ts';
import { texts } from '../texts/en.ts';
import type { Visit } from '../visit.ts';

export const longestSearch = 255;
/** Shorter texts occur in most payments, and no index holds them. */
const shortestPart = 3;

/** Returns the search by a payment's id or by its short reference; null for any other text. */
export function exactSearch(text: string): PaymentSearch | null {
  if (isUuid(text)) return { id: text.toLowerCase() };
  const shortNumber = shortReferenceNumber(text);
  return shortNumber === null ? null : { shortNumber };
}

/** Returns the searches that a typed text may stand for, most likely first. */
function interpretations(text: string): PaymentSearch[] {
  if (text === '') return [{}];
  const exact = exactSearch(text);
  if (exact?.id !== undefined) return [exact, { reference: text }];
  const cents = /^\$|\.\d\d$/.test(text) ? centsOf(text) : null;
  return [
    ...(exact === null ? [] : [exact]),
    text.length < shortestPart ? { reference: text } : { q: text },
    ...(/^\d{4}$/.test(text) ? [{ last4: text }] : []),
    ...(cents === null || cents > 100_000_000 ? [] : [{ amountFrom: cents, amountTo: cents }]),
  ];
}

/** The values that the address may give as the status: an API status, or a tab. */
const statusChoices = [...paymentStatuses, ...paymentTabs] as const;

/** Returns the statuses that an address shows; null for all. */
function shownStatuses(visit: Visit): readonly PaymentStatus[] | null {
  const status = choiceOf(visit, 'status', statusChoices);
  const tab = paymentTabs.find((one) => one === status);
  if (tab !== undefined) return statusesOf(tab);
  const single = paymentStatuses.find((one) => one === status);
  return single === undefined ? null : [single];
}

function filterOf(visit: Visit): { filter: PaymentFilter; narrow: PaymentSearch } {
  const status = choiceOf(visit, 'status', statusChoices);
  const method = choiceOf(visit, 'method', paymentMethods);
  const sort = choiceOf(visit, 'sort', orders);
  const given = (name: string): string => visit.query.get(name) ?? '';
  const q = (visit.query.get('q') ?? '')
    .trim()
    .replaceAll('\0', '')
    .slice(0, longestSearch + 1);
  const { timeZone } = visit.frame;
  const [first, last] = [spanOf(given('from'), timeZone), spanOf(given('to'), timeZone)];
  const from = first === null ? '' : given('from');
  const to = last === null ? '' : given('to');
  const statuses = shownStatuses(visit);
  return {
    filter: { q, status, method, from, to, sort },
    narrow: {
      ...(statuses === null ? {} : { statuses }),
      ...(method === '' ? {} : { method }),
      ...(first === null ? {} : { from: first.start }),
      ...(last === null ? {} : { until: last.end }),
    },
  };
}

const nothing: PaymentPage = { payments: [], total: 0, atLeast: false, sums: null, counts: null };

/** Returns the payments of a search, for the mark of their list. */
const filteredBy = (tenant: Tenant, { from, until, ...search }: PaymentSearch): FilteredList => ({
  list: 'payments',
  span: { from, until },
  stateOf: (database, span) => readPaymentsState(database, tenant, { ...search, ...span }),
});

/** Returns the mark of the list, whose rows an interpretation of the search found. */
const newsBy = (visit: Visit, watched: WatchedRows | null, meaning: number): ListNews | null =>
  newsOf(visit, 'payments', watched, meaning === 0 ? {} : { meaning: String(meaning) });

/** The route with which the list notices new payments. */
export const paymentNewsRoute = (deps: { lists: TenantReads }): DashboardRoute =>
  newsRoute(deps, 'payments', (visit) => {
    const { filter, narrow } = filterOf(visit);
    const meanings = interpretations(filter.q);
    const meaning = meanings[Number(visit.query.get('meaning') ?? 0)] ?? meanings[0];
    return filteredBy(visit.tenant, { ...meaning, ...narrow });
  });

/**
 * Returns the page that an address names, using the first interpretation of its search that finds something.
 * `search` is null if none does. `news`: the mark of the list; null if it has none.
 */
export async function findByAddress(deps: { lists: TenantReads }, visit: Visit) {
  const { tenant } = visit;
  const { filter, narrow } = filterOf(visit);
  const page = pageOf(visit);
  if (filter.q.length > longestSearch) return { filter, page, search: null, news: null, ...nothing };
  const order = filter.sort === '' ? 'newest' : filter.sort;
  let tabs: PaymentPage['counts'] = null;
  let marked: ListNews | null = null;
  for (const [meaning, terms] of interpretations(filter.q).entries()) {
    const search = { ...terms, ...narrow };
    const { watched, ...found } = await deps.lists.read(tenant, async (database) => ({
      watched: await readWatched(database, visit, filteredBy(tenant, search)),
      ...(await readPaymentPage(database, tenant, search, { order, page, perPage: perListPage })),
    }));
    const news = newsBy(visit, watched, meaning);
    if (found.payments.length > 0 || (found.total > 0 && page > 1)) {
      return { filter, page, search, news, ...found };
    }
    tabs ??= found.counts;
    marked ??= news;
  }
  return { filter, page, search: null, news: marked, ...nothing, counts: tabs };
}

/** Returns the archived payments with a typed id or short reference: no list contains them. */
export async function findArchived(
  { lists }: { lists: TenantReads },
  { tenant }: Visit,
  typed: string,
): Promise<PaymentRecord[]> {
  const search = exactSearch(typed);
  if (search === null) return [];
  const { payments } = await readingArchive(() =>
    lists.read(tenant, (database) => searchPayments(database, tenant, search, null, perListPage)),
  );
  return payments;
}

/** Returns the notice for an address that is partly invalid; null for a valid one. */
export function searchNotice(visit: Visit, { q, from, to }: PaymentFilter): Notice | null {
  const text = texts.payments;
  if (q.length > longestSearch) return formError(text.searchTooLong(longestSearch)).notice;
  const ignored = ignoredFilters(visit, { status: statusChoices, method: paymentMethods, sort: orders }, [
    'from',
    'to',
  ]);
  if (ignored !== null) return ignored;
  if (from !== '' && to !== '' && from > to) return { kind: 'bad', text: text.fromAfterTo };
  const isOldLink = visit.query.has('cursor');
  return isOldLink ? { kind: 'bad', text: texts.common.invalidPage } : null;
}
