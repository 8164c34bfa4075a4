import { centsOf } from '../parts/format.ts';
import type { PaymentFilter } from './list-page.tsx';
import type { Notice } from '../parts/view.ts';
import { type PaymentSearch, searchPayments } from '../../db/payments/payment-search.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { paymentMethods, paymentStatuses } from '../../domain/statuses.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { isUuid } from '../../http/request.ts';
import { openCursor, searchedPayments } from '../../operations/list-cursor.ts';
import { dayOf, ignoredFilters, perPage, choiceOf } from '../parts/paging.ts';
import { formError } from '../parts/form-error.ts';
import { texts } from '../texts/en.ts';
import type { Visit } from '../visit.ts';

const dayMs = 86_400_000;
export const longestSearch = 255;

/** Returns what a typed text may search for, the likeliest first. */
function interpretations(text: string): PaymentSearch[] {
  if (text === '') return [{}];
  if (isUuid(text)) return [{ id: text.toLowerCase() }, { reference: text }];
  if (text.includes('@')) return [{ email: text }, { reference: text }];
  const cents = /^\$|\.\d\d$/.test(text) ? centsOf(text) : null;
  return [
    { reference: text },
    ...(/^\d{4}$/.test(text) ? [{ last4: text }] : []),
    ...(cents === null || cents > 100_000_000 ? [] : [{ amountFrom: cents, amountTo: cents }]),
  ];
}

function filterOf(visit: Visit): { filter: PaymentFilter; narrow: PaymentSearch } {
  const status = choiceOf(visit, 'status', paymentStatuses);
  const method = choiceOf(visit, 'method', paymentMethods);
  const [from, to] = [dayOf(visit, 'from'), dayOf(visit, 'to')];
  const q = (visit.query.get('q') ?? '')
    .trim()
    .replaceAll('\0', '')
    .slice(0, longestSearch + 1);
  return {
    filter: { q, status, method, from, to },
    narrow: {
      ...(status === '' ? {} : { status }),
      ...(method === '' ? {} : { method }),
      ...(from === '' ? {} : { from: new Date(from) }),
      ...(to === '' ? {} : { until: new Date(Date.parse(to) + dayMs) }),
    },
  };
}

/**
 * Returns the first interpretation of the search that finds something, with what it finds; its first page
 * when the cursor of the address is invalid.
 */
export async function findByAddress(deps: { lists: TenantReads; keyring: Keyring }, visit: Visit) {
  const { tenant, query } = visit;
  const { filter, narrow } = filterOf(visit);
  const nothing = {
    filter,
    payments: [] as PaymentRecord[],
    search: null,
    next: null,
    isCursorInvalid: false,
  };
  if (filter.q.length > longestSearch) return nothing;
  const cursor = query.get('cursor');
  const meant = interpretations(filter.q).map((meaning) => {
    const search = { ...meaning, ...narrow };
    return {
      search,
      after: cursor === null ? null : openCursor(deps.keyring, tenant, searchedPayments(search), cursor),
    };
  });
  const placed = meant.filter(({ after }) => after !== null);
  const isCursorInvalid = cursor !== null && placed.length === 0;
  for (const { search, after } of placed.length === 0 ? meant : placed) {
    const found = await deps.lists.read(tenant, (database) =>
      searchPayments(database, tenant, search, after, perPage),
    );
    if (found.payments.length > 0) return { filter, search, isCursorInvalid, ...found };
  }
  return { ...nothing, isCursorInvalid };
}

/** Returns the notice for an address of which a part was invalid; null for a valid one. */
export function searchNotice(
  visit: Visit,
  { q, from, to }: PaymentFilter,
  isCursorInvalid: boolean,
): Notice | null {
  const text = texts.payments;
  if (q.length > longestSearch) return formError(text.searchTooLong(longestSearch)).notice;
  const ignored = ignoredFilters(visit, { status: paymentStatuses, method: paymentMethods }, ['from', 'to']);
  if (ignored !== null) return ignored;
  if (from !== '' && to !== '' && from > to) return { kind: 'bad', text: text.fromAfterTo };
  return isCursorInvalid ? { kind: 'bad', text: texts.common.invalidPage } : null;
}
