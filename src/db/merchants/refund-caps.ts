import { Refusal } from '../../domain/refusals.ts';
import type { Queryable } from '../server/database.ts';

/**
 * Returns the line of the key that makes a refund. Refuses: cap_reached (403) if the refunds of the line
 * exceed its cap within the UTC day; canceled and failed refunds do not count. Refunds by keys of the same
 * line wait for each other until the end of the transaction, so that the sum is exact.
 */
export async function requireRefundCap(
  transaction: Queryable,
  key: { id: string | null },
  amountCents: number,
): Promise<string | null> {
  const { rows } = await transaction.query<{ lineId: string; capCents: number | null }>(
    `SELECT coalesce(line_id, id) AS "lineId", refund_cap_cents AS "capCents" FROM api_keys WHERE id = $1`,
    [key.id],
  );
  const [line] = rows;
  if (!line || line.capCents === null) return line?.lineId ?? null;
  await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
    `refund cap ${line.lineId}`,
  ]);
  const { rows: sums } = await transaction.query<{ cents: number }>(
    `SELECT coalesce(sum(amount_cents), 0)::bigint AS cents FROM refunds
     WHERE key_line_id = $1 AND created_at >= date_trunc('day', now(), 'UTC')
       AND status NOT IN ('canceled', 'failed')`,
    [line.lineId],
  );
  const left = line.capCents - (sums[0]?.cents ?? 0);
  if (amountCents <= left) return line.lineId;
  throw new Refusal('cap_reached', {
    message:
      `This key may refund ${line.capCents} cents in a day, of which ${Math.max(0, left)} are left. ` +
      'The day ends at midnight UTC.',
  });
}
