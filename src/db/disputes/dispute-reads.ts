import { type DisputeRecord, type DisputeStatus, disputeStatuses } from '../../domain/dispute.ts';
import type { Queryable } from '../server/database.ts';
import { type CursorPage, cursorPage, instantSql, microsecondsSql } from '../server/cursor-page.ts';
import { readCountedPage } from '../server/list-counts.ts';
import type { Tenant } from '../payments/payments.ts';

/** The columns of a DisputeRecord. */
export const disputeColumns = `
  id, merchant_id AS "merchantId", environment, payment_id AS "paymentId", provider_reference AS "providerReference",
  amount_cents AS "amountCents", reason, stage, status, resolution, evidence, evidence_due_at AS "evidenceDueAt",
  submitted_at AS "submittedAt", auto_submit AS "autoSubmit", auto_submitted AS "autoSubmitted", reminded,
  created_at AS "createdAt", reopened_at AS "reopenedAt", closed_at AS "closedAt",
  (SELECT p.connector_id FROM payments p WHERE p.id = payment_id) AS "connectorId"`;

/** Returns a dispute by its id alone. For workers. */
export async function loadDispute(database: Queryable, id: string): Promise<DisputeRecord | null> {
  const { rows } = await database.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/** Returns the tenant's dispute, or null. */
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

/** Returns every dispute of a payment, oldest first. For operators. */
export async function listPaymentDisputes(database: Queryable, paymentId: string): Promise<DisputeRecord[]> {
  const { rows } = await database.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE payment_id = $1 ORDER BY created_at, id`,
    [paymentId],
  );
  return rows;
}

/** The conditions of a list of disputes; null: any value. */
export interface DisputeFilter {
  status: DisputeStatus | null;
  paymentId: string | null;
  /** Created at this instant or later. */
  from: Date | null;
  /** Created before this instant. */
  until: Date | null;
}

/** Returns one page with the count of all matches: newest first, ties broken by id. */
export async function listDisputes(
  database: Queryable,
  tenant: Tenant,
  filter: DisputeFilter & { page: number; perPage: number },
): Promise<{ disputes: DisputeRecord[]; total: number }> {
  if (filter.paymentId !== null) return listOfPayment(database, tenant, filter);
  const page = await readCountedPage(database, 'disputes', disputeColumns, tenant, filter);
  return { disputes: page.rows as DisputeRecord[], total: page.total };
}

/** Returns one page of a payment's disputes. It counts the rows directly, because one payment has few. */
async function listOfPayment(
  database: Queryable,
  tenant: Tenant,
  filter: DisputeFilter & { page: number; perPage: number },
): Promise<{ disputes: DisputeRecord[]; total: number }> {
  const where = `merchant_id = $1 AND environment = $2 AND ($3::text IS NULL OR status = $3) AND payment_id = $4
    AND ($5::timestamptz IS NULL OR created_at >= $5) AND ($6::timestamptz IS NULL OR created_at < $6)`;
  const { status, paymentId, from, until, page, perPage } = filter;
  const values = [tenant.merchantId, tenant.environment, status, paymentId, from, until];
  const counted = await database.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM disputes WHERE ${where}`,
    values,
  );
  const { rows } = await database.query<DisputeRecord>(
    `SELECT ${disputeColumns} FROM disputes WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT $7 OFFSET $8`,
    [...values, perPage, (page - 1) * perPage],
  );
  return { disputes: rows, total: counted.rows[0]?.total ?? 0 };
}

/**
 * A position in a list of disputes: the instant that orders the list, in microseconds since the epoch, and an
 * id.
 */
export interface DisputePosition {
  us: number;
  id: string;
}

/**
 * Returns up to `limit` matching disputes that are due before an instant (null: at any time), earliest
 * deadline first, and the position after the last one. The cost of a page depends on its size, not on its
 * position nor on the number of disputes; `from` and `until` also skip the disputes of other days. A new
 * deadline moves a dispute to another position. ADR 0016.
 */
export async function listDisputesByDeadline(
  database: Queryable,
  tenant: Tenant,
  filter: DisputeFilter & { dueBefore: Date | null },
  after: DisputePosition | null,
  limit: number,
): Promise<CursorPage<DisputeRecord, DisputePosition>> {
  const values: unknown[] = [tenant.merchantId, tenant.environment];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const { status, paymentId, dueBefore, from, until } = filter;
  const where = ['merchant_id = $1', 'environment = $2'];
  if (status !== null) where.push(`status = ${value(status)}`);
  if (paymentId !== null) where.push(`payment_id = ${value(paymentId)}`);
  if (dueBefore !== null) where.push(`evidence_due_at < ${value(dueBefore)}`);
  if (from !== null) where.push(`created_at >= ${value(from)}`);
  if (until !== null) where.push(`created_at < ${value(until)}`);
  if (after !== null) {
    where.push(`(evidence_due_at, id) > (${instantSql(value(after.us))}, ${value(after.id)}::uuid)`);
  }
  // Not prepared, because the best index depends on the values.
  const { rows } = await database.query<DisputeRecord & DisputePosition>({
    text: `SELECT ${disputeColumns}, ${microsecondsSql('evidence_due_at')} AS us FROM disputes
      WHERE ${where.join(' AND ')} ORDER BY evidence_due_at, id LIMIT ${value(limit + 1)}`,
    values,
  });
  return pageOf(rows, limit);
}

/**
 * Returns up to `limit` disputes of the statuses, newest first, ties broken by id. Each status is read from
 * its own index.
 */
async function listNewest(
  database: Queryable,
  tenant: Tenant,
  statuses: readonly DisputeStatus[],
  after: DisputePosition | null,
  limit: number,
): Promise<CursorPage<DisputeRecord, DisputePosition>> {
  const values: unknown[] = [tenant.merchantId, tenant.environment, statuses, limit + 1];
  if (after !== null) values.push(after.us, after.id);
  const behind = after === null ? '' : `AND (created_at, id) < (${instantSql('$5')}, $6::uuid)`;
  const { rows } = await database.query<DisputeRecord & DisputePosition>({
    text: `SELECT d.* FROM unnest($3::text[]) AS s (of_status) CROSS JOIN LATERAL (
        SELECT ${disputeColumns}, ${microsecondsSql('created_at')} AS us FROM disputes
        WHERE merchant_id = $1 AND environment = $2 AND status = s.of_status ${behind}
        ORDER BY created_at DESC, id DESC LIMIT $4
      ) AS d ORDER BY d.us DESC, d.id DESC LIMIT $4`,
    values,
  });
  return pageOf(rows, limit);
}

function pageOf(
  found: readonly (DisputeRecord & DisputePosition)[],
  limit: number,
): CursorPage<DisputeRecord, DisputePosition> {
  const page = cursorPage(found, limit, ({ us, id }): DisputePosition => ({ us, id }));
  return { rows: page.rows.map(({ us: _us, ...dispute }) => dispute), next: page.next };
}

/**
 * A position in the list of {@link disputesToHandle}: one of its two parts and a position in it, which is
 * null at the part's beginning.
 */
export interface HandlingPosition {
  part: 'needsResponse' | 'others';
  position: DisputePosition | null;
}

/**
 * Returns up to `limit` disputes of the tenant and the position after the last one. Those that need a
 * response come first, earliest deadline first; the others follow, newest first. `status` null: all.
 */
export async function disputesToHandle(
  database: Queryable,
  tenant: Tenant,
  status: DisputeStatus | null,
  after: HandlingPosition | null,
  limit: number,
): Promise<CursorPage<DisputeRecord, HandlingPosition>> {
  const others = disputeStatuses.filter(
    (one) => one !== 'needsResponse' && (status === null || status === one),
  );
  const beginsWithResponses = status === null || status === 'needsResponse';
  const { part, position } = after ?? {
    part: beginsWithResponses ? 'needsResponse' : 'others',
    position: null,
  };
  if (part === 'others') {
    const newest = await listNewest(database, tenant, others, position, limit);
    return { rows: newest.rows, next: newest.next && { part, position: newest.next } };
  }
  const filter = { status: part, paymentId: null, dueBefore: null, from: null, until: null } as const;
  const waiting = await listDisputesByDeadline(database, tenant, filter, position, limit);
  if (waiting.next !== null) return { rows: waiting.rows, next: { part, position: waiting.next } };
  if (status === 'needsResponse') return { rows: waiting.rows, next: null };
  const wanted = limit - waiting.rows.length;
  // If the page is full, one more row shows whether another page follows.
  const newest = await listNewest(database, tenant, others, null, Math.max(wanted, 1));
  const rows = [...waiting.rows, ...newest.rows.slice(0, wanted)];
  const follows = newest.next !== null || newest.rows.length > wanted;
  return { rows, next: follows ? { part: 'others', position: wanted === 0 ? null : newest.next } : null };
}

/** Returns the outcome of each dispute of a payment. */
export async function disputeOutcomes(
  transaction: Queryable,
  paymentId: string,
): Promise<Pick<DisputeRecord, 'status' | 'resolution'>[]> {
  const { rows } = await transaction.query<Pick<DisputeRecord, 'status' | 'resolution'>>(
    'SELECT status, resolution FROM disputes WHERE payment_id = $1',
    [paymentId],
  );
  return rows;
}
