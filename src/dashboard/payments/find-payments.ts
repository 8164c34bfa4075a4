import { centsOf } from '../parts/format.ts';
import type { PaymentFilter } from './list-page.tsx';
import type { Notice } from '../parts/view.ts';
import { type PaymentSearch, searchPayments } from '../../db/payments/payment-search.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { paymentMethods, paymentStatuses } from '../../domain/statuses.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { isUuid } from '../../http/request.ts';
import { openCursor } from '../../operations/payments/search-cursor.ts';
import { dayOf, ignoredFilters, perPage, choiceOf } from '../parts/paging.ts';
import { formError } from '../parts/form-error.ts';
import type { Visit } from '../visit.ts';

const dayMs = 86_400_000;
export const longestSearch = 255;

/** What one text may mean, the likeliest first: a person types what stands before them. */
function meanings(text: string): PaymentSearch[] {
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
 * Returns the first meaning of the search that finds something, with what it finds; from its start where the
 * address names no place in it (`lost`).
 */
export async function findByAddress(deps: { lists: TenantReads; keyring: Keyring }, visit: Visit) {
  const { tenant, query } = visit;
  const { filter, narrow } = filterOf(visit);
  const nothing = { filter, payments: [] as PaymentRecord[], search: null, next: null, lost: false };
  if (filter.q.length > longestSearch) return nothing;
  const cursor = query.get('cursor');
  const meant = meanings(filter.q).map((meaning) => {
    const search = { ...meaning, ...narrow };
    return { search, after: cursor === null ? null : openCursor(deps.keyring, tenant, search, cursor) };
  });
  const placed = meant.filter(({ after }) => after !== null);
  const lost = cursor !== null && placed.length === 0;
  for (const { search, after } of placed.length === 0 ? meant : placed) {
    const found = await deps.lists.read(tenant, (database) =>
      searchPayments(database, tenant, search, after, perPage),
    );
    if (found.payments.length > 0) return { filter, search, lost, ...found };
  }
  return { ...nothing, lost };
}

/** Returns what to say of an address that was not followed to the letter; null for nothing. */
export function doubts(visit: Visit, { q, from, to }: PaymentFilter, lost: boolean): Notice | null {
  if (q.length > longestSearch) return formError(`a search has at most ${longestSearch} characters`).notice;
  const said = ignoredFilters(visit, { status: paymentStatuses, method: paymentMethods }, ['from', 'to']);
  if (said !== null) return said;
  const bad = (text: string): Notice => ({ kind: 'bad', text });
  if (from !== '' && to !== '' && from > to) return bad('From is a later day than to: nothing lies between.');
  return lost ? bad('The address names no place in this list: this is its start.') : null;
}
