import type { RefundRecord, RefundStatus } from '../../domain/refund.ts';
import type { Queryable } from '../server/database.ts';
import { readCountedPage } from '../server/list-counts.ts';
import type { Tenant } from '../payments/payments.ts';

/** The columns of a `RefundRecord`. */
export const refundColumns = `
  id, merchant_id AS "merchantId", environment, payment_id AS "paymentId", amount_cents AS "amountCents", status, reason,
  reference, failure_code AS "failureCode", failure_message AS "failureMessage", metadata, created_at AS "createdAt",
  submit_after AS "submitAfter", submitted_at AS "submittedAt", succeeded_at AS "succeededAt", failed_at AS "failedAt",
  provider_reference AS "providerReference"`;

/** Returns a refund by its id alone. For workers and webhooks. */
export async function loadRefund(database: Queryable, id: string): Promise<RefundRecord | null> {
  const { rows } = await database.query<RefundRecord>(`SELECT ${refundColumns} FROM refunds WHERE id = $1`, [
    id,
  ]);
  return rows[0] ?? null;
}

/** Returns the tenant's refund, or null. */
export async function findRefund(
  database: Queryable,
  tenant: Tenant,
  id: string,
): Promise<RefundRecord | null> {
  const { rows } = await database.query<RefundRecord>(
    `SELECT ${refundColumns} FROM refunds WHERE id = $1 AND merchant_id = $2 AND environment = $3`,
    [id, tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? null;
}

/** Returns every refund of a payment, oldest first. For operators. */
export async function listPaymentRefunds(database: Queryable, paymentId: string): Promise<RefundRecord[]> {
  const { rows } = await database.query<RefundRecord>(
    `SELECT ${refundColumns} FROM refunds WHERE payment_id = $1 ORDER BY created_at, id`,
    [paymentId],
  );
  return rows;
}

/** Returns the names of the members who requested refunds of a payment, by the refunds' ids. */
export async function refundMembers(
  database: Queryable,
  paymentId: string,
): Promise<Readonly<Record<string, string>>> {
  const { rows } = await database.query<{ id: string; name: string }>(
    `SELECT r.id, m.name FROM refunds r JOIN members m ON m.id = r.member_id WHERE r.payment_id = $1`,
    [paymentId],
  );
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]));
}

/** The conditions of a list; `from` inclusive, `until` exclusive. */
export interface RefundFilter {
  status: RefundStatus | null;
  paymentId: string | null;
  from: Date | null;
  until: Date | null;
  page: number;
  perPage: number;
}

/** Returns one page, newest first, ties broken by id, with the count of all matches. */
export async function listRefunds(
  database: Queryable,
  tenant: Tenant,
  filter: RefundFilter,
): Promise<{ refunds: RefundRecord[]; total: number }> {
  if (filter.paymentId === null) {
    const page = await readCountedPage(database, 'refunds', refundColumns, tenant, filter);
    return { refunds: page.rows as RefundRecord[], total: page.total };
  }
  // One payment has few refunds, so they are counted directly.
  const where = `merchant_id = $1 AND environment = $2 AND ($3::text IS NULL OR status = $3)
    AND payment_id = $4
    AND ($5::timestamptz IS NULL OR created_at >= $5) AND ($6::timestamptz IS NULL OR created_at < $6)`;
  const values = [
    tenant.merchantId,
    tenant.environment,
    filter.status,
    filter.paymentId,
    filter.from,
    filter.until,
  ];
  const counted = await database.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM refunds WHERE ${where}`,
    values,
  );
  const total = counted.rows[0]?.total ?? 0;
  const offset = (filter.page - 1) * filter.perPage;
  if (offset >= total) return { refunds: [], total };
  const { rows } = await database.query<RefundRecord>(
    `SELECT ${refundColumns} FROM refunds WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT $7 OFFSET $8`,
    [...values, filter.perPage, offset],
  );
  return { refunds: rows, total };
}
