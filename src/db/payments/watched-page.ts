import type { Queryable } from '../server/database.ts';

/** How many of the newest payments are examined. */
const newest = 50;

/**
 * Returns one of the newest payments whose hosted page currently accepts a payment, with its sealed address;
 * null if none of the newest 50 does.
 */
export async function findOpenPage(
  database: Queryable,
): Promise<{ paymentId: string; sealed: Buffer } | null> {
  const { rows } = await database.query<{ paymentId: string; sealed: Buffer }>(
    `SELECT id AS "paymentId", checkout_url_sealed AS sealed
     FROM (SELECT id, checkout_url_sealed, checkout_mode, checkout_status, expires_at
       FROM payments ORDER BY id DESC LIMIT $1) AS newest
     WHERE checkout_mode = 'hosted' AND checkout_status = 'open' AND expires_at > clock_timestamp() + interval '1 minute'
     ORDER BY id DESC LIMIT 1`,
    [newest],
  );
  return rows[0] ?? null;
}
