import { type DisputeRecord, type DisputeStatus, disputeStatuses } from '../../domain/dispute.ts';
import type { Queryable } from '../server/database.ts';
import { listedPage, readCountedPage } from '../server/list-counts.ts';
import type { Tenant } from '../payments/payments.ts';

/** The columns of a DisputeRecord. */
export const disputeColumns = `
  id, merchant_id AS "merchantId", environment, payment_id AS "paymentId", provider_reference AS "providerReference",
  amount_cents AS "amountCents", reason, stage, status, resolution, evidence, evidence_due_at AS "evidenceDueAt",
  submitted_at AS "submittedAt", auto_submit AS "autoSubmit", auto_submitted AS "autoSubmitted", reminded,
  created_at AS "createdAt", reopened_at AS "reopenedAt", closed_at AS "closedAt",
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

/**
 * Returns one page with the count of all matches: newest first, ties broken by id; with `dueBefore` the one
 * that is due first first. `from` and `until` are not taken beside `dueBefore`, but for one payment.
 */
export async function listDisputes(
  database: Queryable,
  tenant: Tenant,
  filter: DisputeFilter,
): Promise<DisputePage> {
  const isOfTwoInstants = filter.dueBefore !== null && (filter.from !== null || filter.until !== null);
  if (filter.paymentId !== null || isOfTwoInstants) return listCounting(database, tenant, filter);
  if (filter.dueBefore !== null) return listByDeadline(database, tenant, filter, skippedOf(filter));
  const page = await readCountedPage(database, 'disputes', disputeColumns, tenant, filter);
  return { disputes: page.rows as DisputeRecord[], total: page.total };
}

interface DisputePage {
  disputes: DisputeRecord[];
  total: number;
}

const skippedOf = ({ page, perPage }: { page: number; perPage: number }): number => (page - 1) * perPage;

/** Disputes of a status that are due before an instant, from the `skipped`th on. */
async function listByDeadline(
  database: Queryable,
  tenant: Tenant,
  filter: { status: DisputeStatus | null; dueBefore: Date | null; perPage: number },
  skipped: number,
): Promise<DisputePage> {
  const page = await listedPage(
    database,
    'due_page($1, $2, $3, $4, $5, $6) AS l (total, listed) LEFT JOIN disputes r ON r.id = l.listed',
    disputeColumns,
    'r.evidence_due_at, r.id',
    [tenant.merchantId, tenant.environment, filter.status, filter.dueBefore, skipped, filter.perPage],
  );
  return { disputes: page.rows as DisputeRecord[], total: page.total };
}

/** Disputes that nobody waits for an answer to, newest first, from the `skipped`th on. */
async function listSettling(
  database: Queryable,
  tenant: Tenant,
  skipped: number,
  wanted: number,
): Promise<DisputePage> {
  const page = await listedPage(
    database,
    `statuses_page('disputes', $1, $2, $3, NULL, NULL, $4, $5) AS l (total, listed)
       LEFT JOIN disputes r ON r.id = l.listed`,
    disputeColumns,
    'r.created_at DESC, r.id DESC',
    [
      tenant.merchantId,
      tenant.environment,
      disputeStatuses.filter((status) => status !== 'needsResponse'),
      skipped,
      wanted,
    ],
  );
  return { disputes: page.rows as DisputeRecord[], total: page.total };
}

/**
 * Counts what it lists: disputes of one payment are few, and those of a deadline and an age
 * are as many as are of that age.
 */
async function listCounting(
  database: Queryable,
  tenant: Tenant,
  filter: DisputeFilter,
): Promise<DisputePage> {
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
  const { rows } = await database.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE ${where}
     ORDER BY CASE WHEN $5::timestamptz IS NOT NULL THEN evidence_due_at END,
       CASE WHEN $5::timestamptz IS NULL THEN created_at END DESC, id DESC LIMIT $8 OFFSET $9`,
    [...values, filter.perPage, skippedOf(filter)],
  );
  return { disputes: rows, total: counted.rows[0]?.total ?? 0 };
}

/**
 * Returns one page of a tenant's disputes: those that wait for an answer first, by their deadline; then the
 * newest first.
 */
export async function dueDisputes(
  database: Queryable,
  tenant: Tenant,
  filter: { status: DisputeStatus | null; page: number; perPage: number },
): Promise<DisputePage> {
  const { status, page, perPage } = filter;
  const skipped = skippedOf(filter);
  if (status !== null && status !== 'needsResponse') {
    const newest = { status, paymentId: null, dueBefore: null, from: null, until: null, page, perPage };
    return listDisputes(database, tenant, newest);
  }
  const byDeadline = { status: 'needsResponse', dueBefore: null, perPage } as const;
  const waiting = await listByDeadline(database, tenant, byDeadline, skipped);
  if (status !== null) return waiting;
  const others = await listSettling(
    database,
    tenant,
    Math.max(0, skipped - waiting.total),
    perPage - waiting.disputes.length,
  );
  return {
    disputes: [...waiting.disputes, ...others.disputes],
    total: waiting.total + others.total,
  };
}
