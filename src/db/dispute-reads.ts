import type { DisputeRecord, DisputeStatus } from '../domain/dispute.ts';
import type { Queryable } from './database.ts';
import { readCountedPage } from './list-counts.ts';
import type { Tenant } from './payments.ts';

/** The columns of a DisputeRecord. */
export const disputeColumns = `
  id, merchant_id AS "merchantId", environment, payment_id AS "paymentId", provider_reference AS "providerReference",
  amount_cents AS "amountCents", reason, stage, status, resolution, evidence, evidence_due_at AS "evidenceDueAt",
  submitted_at AS "submittedAt", auto_submit AS "autoSubmit", auto_submitted AS "autoSubmitted", reminded,
  created_at AS "createdAt", closed_at AS "closedAt",
  (SELECT p.connector_id FROM payments p WHERE p.id = payment_id) AS "connectorId"`;

/** A dispute by id alone, for workers. */
export async function loadDispute(database: Queryable, id: string): Promise<DisputeRecord | null> {
  const { rows } = await database.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/** The tenant's dispute, or null. */
export async function findDispute(
  database: Queryable,
  tenant: Tenant,
  id: string,
): Promise<DisputeRecord | null> {
  const { rows } = await database.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE id = $1 AND merchant_id = $2 AND environment = $3`,
    [id, tenant.merchantId, tenant.environment],
  );
  return rows[0] ?? null;
}

/** Every dispute of a payment, oldest first, for operators. */
export async function listPaymentDisputes(database: Queryable, paymentId: string): Promise<DisputeRecord[]> {
  const { rows } = await database.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE payment_id = $1 ORDER BY created_at, id`,
    [paymentId],
  );
  return rows;
}

/** Filters of a list; `from` inclusive, `until` and `dueBefore` exclusive. */
export interface DisputeFilter {
  status: DisputeStatus | null;
  paymentId: string | null;
  dueBefore: Date | null;
  from: Date | null;
  until: Date | null;
  page: number;
  perPage: number;
}

/** One page, newest first, ties broken by id, with the count of all matches. */
export async function listDisputes(
  database: Queryable,
  tenant: Tenant,
  filter: DisputeFilter,
): Promise<{ disputes: DisputeRecord[]; total: number }> {
  if (filter.paymentId === null && filter.dueBefore === null) {
    const page = await readCountedPage(database, 'disputes', disputeColumns, tenant, filter);
    return { disputes: page.rows as DisputeRecord[], total: page.total };
  }
  const where = `merchant_id = $1 AND environment = $2 AND ($3::text IS NULL OR status = $3)
    AND ($4::uuid IS NULL OR payment_id = $4) AND ($5::timestamptz IS NULL OR evidence_due_at < $5)
    AND ($6::timestamptz IS NULL OR created_at >= $6) AND ($7::timestamptz IS NULL OR created_at < $7)`;
  const values = [
    tenant.merchantId,
    tenant.environment,
    filter.status,
    filter.paymentId,
    filter.dueBefore,
    filter.from,
    filter.until,
  ];
  const counted = await database.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM disputes WHERE ${where}`,
    values,
  );
  const total = counted.rows[0]?.total ?? 0;
  const offset = (filter.page - 1) * filter.perPage;
  if (offset >= total) return { disputes: [], total };
  const { rows } = await database.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT $8 OFFSET $9`,
    [...values, filter.perPage, offset],
  );
  return { disputes: rows, total };
}

/**
 * One page of a tenant's disputes: those that wait for an answer first, by their deadline; then newest first.
 */
export async function dueDisputes(
  database: Queryable,
  tenant: Tenant,
  filter: { status: DisputeStatus | null; page: number; perPage: number },
): Promise<{ disputes: DisputeRecord[]; total: number }> {
  const where = 'merchant_id = $1 AND environment = $2 AND ($3::text IS NULL OR status = $3)';
  const values = [tenant.merchantId, tenant.environment, filter.status];
  const counted = await database.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM disputes WHERE ${where}`,
    values,
  );
  const { rows } = await database.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE ${where}
     ORDER BY status <> 'needsResponse', CASE WHEN status = 'needsResponse' THEN evidence_due_at END,
       created_at DESC, id DESC
     LIMIT $4 OFFSET $5`,
    [...values, filter.perPage, (filter.page - 1) * filter.perPage],
  );
  return { disputes: rows, total: counted.rows[0]?.total ?? 0 };
}
