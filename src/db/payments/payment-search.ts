import type { PaymentRecord } from '../../domain/payment.ts';
import type { CheckoutStatus, PaymentMethod, PaymentStatus } from '../../domain/statuses.ts';
import { cursorPage, instantSql, microsecondsSql } from '../server/cursor-page.ts';
import type { Queryable } from '../server/database.ts';
import { type Tenant, columnsOf, paymentColumnsOf } from './payments.ts';

/** The conditions of a search; an absent one matches everything. Amounts in cents, inclusive. */
export interface PaymentSearch {
  id?: string;
  /** The number of a short reference. */
  shortNumber?: number;
  /** An exact match. */
  reference?: string | undefined;
  /** Case-insensitive match. */
  email?: string | undefined;
  /** Digits of the card that paid, or of any card that was tried. */
  last4?: string | undefined;
  method?: PaymentMethod | undefined;
  status?: PaymentStatus | undefined;
  /** Any of these statuses. */
  statuses?: readonly PaymentStatus[] | undefined;
  checkoutStatus?: CheckoutStatus | undefined;
  /** The whole name, case-insensitive. */
  customerName?: string | undefined;
  /** A part of the reference, the customer's name or e-mail, or the description, case-insensitive. */
  q?: string | undefined;
  amountFrom?: number | undefined;
  amountTo?: number | undefined;
  /** Created at this instant or later. */
  from?: Date | undefined;
  /** Created before this instant. */
  until?: Date | undefined;
}

/** A position in the results of a search: after the payment that it names. */
export interface SearchPosition {
  /** In microseconds since the epoch. */
  createdUs: number;
  id: string;
}

/**
 * Returns up to `limit` matching payments of the tenant, newest first, ties broken by id, and the position
 * after the last one (null: there are no more). The order of payments never changes. Reading from position to
 * position therefore returns every payment that matches throughout exactly once, despite concurrent writes.
 */
export async function searchPayments(
  database: Queryable,
  tenant: Tenant,
  search: PaymentSearch,
  after: SearchPosition | null,
  limit: number,
): Promise<{ payments: PaymentRecord[]; next: SearchPosition | null }> {
  const rows = await foundRows(database, tenant, search, after, limit + 1);
  const page = cursorPage(rows, limit, ({ createdUs, id }): SearchPosition => ({ createdUs, id }));
  return {
    payments: page.rows.map(({ createdUs: _createdUs, ...payment }) => payment),
    next: page.next,
  };
}

/** The number of payments whose text is compared one by one before the index of texts is used. */
const comparedRows = 10_000;

/** The orders of a list; ties are broken by id. */
export type PaymentOrder = 'newest' | 'oldest' | 'largest' | 'smallest';

/** How a search is read: its order, the number of skipped rows, and how texts are found. */
export interface SearchOptions {
  by?: 'comparison' | 'index';
  order?: PaymentOrder;
  offset?: number;
  /** Searches only among this number of the newest payments of the span; absent: among all. */
  newest?: number;
}

function orderSql(order: PaymentOrder, { created, id }: { created: string; id: string }): string {
  const newest = `${created} DESC, ${id} DESC`;
  if (order === 'newest') return newest;
  if (order === 'oldest') return `${created}, ${id}`;
  return order === 'largest' ? `p.amount_cents DESC, ${newest}` : `p.amount_cents, ${created}, ${id}`;
}

type FoundRow = PaymentRecord & { createdUs: number };

/**
 * Returns the first rows of a search. A text that many payments contain is found among the newest payments
 * that meet the other conditions; a text that few contain is found through the index of texts. Each way is
 * quick only where the other is slow. ADR 0041.
 */
async function foundRows(
  database: Queryable,
  tenant: Tenant,
  search: PaymentSearch,
  after: SearchPosition | null,
  limit: number,
): Promise<FoundRow[]> {
  // Not prepared, because the best index depends on the values.
  const read = async (by: 'comparison' | 'index'): Promise<FoundRow[]> =>
    (await database.query<FoundRow>(searchStatement(tenant, search, after, limit, { by }))).rows;
  const nearest = await read('comparison');
  return patternOf(search) === null || nearest.length >= limit ? nearest : read('index');
}

/**
 * Returns the LIKE pattern for a search by a name or by parts; null for any other search. A name is a whole
 * line of a payment's text, a part is any part of it (migrations/0017_payment_texts.sql).
 */
export function patternOf({ q, customerName }: PaymentSearch): string | null {
  const literal = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);
  if (q === undefined && customerName === undefined) return null;
  return customerName === undefined ? `%${literal(q ?? '')}%` : `%\n${literal(customerName)}\n%`;
}

const textSql = (table: string): string =>
  `payment_text(${columnsOf(table, 'reference, customer_name, customer_email, description')})`;

type TermKind = 'email' | 'last4' | 'method';

/**
 * Returns the search term whose index gives the order, rarest kind first; null for the index of the payments.
 */
function scannedTerm({ email, last4, method }: PaymentSearch): TermKind | null {
  if (email !== undefined) return 'email';
  if (last4 !== undefined) return 'last4';
  return method === undefined ? null : 'method';
}

/**
 * Returns the statement of a search. It holds only the given conditions, and every value is a parameter. A
 * term is joined by id and by creation as a span of one instant, and further terms are looked up row by row.
 * Otherwise the planner multiplies the selectivities of correlated columns, expects a single row, and reads
 * everything to find it.
 */
export function searchStatement(
  tenant: Tenant,
  search: PaymentSearch,
  after: SearchPosition | null,
  limit: number,
  { by = 'comparison', order = 'newest', offset = 0, newest }: SearchOptions = {},
): { text: string; values: unknown[] } {
  const values: unknown[] = [tenant.merchantId, tenant.environment];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const scanned = newest === undefined ? scannedTerm(search) : null;
  const [created, id] = scanned === null ? ['p.created_at', 'p.id'] : ['t.created_at', 't.payment_id'];
  const where = ['p.merchant_id = $1', 'p.environment = $2'];
  const isTerm = (row: string, kind: TermKind, term: string): string =>
    `${row}.merchant_id = $1 AND ${row}.environment = $2 AND ${row}.kind = '${kind}'
       AND ${row}.term = ${kind === 'email' ? `lower(${value(term)}::text)` : `${value(term)}::text`}`;
  for (const kind of ['email', 'last4', 'method'] as const) {
    const term = search[kind];
    if (term === undefined) continue;
    if (kind === scanned) where.push(isTerm('t', kind, term));
    else if (kind !== 'method') {
      where.push(`coalesce((SELECT true FROM payment_search_terms o WHERE ${isTerm('o', kind, term)}
         AND o.created_at = ${created} AND o.payment_id = ${id}), false)`);
    }
  }
  if (search.method !== undefined) where.push(`p.method = ${value(search.method)}`);
  if (search.id !== undefined) where.push(`p.id = ${value(search.id)}::uuid`);
  if (search.shortNumber !== undefined) {
    where.push(`p.id = ANY (ARRAY(SELECT find_short_references($1, $2, ${value(search.shortNumber)})))`);
  }
  if (search.reference !== undefined) where.push(`p.reference = ${value(search.reference)}`);
  if (search.status !== undefined) where.push(`p.status = ${value(search.status)}`);
  if (search.statuses?.length === 1) where.push(`p.status = ${value(search.statuses[0])}`);
  else if (search.statuses !== undefined) where.push(`p.status = ANY (${value(search.statuses)}::text[])`);
  if (search.checkoutStatus !== undefined) where.push(`p.checkout_status = ${value(search.checkoutStatus)}`);
  if (search.amountFrom !== undefined && search.amountFrom === search.amountTo) {
    // An equality, because the order then comes from the index too.
    where.push(`p.amount_cents = ${value(search.amountFrom)}`);
  } else {
    if (search.amountFrom !== undefined) where.push(`p.amount_cents >= ${value(search.amountFrom)}`);
    if (search.amountTo !== undefined) where.push(`p.amount_cents <= ${value(search.amountTo)}`);
  }
  const inSpan: string[] = [];
  if (search.from !== undefined) inSpan.push(`${created} >= ${value(search.from)}`);
  // A position lies before `until`. With both conditions PostgreSQL may scan from one to the other.
  if (search.until !== undefined && after === null) inSpan.push(`${created} < ${value(search.until)}`);
  where.push(...inSpan);
  if (after !== null) {
    where.push(`(${created}, ${id}) < (${instantSql(value(after.createdUs))}, ${value(after.id)}::uuid)`);
  }
  const page = (names: { created: string; id: string }): string =>
    `ORDER BY ${orderSql(order, names)} LIMIT ${value(limit)}${offset === 0 ? '' : ` OFFSET ${value(offset)}`}`;
  const table =
    newest === undefined
      ? 'payments'
      : `(SELECT p.* FROM payments p WHERE ${['p.merchant_id = $1', 'p.environment = $2', ...inSpan].join(' AND ')}
          ORDER BY p.created_at DESC, p.id DESC LIMIT ${newest})`;
  const from = `FROM ${table} p ${
    scanned === null
      ? ''
      : `JOIN payment_search_terms t
      ON t.payment_id = p.id AND t.created_at >= p.created_at AND t.created_at <= p.created_at`
  }`;
  const columns = `${paymentColumnsOf('p')}, ${microsecondsSql('p.created_at')} AS "createdUs"`;
  const pattern = patternOf(search);
  if (pattern === null) {
    const text = `SELECT ${columns} ${from} WHERE ${where.join(' AND ')} ${page({ created, id })}`;
    return { text, values };
  }
  const like = `lower(${value(pattern)}::text)`;
  const isLike = [
    `${textSql('p')} LIKE ${like}`,
    // With a name the pattern is the name's, so the part needs a condition of its own.
    ...(search.q === undefined || search.customerName === undefined
      ? []
      : [`strpos(${textSql('p')}, lower(${value(search.q)}::text)) > 0`]),
  ];
  if (by === 'comparison') {
    const text = `SELECT ${columns} FROM (SELECT p.* ${from} WHERE ${where.join(' AND ')}
      ORDER BY ${created} DESC, ${id} DESC LIMIT ${comparedRows}) AS p
    WHERE ${isLike.join(' AND ')} ${page({ created: 'p.created_at', id: 'p.id' })}`;
    return { text, values };
  }
  const span = `${value(search.from ?? null)}, ${value(search.until ?? null)}`;
  const text = `WITH found AS MATERIALIZED (SELECT id FROM find_payment_texts($1, $2, ${like}, ${span}) AS id)
    SELECT ${columns} ${from} WHERE p.id IN (SELECT id FROM found)
      AND ${[...where, ...isLike.slice(1)].join(' AND ')} ${page({ created, id })}`;
  return { text, values };
}
