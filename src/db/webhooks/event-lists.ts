import type { StoredEvent } from '../../domain/event.ts';
import type { Queryable } from '../server/database.ts';
import { eventColumns } from './events.ts';
import { listedPage, secondsOf } from '../server/list-counts.ts';
import type { Tenant } from '../payments/payments.ts';

/** One page of a list, with the count of all matches. */
interface EventPage {
  events: StoredEvent[];
  total: number;
}

interface Paging {
  page: number;
  perPage: number;
}

/** Place of an event in its tenant's log; null when it is not (or no longer) there. */
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
 * Returns one page of a tenant's events, newest first, ties in the order of the log. `type`: a type or a
 * group such as `payment.*`; `from` inclusive, `until` exclusive, starts of UTC days. What it costs depends
 * on the page's size, not on its place nor on the length of the log (ADR 0016).
 */
export async function listEvents(
  database: Queryable,
  tenant: Tenant,
  filter: { type: string | null; from: Date | null; until: Date | null } & Paging,
): Promise<EventPage> {
  return pageOf(
    database,
    tenant,
    'event_page($1, $2, $3, $4, $5, $6, $7)',
    [filter.type, secondsOf(filter.from), secondsOf(filter.until), skippedOf(filter), filter.perPage],
    'e.created_at DESC, e.position DESC',
  );
}

/**
 * Returns one page of what comes behind a place of a tenant's log (0: from its beginning), in its order;
 * costs as {@link listEvents}.
 */
export async function readLog(
  database: Queryable,
  tenant: Tenant,
  filter: { type: string | null; afterPosition: number } & Paging,
): Promise<EventPage> {
  return pageOf(
    database,
    tenant,
    'log_page($1, $2, $3, $4, $5, $6)',
    [filter.type, filter.afterPosition, skippedOf(filter), filter.perPage],
    'e.position',
  );
}

const skippedOf = ({ page, perPage }: Paging): number => (page - 1) * perPage;

/** Reads the events of a page that `source`, called with the tenant and `values`, tells the places of. */
async function pageOf(
  database: Queryable,
  tenant: Tenant,
  source: string,
  values: unknown[],
  order: string,
): Promise<EventPage> {
  const page = await listedPage(
    database,
    `${source} AS l (total, listed)
       LEFT JOIN events e ON e.merchant_id = $1 AND e.environment = $2 AND e.position = l.listed`,
    eventColumns,
    order,
    [tenant.merchantId, tenant.environment, ...values],
  );
  return { events: page.rows as StoredEvent[], total: page.total };
}

/** Filters of the events of one payment; `from` inclusive, `until` exclusive. */
export interface PaymentEventFilter extends Paging {
  paymentId: string;
  /** A type, or a group such as `payment.*`. */
  type: string | null;
  from: Date | null;
  until: Date | null;
  /** Only events with a higher sequence than this. */
  afterSequence: number | null;
  /** Only events behind this place of the log. */
  afterPosition: number | null;
  /** The order of the log; otherwise newest first. */
  oldestFirst: boolean;
}

/** Returns one page of a payment's events, which are few: they are counted. */
export async function listEventsOfPayment(
  database: Queryable,
  tenant: Tenant,
  filter: PaymentEventFilter,
): Promise<EventPage> {
  const where = `e.merchant_id = $1 AND e.environment = $2 AND e.payment_id = $3
    AND ($4::text IS NULL OR e.type = $4 OR split_part(e.type, '.', 1) || '.*' = $4)
    AND ($5::timestamptz IS NULL OR e.created_at >= $5) AND ($6::timestamptz IS NULL OR e.created_at < $6)
    AND ($7::int IS NULL OR e.sequence > $7) AND ($8::bigint IS NULL OR e.position > $8)`;
  const values = [
    tenant.merchantId,
    tenant.environment,
    filter.paymentId,
    filter.type,
    filter.from,
    filter.until,
    filter.afterSequence,
    filter.afterPosition,
  ];
  const counted = await database.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM events e WHERE ${where}`,
    values,
  );
  const total = counted.rows[0]?.total ?? 0;
  const skipped = skippedOf(filter);
  if (skipped >= total) return { events: [], total };
  const order = filter.oldestFirst ? 'e.position' : 'e.created_at DESC, e.position DESC';
  const { rows } = await database.query<StoredEvent>(
    `SELECT ${eventColumns} FROM events e WHERE ${where} ORDER BY ${order} LIMIT $9 OFFSET $10`,
    [...values, filter.perPage, skipped],
  );
  return { events: rows, total };
}
