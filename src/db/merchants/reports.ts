import { disputeTypes, maxZoneOffset } from '../movements/movements.ts';
import type { Queryable } from '../server/database.ts';
import { withArchived } from '../payments/archive.ts';
import type { Tenant } from '../payments/payments.ts';

export const reportGroups = ['day', 'month', 'method'] as const;
export type ReportGroup = (typeof reportGroups)[number];

/**
 * The money of one group, in cents. Money that came back, from a refund or a dispute, is subtracted where it
 * came back.
 */
export interface ReportRow {
  /** `2026-03-31`, `2026-03` or the method. */
  name: string;
  paid: number;
  failed: number;
  takenCents: number;
  refundedCents: number;
  disputedCents: number;
}

/** A reason why attempts of a span were declined, with its count; the most frequent reason comes first. */
export interface DeclineCount {
  code: string;
  attempts: number;
  /** Its share of all declined attempts, in whole percent. */
  percent: number;
}

/** The maximum number of groups and reasons that are read. */
const maxRows = 1_000;
const maxReasons = 10;

const nameSql: Readonly<Record<ReportGroup, string>> = {
  day: `to_char(moved.day, 'YYYY-MM-DD')`,
  month: `to_char(moved.day, 'YYYY-MM')`,
  method: `coalesce(moved.method, '')`,
};

/** Amounts of other currencies must not be added to these cents. */
const currency = 'USD';

/**
 * Returns the money of a span, by day or month of the zone or by method, in that order. Money is counted
 * under the day on which its movement was booked. A closed month therefore never changes, neither by later
 * events nor by another zone. If the span begins or ends within a day, the instant decides too. ADR 0061.
 */
export async function readReport(
  database: Queryable,
  { merchantId, environment }: Tenant,
  { from, until, timeZone, by }: { from: Date; until: Date; timeZone: string; by: ReportGroup },
): Promise<ReportRow[]> {
  const { rows } = await database.query<ReportRow>({
    text: `WITH span AS (
        SELECT $3::timestamptz AT TIME ZONE $5 AS first, $4::timestamptz AT TIME ZONE $5 AS after
      ), moved AS (
        SELECT m.booked_on AS day, m.method, m.type IN ('captured', 'late') AS paid, false AS failed,
          CASE WHEN m.type IN ('captured', 'late') THEN m.amount_cents ELSE 0 END AS taken,
          CASE WHEN m.type IN ('refunded', 'refund_failed') THEN -m.amount_cents ELSE 0 END AS refunded,
          CASE WHEN m.type IN (${disputeTypes}) THEN -m.amount_cents ELSE 0 END AS disputed
        FROM movements m, span s
        WHERE m.merchant_id = $1 AND m.environment = $2 AND m.currency = '${currency}'
          AND m.booked_at >= $3::timestamptz - ${maxZoneOffset} AND m.booked_at < $4::timestamptz + ${maxZoneOffset}
          AND m.booked_on >= s.first::date AND (m.booked_at >= $3 OR s.first::time = '00:00')
          AND m.booked_on <= (s.after - interval '1 microsecond')::date
          AND (m.booked_at < $4 OR s.after::time = '00:00')
        UNION ALL
        SELECT (p.finalized_at AT TIME ZONE $5)::date, p.method, false, true, 0, 0, 0
        FROM ${withArchived('payments', 'merchant_id, environment, status, method, finalized_at, created_at')} p
        WHERE p.merchant_id = $1 AND p.environment = $2 AND p.status = 'failed'
          AND p.finalized_at >= $3 AND p.finalized_at < $4 AND p.created_at < $4
      )
      SELECT ${nameSql[by]} AS name, (count(*) FILTER (WHERE paid))::int AS paid,
        (count(*) FILTER (WHERE failed))::int AS failed, sum(taken)::bigint AS "takenCents",
        sum(refunded)::bigint AS "refundedCents", sum(disputed)::bigint AS "disputedCents"
      FROM moved GROUP BY 1 ORDER BY 1 LIMIT ${maxRows}`,
    values: [merchantId, environment, from, until, timeZone],
  });
  return rows;
}

/** Returns the reasons why attempts of a span were declined. */
export async function readDeclines(
  database: Queryable,
  { merchantId, environment }: Tenant,
  { from, until }: { from: Date; until: Date },
): Promise<DeclineCount[]> {
  const { rows } = await database.query<DeclineCount>({
    text: `SELECT a.failure_code AS code, count(*)::int AS attempts,
        round(100.0 * count(*) / sum(count(*)) OVER ())::int AS percent
      FROM ${withArchived('payments', 'id, merchant_id, environment, created_at')} p
      JOIN ${withArchived('attempts', 'payment_id, failure_code')} a ON a.payment_id = p.id
      WHERE p.merchant_id = $1 AND p.environment = $2 AND p.created_at >= $3 AND p.created_at < $4
        AND a.failure_code IS NOT NULL
      GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${maxReasons}`,
    values: [merchantId, environment, from, until],
  });
  return rows;
}
