import type { PaymentRecord } from '../../domain/payment.ts';
import type { PaymentMethod, PaymentStatus } from '../../domain/statuses.ts';
import { cursorPage, instantSql, microsecondsSql } from '../server/cursor-page.ts';
import type { Queryable } from '../server/database.ts';
import { type Tenant, paymentColumnsOf } from './payments.ts';

/** The conditions of a search; an absent one matches everything. Amounts in cents, inclusive. */
export interface PaymentSearch {
  id?: string;
  /** An exact match. */
  reference?: string | undefined;
  /** Matches in any case of letters. */
  email?: string | undefined;
  /** Of the card that paid, or of any card that was tried. */
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

/** A position in the results of a search: after the payment that it names. */
export interface SearchPosition {
  /** In microseconds since the epoch. */
  createdUs: number;
  id: string;
}

/**
 * Returns up to `limit` payments of the tenant that match, newest first, ties broken by id, and the position
 * after the last one (null: there are no more). The order of payments never changes, so that reading from
 * position to position returns every payment that matches throughout exactly once, whatever is written
 * meanwhile.
 */
export async function searchPayments(
  database: Queryable,
  tenant: Tenant,
  search: PaymentSearch,
  after: SearchPosition | null,
  limit: number,
): Promise<{ payments: PaymentRecord[]; next: SearchPosition | null }> {
  const { text, values } = searchStatement(tenant, search, after, limit + 1);
  // Not prepared, because the best index depends on the values.
  const { rows } = await database.query<PaymentRecord & { createdUs: number }>({ text, values });
  const page = cursorPage(rows, limit, ({ createdUs, id }): SearchPosition => ({ createdUs, id }));
  return {
    payments: page.rows.map(({ createdUs: _createdUs, ...payment }) => payment),
    next: page.next,
  };
}

type TermKind = 'email' | 'last4' | 'method';

/**
 * Returns the search term whose index gives the order, the rarest kind first; null: the index of the
 * payments.
 */
function walkedTerm({ email, last4, method }: PaymentSearch): TermKind | null {
  if (email !== undefined) return 'email';
  if (last4 !== undefined) return 'last4';
  return method === undefined ? null : 'method';
}

/**
 * Returns the statement of a search. It holds only the conditions that are given, and every value is a
 * parameter. A term is joined by id and by creation as a span of one instant, and further terms are looked up
 * row by row. Otherwise the planner multiplies the selectivities of correlated columns, expects a single row,
 * and reads everything to find it.
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
    // An equality, because the order then comes from the index too.
    where.push(`p.amount_cents = ${value(search.amountFrom)}`);
  } else {
    if (search.amountFrom !== undefined) where.push(`p.amount_cents >= ${value(search.amountFrom)}`);
    if (search.amountTo !== undefined) where.push(`p.amount_cents <= ${value(search.amountTo)}`);
  }
  if (search.from !== undefined) where.push(`${created} >= ${value(search.from)}`);
  // A position lies before `until`. With both conditions PostgreSQL may scan from one to the other.
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
