import type { MovementRecord, MovementType } from '../../domain/movement.ts';
import type { Tenant } from '../payments/payments.ts';
import { type CursorPage, cursorPage, instantSql, microsecondsSql } from '../server/cursor-page.ts';
import type { Queryable } from '../server/database.ts';

/** The conditions of a list of movements; null: any value. */
export interface MovementFilter {
  type: MovementType | null;
  paymentId: string | null;
  /** The first booking day, as the start of that day in UTC. */
  from: Date | null;
  /** The day after the last booking day, as the start of that day in UTC. */
  until: Date | null;
}

/** A position in a list of movements. */
export interface MovementPosition {
  /** The booking instant, in microseconds since the epoch. */
  bookedUs: number;
  id: string;
}

const columns = `id, type, amount_cents AS "amountCents", currency, environment, payment_id AS "paymentId",
  refund_id AS "refundId", dispute_id AS "disputeId", method, provider_reference AS "providerReference",
  follows_from AS "followsFrom", occurred_at AS "occurredAt", booked_at AS "bookedAt",
  to_char(booked_on, 'YYYY-MM-DD') AS "bookedOn"`;

/** The types of movements by which disputes withdraw money and return it, for a list in SQL. */
export const disputeTypes = `'disputed', 'dispute_won', 'dispute_lost'`;

/** A day begins in one time zone at most this long before it begins in another. */
export const maxZoneOffset = `interval '26 hours'`;

/**
 * Returns up to `limit` matching movements of the tenant, last booked first, and the position after the last
 * one. The cost of a page depends on its size, not on its position nor on the number of movements. Captures
 * are searched among all movements, because most movements are captures. ADR 0061.
 */
export async function listMovements(
  database: Queryable,
  tenant: Tenant,
  { type, paymentId, from, until }: MovementFilter,
  after: MovementPosition | null,
  limit: number,
): Promise<CursorPage<MovementRecord, MovementPosition>> {
  const values: unknown[] = [tenant.merchantId, tenant.environment];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const day = (given: Date): string => `${value(given.toISOString().slice(0, 10))}::date`;
  const where = ['merchant_id = $1', 'environment = $2'];
  if (type !== null) where.push(`type = ${value(type)}`);
  if (paymentId !== null) where.push(`payment_id = ${value(paymentId)}`);
  if (from !== null) {
    where.push(`booked_on >= ${day(from)}`, `booked_at >= ${value(from)}::timestamptz - ${maxZoneOffset}`);
  }
  if (until !== null) {
    where.push(`booked_on < ${day(until)}`);
    // Without a position only: a position already lies beyond the bound at which the list begins.
    if (after === null) where.push(`booked_at < ${value(until)}::timestamptz + ${maxZoneOffset}`);
  }
  if (after !== null) {
    where.push(`(booked_at, id) < (${instantSql(value(after.bookedUs))}, ${value(after.id)}::uuid)`);
  }
  // Not prepared, because the best index depends on the values.
  const { rows } = await database.query<MovementRecord & MovementPosition>({
    text: `SELECT ${columns}, ${microsecondsSql('booked_at')} AS "bookedUs" FROM movements
      WHERE ${where.join(' AND ')} ORDER BY booked_at DESC, id DESC LIMIT ${value(limit + 1)}`,
    values,
  });
  return cursorPage(rows, limit, ({ bookedUs, id }): MovementPosition => ({ bookedUs, id }));
}
