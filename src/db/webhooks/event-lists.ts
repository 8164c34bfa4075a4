import type { StoredEvent } from '../../domain/event.ts';
import { type CursorPage, cursorPage, instantSql, microsecondsSql } from '../server/cursor-page.ts';
import type { Queryable } from '../server/database.ts';
import type { Tenant } from '../payments/payments.ts';
import { eventColumns } from './events.ts';

/** The conditions of a list of events; null: any value. */
export interface EventFilter {
  /** A type, or a group such as `payment.*`. */
  type: string | null;
  paymentId: string | null;
  /** Created at this instant or later. */
  from: Date | null;
  /** Created before this instant. */
  until: Date | null;
  /** Only events of the payment with a higher sequence; valid only with `paymentId`. */
  afterSequence: number | null;
  /** Only events after this position of the log. */
  afterPosition: number | null;
  /** In the order of the log; otherwise newest first, ties in the reverse order of the log. */
  oldestFirst: boolean;
}

/** The conditions that every event meets, newest first. */
export const allEvents: EventFilter = {
  type: null,
  paymentId: null,
  from: null,
  until: null,
  afterSequence: null,
  afterPosition: null,
  oldestFirst: false,
};

/** A position in a list of events. */
export interface EventPosition {
  /** Creation, in microseconds since the epoch. */
  createdUs: number;
  /** Position in the log. */
  position: number;
}

/** Returns the position of an event in its tenant's log; null if it is not stored or no longer stored. */
export async function findEventPosition(
  database: Queryable,
  tenant: Tenant,
  id: string,
): Promise<number | null> {
  const { rows } = await database.query<{ position: number }>(
    'SELECT position FROM events WHERE id = $1 AND merchant_id = $2 AND environment = $3',
    [id, tenant.merchantId, tenant.environment],
  );
  return rows[0]?.position ?? null;
}

/**
 * Returns up to `limit` matching events of the tenant, and the position after the last one. The cost of a
 * page depends on its size and the number of event types, not on its position nor on the length of the log.
 * The creation and the log position of an event never change, so that reading from page to page returns every
 * event that is stored throughout exactly once. ADR 0016.
 */
export async function listEvents(
  database: Queryable,
  tenant: Tenant,
  filter: EventFilter,
  after: EventPosition | null,
  limit: number,
): Promise<CursorPage<StoredEvent, EventPosition>> {
  // Not prepared, because the best index depends on the values.
  const { rows } = await database.query<StoredEvent & EventPosition>(
    eventsStatement(tenant, filter, after, limit + 1),
  );
  const page = cursorPage(rows, limit, ({ createdUs, position }): EventPosition => ({ createdUs, position }));
  return {
    rows: page.rows.map(({ createdUs: _createdUs, position: _position, ...event }) => event),
    next: page.next,
  };
}

/** Returns the statement of {@link listEvents}: it holds only the filters that are given. */
function eventsStatement(
  tenant: Tenant,
  filter: EventFilter,
  after: EventPosition | null,
  limit: number,
): { text: string; values: unknown[] } {
  const values: unknown[] = [tenant.merchantId, tenant.environment];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const own = 'e.merchant_id = $1 AND e.environment = $2';
  const { type, paymentId, from, until, afterSequence, afterPosition, oldestFirst } = filter;
  const where = [own];
  if (paymentId !== null) where.push(`e.payment_id = ${value(paymentId)}`);
  if (from !== null) where.push(`e.created_at >= ${value(from)}`);
  // A position lies after the bound that the list begins at. With both conditions PostgreSQL may scan from
  // one to the other.
  if (until !== null && (oldestFirst || after === null)) where.push(`e.created_at < ${value(until)}`);
  if (afterSequence !== null) where.push(`e.sequence > ${value(afterSequence)}`);
  if (afterPosition !== null && after === null) where.push(`e.position > ${value(afterPosition)}`);
  if (after !== null && oldestFirst) where.push(`e.position > ${value(after.position)}`);
  if (after !== null && !oldestFirst) {
    where.push(
      `(e.created_at, e.position) < (${instantSql(value(after.createdUs))}, ${value(after.position)})`,
    );
  }
  const isGroup = type?.endsWith('.*') ?? false;
  if (type !== null && !isGroup) where.push(`e.type = ${value(type)}`);
  // One payment has few events: they need no index on the type.
  if (type !== null && isGroup && paymentId !== null) {
    where.push(`starts_with(e.type, ${value(type.slice(0, -1))})`);
  }
  const order = oldestFirst ? 'e.position' : 'e.created_at DESC, e.position DESC';
  const columns = `${eventColumns}, e.position, ${microsecondsSql('e.created_at')} AS "createdUs"`;
  const matching = (more: string): string =>
    `SELECT ${columns} FROM events e WHERE ${where.join(' AND ')}${more} ORDER BY ${order} LIMIT ${value(limit)}`;
  if (type === null || !isGroup || paymentId !== null) return { text: matching(''), values };
  // Reads a page of each type of the group from the type's own index, and selects the first events of them
  // all.
  const text = `WITH RECURSIVE types (type) AS (
      SELECT (SELECT min(e.type) FROM events e WHERE ${own})
      UNION ALL
      SELECT (SELECT min(e.type) FROM events e WHERE ${own} AND e.type > t.type) FROM types t WHERE t.type IS NOT NULL
    )
    SELECT p.* FROM types t CROSS JOIN LATERAL (${matching(' AND e.type = t.type')}) p
    WHERE starts_with(t.type, ${value(type.slice(0, -1))})
    ORDER BY ${oldestFirst ? 'p.position' : 'p."createdUs" DESC, p.position DESC'} LIMIT ${value(limit)}`;
  return { text, values };
}
