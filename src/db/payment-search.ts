import type { PaymentRecord } from '../domain/payment.ts';
import type { PaymentMethod, PaymentStatus } from '../domain/statuses.ts';
import type { Queryable } from './database.ts';
import { type Tenant, paymentColumnsOf } from './payments.ts';

/** What payments are searched by; what is absent does not count. Amounts in cents, inclusive. */
export interface PaymentSearch {
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
export interface SearchPlace {
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
  after: SearchPlace | null,
  limit: number,
): Promise<{ payments: PaymentRecord[]; next: SearchPlace | null }> {
  const { text, values } = searchStatement(tenant, search, after, limit + 1);
  // Not prepared: which index is best depends on the values.
  const { rows } = await database.query<PaymentRecord & { createdUs: number }>({ text, values });
  const found = rows.slice(0, limit);
  const last = found.at(-1);
  return {
    payments: found.map(({ createdUs: _createdUs, ...payment }) => payment),
    next: rows.length > limit && last ? { createdUs: last.createdUs, id: last.id } : null,
  };
}

/** The statement of a search. Only what is asked for is in it; every value is a parameter. */
export function searchStatement(
  tenant: Tenant,
  search: PaymentSearch,
  after: SearchPlace | null,
  limit: number,
): { text: string; values: unknown[] } {
  const values: unknown[] = [tenant.merchantId, tenant.environment];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const joins: string[] = [];
  const where = ['p.merchant_id = $1', 'p.environment = $2'];
  const byTerm = (kind: 'email' | 'last4' | 'method', term: string | undefined, of = '%'): void => {
    if (term === undefined) return;
    joins.push(
      `JOIN payment_search_terms ${kind} ON ${kind}.merchant_id = $1 AND ${kind}.environment = $2
         AND ${kind}.kind = '${kind}' AND ${kind}.term = ${of.replace('%', `${value(term)}::text`)}
         AND ${kind}.created_at = p.created_at AND ${kind}.payment_id = p.id`,
    );
  };
  byTerm('email', search.email, 'lower(%)');
  byTerm('last4', search.last4);
  byTerm('method', search.method);
  if (search.method !== undefined) where.push(`p.method = ${value(search.method)}`);
  if (search.reference !== undefined) where.push(`p.reference = ${value(search.reference)}`);
  if (search.status !== undefined) where.push(`p.status = ${value(search.status)}`);
  if (search.amountFrom !== undefined && search.amountFrom === search.amountTo) {
    // Equal, its index has the order too.
    where.push(`p.amount_cents = ${value(search.amountFrom)}`);
  } else {
    if (search.amountFrom !== undefined) where.push(`p.amount_cents >= ${value(search.amountFrom)}`);
    if (search.amountTo !== undefined) where.push(`p.amount_cents <= ${value(search.amountTo)}`);
  }
  if (search.from !== undefined) where.push(`p.created_at >= ${value(search.from)}`);
  if (search.until !== undefined) where.push(`p.created_at < ${value(search.until)}`);
  if (after !== null) {
    const place = `(timestamptz 'epoch' + ${value(after.createdUs)}::bigint * interval '1 microsecond',
      ${value(after.id)}::uuid)`;
    where.push(`(p.created_at, p.id) < ${place}`);
  }
  const text = `SELECT ${paymentColumnsOf('p')},
      (extract(epoch FROM p.created_at) * 1000000)::bigint AS "createdUs"
    FROM payments p ${joins.join(' ')}
    WHERE ${where.join(' AND ')}
    ORDER BY p.created_at DESC, p.id DESC LIMIT ${value(limit)}`;
  return { text, values };
}
