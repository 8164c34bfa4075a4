import type { PaymentRecord } from '../../domain/payment.ts';
import type { PaymentMethod, PaymentStatus } from '../../domain/statuses.ts';
import { cursorPage, instantSql, microsecondsSql } from '../server/cursor-page.ts';
import type { Queryable } from '../server/database.ts';
import { type Tenant, paymentColumnsOf } from './payments.ts';

/** What payments are searched by; what is absent does not count. Amounts in cents, inclusive. */
export interface PaymentSearch {
  id?: string;
  /** Exactly. */
  reference?: string | undefined;
  /** In any case of letters. */
  email?: string | undefined;
  /** Of the card that paid, or of any that was tried. */
  last4?: string | undefined;
  method?: PaymentMethod | undefined;
  status?: PaymentStatus | undefined;
  amountFrom?: number | undefined;
  amountTo?: number | undefined;
  /** Created at this instant or later. */
  from?: Date;
  /** Created before this instant. */
  until?: Date;
}

/** A place in what was found: behind the payment it names. */
export interface SearchPosition {
  /** In microseconds since the epoch. */
  createdUs: number;
  id: string;
}

/**
 * Returns up to `limit` payments of the tenant that match, newest first, ties broken by id, and the place
 * behind the last one (null: there are no more). What a page is ordered by never changes, so that walking
 * from place to place meets every payment that matched all along once, whatever is written meanwhile.
 */
export async function searchPayments(
  database: Queryable,
  tenant: Tenant,
  search: PaymentSearch,
  after: SearchPosition | null,
  limit: number,
): Promise<{ payments: PaymentRecord[]; next: SearchPosition | null }> {
  const { text, values } = searchStatement(tenant, search, after, limit + 1);
  // Not prepared: which index is best depends on the values.
  const { rows } = await database.query<PaymentRecord & { createdUs: number }>({ text, values });
  const page = cursorPage(rows, limit, ({ createdUs, id }): SearchPosition => ({ createdUs, id }));
  return {
    payments: page.rows.map(({ createdUs: _createdUs, ...payment }) => payment),
    next: page.next,
  };
}

type TermKind = 'email' | 'last4' | 'method';

/** Returns the term that a search is ordered by, the rarest kind first; null: by the payments themselves. */
function walkedTerm({ email, last4, method }: PaymentSearch): TermKind | null {
  if (email !== undefined) return 'email';
  if (last4 !== undefined) return 'last4';
  return method === undefined ? null : 'method';
}

/**
 * The statement of a search. Only what is asked for is in it; every value is a parameter. A term is joined by
 * id and by creation as a span, which is one instant, and others are looked up row by row: a planner that
 * multiplies the odds of columns that go together expects a single row, and reads everything to find it.
 */
export function searchStatement(
  tenant: Tenant,
  search: PaymentSearch,
  after: SearchPosition | null,
  limit: number,
): { text: string; values: unknown[] } {
  const values: unknown[] = [tenant.merchantId, tenant.environment];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const walked = walkedTerm(search);
  const [created, id] = walked === null ? ['p.created_at', 'p.id'] : ['t.created_at', 't.payment_id'];
  const where = ['p.merchant_id = $1', 'p.environment = $2'];
  const isTerm = (row: string, kind: TermKind, term: string): string =>
    `${row}.merchant_id = $1 AND ${row}.environment = $2 AND ${row}.kind = '${kind}'
       AND ${row}.term = ${kind === 'email' ? `lower(${value(term)}::text)` : `${value(term)}::text`}`;
  for (const kind of ['email', 'last4', 'method'] as const) {
    const term = search[kind];
    if (term === undefined) continue;
    if (kind === walked) where.push(isTerm('t', kind, term));
    else if (kind !== 'method') {
      where.push(`coalesce((SELECT true FROM payment_search_terms o WHERE ${isTerm('o', kind, term)}
         AND o.created_at = ${created} AND o.payment_id = ${id}), false)`);
    }
  }
  if (search.method !== undefined) where.push(`p.method = ${value(search.method)}`);
  if (search.id !== undefined) where.push(`p.id = ${value(search.id)}::uuid`);
  if (search.reference !== undefined) where.push(`p.reference = ${value(search.reference)}`);
  if (search.status !== undefined) where.push(`p.status = ${value(search.status)}`);
  if (search.amountFrom !== undefined && search.amountFrom === search.amountTo) {
    // Equal, its index has the order too.
    where.push(`p.amount_cents = ${value(search.amountFrom)}`);
  } else {
    if (search.amountFrom !== undefined) where.push(`p.amount_cents >= ${value(search.amountFrom)}`);
    if (search.amountTo !== undefined) where.push(`p.amount_cents <= ${value(search.amountTo)}`);
  }
  if (search.from !== undefined) where.push(`${created} >= ${value(search.from)}`);
  // A place lies before `until`: given both, PostgreSQL may walk from one to the other.
  if (search.until !== undefined && after === null) where.push(`${created} < ${value(search.until)}`);
  if (after !== null) {
    where.push(`(${created}, ${id}) < (${instantSql(value(after.createdUs))}, ${value(after.id)}::uuid)`);
  }
  const text = `SELECT ${paymentColumnsOf('p')},
      ${microsecondsSql('p.created_at')} AS "createdUs"
    FROM payments p ${
      walked === null
        ? ''
        : `JOIN payment_search_terms t
      ON t.payment_id = p.id AND t.created_at >= p.created_at AND t.created_at <= p.created_at`
    }
    WHERE ${where.join(' AND ')}
    ORDER BY ${created} DESC, ${id} DESC LIMIT ${value(limit)}`;
  return { text, values };
}
