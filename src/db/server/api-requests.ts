import type { ApiRequest } from '../../domain/api-request.ts';
import type { TimelineRequest } from '../../domain/timeline/sources.ts';
import type { Queryable } from './database.ts';
import type { Tenant } from '../payments/payments.ts';

const columns = `id, merchant_id AS "merchantId", environment, at, method, route, status,
  error_code AS "errorCode", ms, key_id AS "keyId", payment_id AS "paymentId"`;

/**
 * Stores a batch of requests. A batch is repeated when its response was lost, so requests that are already
 * stored are skipped.
 */
export async function insertRequests(database: Queryable, requests: readonly ApiRequest[]): Promise<void> {
  const of = <Name extends keyof ApiRequest>(name: Name): ApiRequest[Name][] =>
    requests.map((request) => request[name]);
  await database.query(
    `INSERT INTO api_requests
       (id, merchant_id, environment, at, method, route, status, error_code, ms, key_id, payment_id)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::text[],
       $7::smallint[], $8::text[], $9::integer[], $10::text[], $11::uuid[])
     ON CONFLICT DO NOTHING`,
    [
      of('id'),
      of('merchantId'),
      of('environment'),
      of('at'),
      of('method'),
      of('route'),
      of('status'),
      of('errorCode'),
      of('ms'),
      of('keyId'),
      of('paymentId'),
    ],
  );
}

/** The conditions of a search; an absent one matches everything. */
export interface RequestFilter {
  /** First digit of the status. */
  statusClass?: 2 | 4 | 5;
  /** A part of the route's template. */
  route?: string;
  /** Request-Id. */
  id?: string;
  paymentId?: string;
}

/** The maximum number of requests that one search reads, so that a condition without matches ends too. */
export const maxScanned = 20_000;

/**
 * Returns up to `limit` matching requests of the tenant, newest first, before `before` (null: from the
 * newest), and the id to continue before (null: there are no more). A search ends after `maxScanned`
 * requests, so it may return few requests or none, and still an id to continue before.
 */
export async function listRequests(
  database: Queryable,
  tenant: Tenant,
  filter: RequestFilter,
  before: string | null,
  limit: number,
): Promise<{ requests: ApiRequest[]; next: string | null }> {
  const { scan, text, values } = requestStatement(tenant, filter, before, limit + 1);
  // Not prepared, because the best index depends on the conditions.
  const { rows } = await database.query<ApiRequest>({ text, values });
  const requests = rows.slice(0, limit);
  if (rows.length > limit) return { requests, next: requests.at(-1)?.id ?? null };
  const end = await database.query<{ id: string }>({
    text: `SELECT id FROM (${scan}) w OFFSET ${maxScanned - 1} LIMIT 1`,
    values: values.slice(0, -1 - (filter.route === undefined ? 0 : 1)),
  });
  return { requests, next: end.rows[0]?.id ?? null };
}

/**
 * Returns the statement of a search. It reads a bounded part of an index in order, and selects the matches.
 */
export function requestStatement(
  tenant: Tenant,
  { statusClass, route, id, paymentId }: RequestFilter,
  before: string | null,
  limit: number,
): { scan: string; text: string; values: unknown[] } {
  const values: unknown[] = [tenant.merchantId, tenant.environment];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const where = ['merchant_id = $1', 'environment = $2'];
  // Literals, because the planner uses the partial index of refused requests only for literals.
  const from = statusClass === undefined ? null : statusClass * 100;
  if (from !== null && from >= 400) where.push(`status >= ${from}`, `status < ${from + 100}`);
  if (id !== undefined) where.push(`id = ${value(id)}::uuid`);
  if (paymentId !== undefined) where.push(`payment_id = ${value(paymentId)}::uuid`);
  if (before !== null) where.push(`id < ${value(before)}::uuid`);
  const scan = `SELECT ${columns} FROM api_requests WHERE ${where.join(' AND ')}
    ORDER BY id DESC LIMIT ${maxScanned}`;
  const picked = [
    ...(from !== null && from < 400 ? [`status >= ${from}`, `status < ${from + 100}`] : []),
    ...(route === undefined ? [] : [`strpos(route, ${value(route)}) > 0`]),
  ];
  const text = `SELECT * FROM (${scan}) w${picked.length === 0 ? '' : ` WHERE ${picked.join(' AND ')}`}
    ORDER BY id DESC LIMIT ${value(limit)}`;
  return { scan, text, values };
}

/**
 * The maximum number of requests in a payment's timeline, newest first: a caller in a loop must not crowd out
 * the events.
 */
const maxTimelineRequests = 200;

/** Returns the requests that tried to change the tenant's payment, as far as they are still stored. */
export async function findTimelineRequests(
  database: Queryable,
  tenant: Tenant,
  paymentId: string,
): Promise<TimelineRequest[]> {
  const { rows } = await database.query<TimelineRequest>(
    `SELECT id, method, route, at + ms * interval '1 millisecond' AS "answeredAt", status,
       error_code AS "errorCode"
     FROM api_requests
     WHERE merchant_id = $1 AND environment = $2 AND payment_id = $3 AND method <> 'GET'
     ORDER BY id DESC LIMIT ${maxTimelineRequests}`,
    [tenant.merchantId, tenant.environment, paymentId],
  );
  return rows;
}
