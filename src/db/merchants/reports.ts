import type { Queryable } from '../server/database.ts';
import type { Tenant } from '../payments/payments.ts';

export const reportGroups = ['day', 'month', 'method'] as const;
export type ReportGroup = (typeof reportGroups)[number];

/** What moved in a group; amounts in cents. A refund that came back is taken off where it came back. */
export interface ReportRow {
  /** `2026-03-31`, `2026-03` or the method. */
  name: string;
  paid: number;
  failed: number;
  takenCents: number;
  refundedCents: number;
  disputedCents: number;
}

/** Why attempts of a span were declined, the most frequent reason first. */
export interface DeclineCount {
  code: string;
  attempts: number;
}

/** Groups and reasons that are read at most. */
const mostRows = 1_000;
const mostReasons = 10;

const nameSql: Readonly<Record<ReportGroup, string>> = {
  day: `to_char(moved.at AT TIME ZONE $5, 'YYYY-MM-DD')`,
  month: `to_char(moved.at AT TIME ZONE $5, 'YYYY-MM')`,
  // The zone is named in every statement, so that they have the same parameters.
  method: `coalesce(moved.method, '') || left($5::text, 0)`,
};

/**
 * Returns what moved in a span, by day or month of the zone or by method, in their order. Each movement has
 * its own instant, so that a past group does not change by what happens later: taken when it was paid,
 * refunded when the refund succeeded, disputed when the dispute was opened.
 */
export async function readReport(
  database: Queryable,
  { merchantId, environment }: Tenant,
  { from, until, timeZone, by }: { from: Date; until: Date; timeZone: string; by: ReportGroup },
): Promise<ReportRow[]> {
  const { rows } = await database.query<ReportRow>({
    text: `WITH moved AS (
        SELECT paid_at AS at, method, 1 AS paid, 0 AS failed, amount_cents AS taken, 0 AS refunded, 0 AS disputed
        FROM payments WHERE merchant_id = $1 AND environment = $2 AND paid_at >= $3 AND paid_at < $4
        UNION ALL
        SELECT finalized_at, method, 0, 1, 0, 0, 0 FROM payments
        WHERE merchant_id = $1 AND environment = $2 AND status = 'failed' AND finalized_at >= $3 AND finalized_at < $4
          AND created_at < $4
        UNION ALL
        SELECT m.at, p.method, 0, 0, 0, m.cents, 0
        FROM refunds r JOIN payments p ON p.id = r.payment_id, LATERAL (VALUES (r.succeeded_at, r.amount_cents),
          (CASE WHEN r.succeeded_at IS NOT NULL THEN r.failed_at END, -r.amount_cents)) AS m (at, cents)
        WHERE r.merchant_id = $1 AND r.environment = $2 AND r.created_at < $4 AND m.at >= $3 AND m.at < $4
        UNION ALL
        SELECT d.created_at, p.method, 0, 0, 0, 0, d.amount_cents
        FROM disputes d JOIN payments p ON p.id = d.payment_id
        WHERE d.merchant_id = $1 AND d.environment = $2 AND d.created_at >= $3 AND d.created_at < $4
      )
      SELECT ${nameSql[by]} AS name, sum(paid)::int AS paid, sum(failed)::int AS failed,
        sum(taken)::bigint AS "takenCents", sum(refunded)::bigint AS "refundedCents",
        sum(disputed)::bigint AS "disputedCents"
      FROM moved GROUP BY 1 ORDER BY 1 LIMIT ${mostRows}`,
    values: [merchantId, environment, from, until, timeZone],
  });
  return rows;
}

/** Returns why attempts of a span were declined. */
export async function readDeclines(
  database: Queryable,
  { merchantId, environment }: Tenant,
  { from, until }: { from: Date; until: Date },
): Promise<DeclineCount[]> {
  const { rows } = await database.query<DeclineCount>({
    text: `SELECT a.failure_code AS code, count(*)::int AS attempts
      FROM payments p JOIN attempts a ON a.payment_id = p.id
      WHERE p.merchant_id = $1 AND p.environment = $2 AND p.created_at >= $3 AND p.created_at < $4
        AND a.failure_code IS NOT NULL
      GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${mostReasons}`,
    values: [merchantId, environment, from, until],
  });
  return rows;
}
