import { stringify } from 'csv-stringify/sync';
import { type SearchPosition, type PaymentSearch, searchPayments } from '../../db/payments/payment-search.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { netCents, type PaymentRecord } from '../../domain/payment.ts';

/** Payments that are read, and held in memory, at a time. */
const chunk = 500;

const columns = [
  'id',
  'reference',
  'status',
  'method',
  'amountCents',
  'refundedCents',
  'netCents',
  'currency',
  'customerEmail',
  'customerName',
  'cardBrand',
  'cardLast4',
  'failureCode',
  'createdAt',
  'paidAt',
  'refundedAt',
  'environment',
  'description',
  'lineItems',
  'locale',
] as const;

type Line = Record<(typeof columns)[number], string | number | null>;

const lineOf = (payment: PaymentRecord): Line => ({
  id: payment.id,
  reference: payment.reference,
  status: payment.status,
  method: payment.method,
  amountCents: payment.amountCents,
  refundedCents: payment.refundedCents,
  netCents: netCents(payment),
  currency: 'USD',
  customerEmail: payment.customerEmail,
  customerName: payment.customerName,
  cardBrand: payment.cardBrand,
  cardLast4: payment.cardLast4,
  failureCode: payment.failureCode,
  createdAt: payment.createdAt.toISOString(),
  paidAt: payment.paidAt?.toISOString() ?? null,
  refundedAt: payment.refundedAt?.toISOString() ?? null,
  environment: payment.environment,
  description: payment.description,
  lineItems: payment.lineItems === null ? null : JSON.stringify(payment.lineItems),
  locale: payment.localeAuto ? 'auto' : payment.locale,
});

/**
 * Returns payments as lines of CSV (RFC 4180, UTF-8), with a header line if `header`. A cell that a
 * spreadsheet would run as a formula begins with an apostrophe.
 */
export function csvLines(payments: readonly PaymentRecord[], header: boolean): string {
  return stringify(payments.map(lineOf), {
    header,
    columns: [...columns],
    record_delimiter: 'windows',
    escape_formulas: true,
  });
}

/** Yields all matching payments after `after` as CSV, in pieces. No connection is held between two pieces. */
export async function* csvOf(
  deps: { lists: TenantReads },
  tenant: Tenant,
  search: PaymentSearch,
  after: SearchPosition | null,
): AsyncGenerator<string> {
  let position = after;
  let first = true;
  do {
    const from: SearchPosition | null = position;
    const { payments, next } = await deps.lists.read(tenant, (database) =>
      searchPayments(database, tenant, search, from, chunk),
    );
    yield csvLines(payments, first);
    first = false;
    position = next;
  } while (position !== null);
}
