import { withArchived } from '../payments/archive.ts';
import { instantSql, microsecondsSql } from '../server/cursor-page.ts';
import type { Queryable } from '../server/database.ts';
import type { ReconciliationRun } from './runs.ts';

/** The steps of a comparison, in order. */
export const comparisonSteps = [
  'charges',
  'refunds',
  'refundedSums',
  'disputes',
  'ourAttempts',
  'ourRefunds',
] as const;
export type ComparisonStep = (typeof comparisonSteps)[number];

/** How long the outcome of an attempt, and of a refund, may be unknown. */
const longestAttempt = `interval '1 hour'`;
const longestRefund = `interval '24 hours'`;

/** The rows, including archived ones. */
const payments = withArchived(
  'payments',
  'id, merchant_id, environment, connector_id, amount_cents, created_at, expires_at',
);
const attempts = withArchived(
  'attempts',
  'payment_id, attempt_no, status, provider_reference, started_at, unknown_since',
);
const refunds = withArchived(
  'refunds',
  'id, payment_id, merchant_id, environment, amount_cents, status, provider_reference, created_at, submit_after, submitted_at',
);
const disputes = withArchived('disputes', 'id, merchant_id, environment, provider_reference, status');

/** A place before the newest row, for lists that are read from the newest row on. */
const newestPlace = `9${'0'.repeat(15)} 00000000-0000-0000-0000-000000000000`;
const placeSql = `${instantSql(`split_part($2, ' ', 1)`)}, right($2, 36)::uuid`;

/**
 * The statements of one page of each step. `page` selects the rows of the page with their place in the order
 * of the list. `found` returns possible differences: subject, kind, connector, payment, attempt, refund,
 * reference and instant. `$1`: the run, `$2`: the place after which the page begins, `$3`: its length, `$4`:
 * merchant, `$5`: environment; for our own lists also `$6` and `$7`: the span.
 */
const statements: Readonly<Record<ComparisonStep, { page: string; found: string; first: string }>> = {
  charges: {
    first: '',
    page: stagedSql('charge'),
    // The object of a paid attempt is its own. Any other captured object is an additional charge.
    found: `SELECT 'charge ' || i.reference,
        CASE WHEN i.status <> 'captured' THEN 'paid_but_not_captured'
          WHEN NOT o.own AND o.elsewhere THEN 'captured_twice'
          WHEN a.payment_id IS NULL THEN 'charge_unknown_here'
          WHEN NOT o.own THEN 'captured_but_not_paid' ELSE 'amount_differs' END,
        i.connector_id, i.named_payment, i.attempt_no, NULL::uuid, i.reference, i.created_at
      FROM page i
      LEFT JOIN ${payments} p ON p.id = i.payment_id
      LEFT JOIN ${attempts} a ON a.payment_id = p.id AND a.attempt_no = i.attempt_no,
      LATERAL (SELECT
        coalesce(a.status = 'paid' AND coalesce(a.provider_reference, i.reference) = i.reference, false) AS own,
        ${capturedElsewhereSql('i.payment_id', 'i.attempt_no', 'i.reference', 'i.created_at')} AS elsewhere) AS o
      WHERE CASE WHEN i.status = 'captured'
        THEN NOT o.own OR i.amount_cents <> p.amount_cents OR i.currency <> 'USD' ELSE o.own END`,
  },
  refunds: {
    first: '',
    page: stagedSql('refund'),
    found: `SELECT 'refund ' || coalesce(r.id::text, i.reference),
        CASE WHEN r.id IS NULL THEN 'refund_unknown_here'
          WHEN r.amount_cents <> i.amount_cents OR i.currency <> 'USD' THEN 'refund_amount_differs'
          ELSE 'refund_status_differs' END,
        i.connector_id, i.named_payment, NULL::int, coalesce(r.id, i.refund_id), i.reference, i.created_at
      FROM page i LEFT JOIN ${refunds} r ON r.id IN (i.refund_id, i.provider_refund_id) AND r.payment_id = i.payment_id
      WHERE CASE WHEN r.id IS NULL THEN i.status <> 'failed'
        ELSE r.amount_cents <> i.amount_cents OR i.currency <> 'USD'
          OR i.status <> CASE r.status WHEN 'canceled' THEN 'failed' ELSE r.status END END`,
  },
  refundedSums: {
    first: '00000000-0000-0000-0000-000000000000',
    page: `SELECT DISTINCT i.payment_id, i.payment_id::text AS place FROM reconciliation_items i
      WHERE i.run_id = $1 AND i.kind = 'refund' AND i.payment_id > $2::uuid ORDER BY 1 LIMIT $3`,
    found: `SELECT 'refunds of ' || p.id, 'refunded_too_much', p.connector_id, p.id::text, NULL::int, NULL::uuid,
        NULL, s.last_at
      FROM page JOIN ${payments} p ON p.id = page.payment_id, LATERAL (
        SELECT sum(i.amount_cents) AS there, max(i.created_at) AS last_at FROM reconciliation_items i
        WHERE i.run_id = $1 AND i.kind = 'refund' AND i.payment_id = p.id AND i.status <> 'failed') AS s,
      LATERAL (SELECT coalesce(sum(r.amount_cents), 0) AS here FROM ${refunds} r
        WHERE r.payment_id = p.id AND r.status = 'succeeded' AND NOT EXISTS (
          SELECT FROM reconciliation_items i WHERE i.run_id = $1 AND i.kind = 'refund' AND i.payment_id = p.id
            AND r.id IN (i.refund_id, i.provider_refund_id))) AS o
      WHERE s.there + o.here > p.amount_cents`,
  },
  disputes: {
    first: '',
    page: stagedSql('dispute'),
    found: `SELECT 'dispute ' || i.reference,
        CASE WHEN d.id IS NULL THEN 'dispute_unknown_here' ELSE 'dispute_status_differs' END,
        i.connector_id, i.named_payment, NULL::int, NULL::uuid, i.reference, i.created_at
      FROM page i LEFT JOIN ${disputes} d ON d.provider_reference = i.reference AND d.merchant_id = $4
        AND d.environment = $5
      WHERE d.id IS NULL OR d.status <> CASE i.status WHEN 'withdrawn' THEN 'won' ELSE i.status END`,
  },
  ourAttempts: {
    first: newestPlace,
    // Begins an hour before the span, because an attempt is younger than its payment.
    page: `SELECT p.id, p.connector_id, p.expires_at, p.created_at, ${microsecondsSql('p.created_at')} || ' ' || p.id AS place
      FROM ${payments} p
      WHERE p.merchant_id = $4 AND p.environment = $5 AND p.created_at >= $6::timestamptz - interval '1 hour'
        AND p.created_at < $7 AND (p.created_at, p.id) < (${placeSql})
      ORDER BY p.created_at DESC, p.id DESC LIMIT $3`,
    found: `SELECT CASE WHEN a.status = 'paid' THEN 'charge ' ELSE 'attempt ' END
          || coalesce(a.provider_reference, p.id || ':' || a.attempt_no),
        CASE WHEN a.status = 'paid' THEN 'charge_missing_there' ELSE 'unresolved_too_long' END,
        p.connector_id, p.id::text, a.attempt_no, NULL::uuid, a.provider_reference, a.started_at
      FROM page p JOIN ${attempts} a ON a.payment_id = p.id
      WHERE a.started_at >= $6 AND a.started_at < $7 AND (
        a.status = 'paid' AND NOT EXISTS (SELECT FROM reconciliation_items i WHERE i.run_id = $1 AND i.kind = 'charge'
          AND i.payment_id = p.id AND i.attempt_no = a.attempt_no)
        OR a.status = 'processing' AND a.started_at < now() - ${longestAttempt}
        OR a.status = 'requiresAction' AND (p.expires_at < now() - ${longestAttempt}
          OR a.unknown_since < now() - ${longestAttempt}))`,
  },
  ourRefunds: {
    first: newestPlace,
    // Begins a day before the span, because a refund is sent some time after it was created.
    page: `SELECT r.*, ${microsecondsSql('r.created_at')} || ' ' || r.id AS place FROM ${refunds} r
      WHERE r.merchant_id = $4 AND r.environment = $5 AND r.created_at >= $6::timestamptz - interval '1 day'
        AND r.created_at < $7 AND (r.created_at, r.id) < (${placeSql})
      ORDER BY r.created_at DESC, r.id DESC LIMIT $3`,
    found: `SELECT CASE WHEN r.status = 'succeeded' THEN 'refund ' ELSE 'pending refund ' END || r.id,
        CASE WHEN r.status = 'succeeded' THEN 'refund_missing_there' ELSE 'unresolved_too_long' END,
        p.connector_id, p.id::text, NULL::int, r.id, r.provider_reference, r.created_at
      FROM page r JOIN ${payments} p ON p.id = r.payment_id
      WHERE coalesce(r.submitted_at, r.created_at) >= $6 AND (
        r.status = 'succeeded' AND NOT EXISTS (SELECT FROM reconciliation_items i WHERE i.run_id = $1
          AND i.kind = 'refund' AND i.payment_id = p.id AND r.id IN (i.refund_id, i.provider_refund_id))
        OR r.status = 'pending' AND coalesce(r.submitted_at, r.submit_after) < now() - ${longestRefund})`,
  },
};

function stagedSql(kind: 'charge' | 'refund' | 'dispute'): string {
  return `SELECT i.*, i.reference AS place FROM reconciliation_items i
    WHERE i.run_id = $1 AND i.kind = '${kind}' AND i.reference > $2 ORDER BY i.reference LIMIT $3`;
}

/**
 * Returns SQL for whether money of the payment was captured outside this charge: by another attempt in the
 * rows, or earlier at the provider.
 */
export function capturedElsewhereSql(
  payment: string,
  attemptNo: string,
  reference: string,
  at: string,
): string {
  return `(EXISTS (SELECT FROM ${attempts} x WHERE x.payment_id = ${payment} AND x.status = 'paid'
      AND (x.attempt_no IS DISTINCT FROM ${attemptNo} OR x.provider_reference <> ${reference}))
    OR EXISTS (SELECT FROM reconciliation_items x WHERE x.run_id = $1 AND x.kind = 'charge'
      AND x.payment_id = ${payment} AND x.status = 'captured' AND x.reference <> ${reference}
      AND (x.created_at, x.reference) < (${at}, ${reference})))`;
}

/**
 * Compares one page of a step and stores possible differences; each must be looked up by its key before it
 * counts. May be repeated. `next`: the place after the page; null at the end. `found`: the number of stored
 * differences.
 */
export async function comparePage(
  database: Queryable,
  run: ReconciliationRun,
  step: ComparisonStep,
  place: string | null,
  limit: number,
): Promise<{ next: string | null; found: number }> {
  const { page, found, first } = statements[step];
  const isOurs = step === 'ourAttempts' || step === 'ourRefunds';
  const span = isOurs ? [run.spanFrom, run.spanTo] : [];
  const { rows } = await database.query<{ next: string | null; pageRows: number; found: number }>(
    `WITH page AS MATERIALIZED (${page}),
     stored AS (
       INSERT INTO reconciliation_differences (run_id, merchant_id, environment, subject, kind, connector_id,
         payment_id, attempt_no, refund_id, reference, created_at)
       SELECT $1::uuid, $4::uuid, $5::text, f.* FROM (${found}) AS f
       ON CONFLICT DO NOTHING RETURNING 1
     )
     SELECT (SELECT place FROM page ${isOurs ? 'ORDER BY created_at, id' : 'ORDER BY place DESC'} LIMIT 1) AS next,
       (SELECT count(*)::int FROM page) AS "pageRows", (SELECT count(*)::int FROM stored) AS found`,
    [run.id, place ?? first, limit, run.merchantId, run.environment, ...span],
  );
  const [read] = rows;
  return { next: read?.pageRows === limit ? read.next : null, found: read?.found ?? 0 };
}
