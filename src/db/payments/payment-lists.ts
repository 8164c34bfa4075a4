import type { PaymentRecord } from '../../domain/payment.ts';
import type { PaymentStatus } from '../../domain/statuses.ts';
import type { Queryable } from '../server/database.ts';
import { type PaymentOrder, patternOf, type PaymentSearch, searchStatement } from './payment-search.ts';
import { disputeTypes } from '../movements/movements.ts';
import type { Tenant } from './payments.ts';

/** The maximum number of payments that are counted and summed one by one. */
export const maxSummed = 10_000;

/** The sums of a list's payments in cents, and the number of matching payments in each status. */
export interface PaymentSums {
  counts: Readonly<Partial<Record<PaymentStatus, number>>>;
  /** The sum of the paid ones. */
  takenCents: number;
  refundedCents: number;
  /** What disputes withdrew and did not return, as reports count it. */
  disputedCents: number;
}

/** A page of a list of payments. */
export interface PaymentPage {
  payments: PaymentRecord[];
  /** The number of matching payments; with `atLeast` a lower bound. */
  total: number;
  atLeast: boolean;
  /** The sums of the matching payments in the statuses of the search; null if there are too many to sum. */
  sums: PaymentSums | null;
  /** The counts by status, even if there are too many payments to sum; null if they are not counted. */
  counts: Readonly<Partial<Record<PaymentStatus, number>>> | null;
}

/** Returns the exact number of a tenant's payments by status, from the counters of lists (ADR 0016). */
async function countByStatus(
  database: Queryable,
  { merchantId, environment }: Tenant,
  { from, until }: PaymentSearch,
): Promise<Partial<Record<PaymentStatus, number>> | null> {
  const [fromS, untilS] = [from, until].map((at) => (at === undefined ? null : at.getTime() / 1_000));
  // The counters have spans of ten seconds.
  if ((fromS ?? 0) % 10 !== 0 || (untilS ?? 0) % 10 !== 0) return null;
  const { rows } = await database.query<{ status: PaymentStatus; entries: number }>(
    `SELECT s.status, count_listed('payments', $1, $2, s.status, $4::bigint)
       - CASE WHEN $3::bigint IS NULL THEN 0 ELSE count_listed('payments', $1, $2, s.status, $3::bigint) END AS entries
     FROM (VALUES ('pending'), ('requiresAction'), ('paid'), ('failed'), ('refunded'), ('partiallyRefunded'),
       ('disputed'), ('disputeWon'), ('disputeLost')) AS s (status)`,
    [merchantId, environment, fromS, untilS],
  );
  return Object.fromEntries(rows.map(({ status, entries }) => [status, entries]));
}

/**
 * Counts the payments that a statement finds, reading at most one more than may be summed, and sums those of
 * the statuses.
 */
async function sumUp(
  database: Queryable,
  statement: { text: string; values: unknown[] },
  isSelected: (status: string) => boolean,
) {
  const { rows } = await database.query<{
    status: PaymentStatus;
    entries: number;
    taken: number;
    refunded: number;
    disputed: number;
  }>({
    text: `SELECT status, count(*)::int AS entries,
        coalesce(sum("amountCents") FILTER (WHERE "paidAt" IS NOT NULL), 0)::bigint AS taken,
        coalesce(sum("refundedCents"), 0)::bigint AS refunded,
        coalesce(sum(CASE WHEN status IN ('disputed', 'disputeLost') THEN (
          SELECT -sum(m.amount_cents) FROM movements m
          WHERE m.payment_id = found.id AND m.type IN (${disputeTypes})) END), 0)::bigint AS disputed
      FROM (${statement.text}) AS found GROUP BY status`,
    values: statement.values,
  });
  const sum = (pick: (row: (typeof rows)[number]) => number): number =>
    rows.filter(({ status }) => isSelected(status)).reduce((all, row) => all + pick(row), 0);
  return {
    found: rows.reduce((all, { entries }) => all + entries, 0),
    sums: {
      counts: Object.fromEntries(rows.map(({ status, entries }) => [status, entries])),
      takenCents: sum(({ taken }) => taken),
      refundedCents: sum(({ refunded }) => refunded),
      disputedCents: sum(({ disputed }) => disputed),
    } satisfies PaymentSums,
  };
}

/** Returns whether the tenant has so few payments that comparing the newest ones finds all matches. */
async function hasFewPayments(database: Queryable, { merchantId, environment }: Tenant): Promise<boolean> {
  const { rows } = await database.query(
    `SELECT FROM payments WHERE merchant_id = $1 AND environment = $2
     ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ${maxSummed}`,
    [merchantId, environment],
  );
  return rows.length === 0;
}

const isOnlySpan = ({ from: _from, until: _until, statuses: _statuses, ...rest }: PaymentSearch): boolean =>
  Object.values(rest).every((value) => value === undefined);

/**
 * Returns a page of the tenant's matching payments in an order, with their number and their sums. The cost is
 * bounded: exact counts come from the counters of lists; other counts and all sums come from at most 10,001
 * rows.
 */
export async function readPaymentPage(
  database: Queryable,
  tenant: Tenant,
  search: PaymentSearch,
  { order, page, perPage }: { order: PaymentOrder; page: number; perPage: number },
): Promise<PaymentPage> {
  const options = { order, offset: (page - 1) * perPage };
  const isText = patternOf(search) !== null;
  const read = async (by: 'comparison' | 'index'): Promise<PaymentRecord[]> =>
    (await database.query<PaymentRecord>(searchStatement(tenant, search, null, perPage, { ...options, by })))
      .rows;
  const { statuses, ...withoutStatuses } = search;
  const isSmall = isText && (await hasFewPayments(database, tenant));
  // A text that many payments contain is sorted and counted among the newest payments only.
  const compared = await read('comparison');
  const byIndex = isText && !isSmall && compared.length < perPage;
  const payments = byIndex ? await read('index') : compared;
  const by = byIndex ? 'index' : 'comparison';
  const isSelected = (status: string): boolean =>
    statuses === undefined || statuses.some((one) => one === status);
  const matching = searchStatement(tenant, withoutStatuses, null, maxSummed + 1, { by });
  const { found, sums } = await sumUp(database, matching, isSelected);
  const isWhole = found <= maxSummed && (!isText || isSmall || byIndex);
  const counts = isWhole
    ? sums.counts
    : isOnlySpan(search)
      ? await countByStatus(database, tenant, search)
      : null;
  const ofStatuses = (known: PaymentSums['counts']): number =>
    Object.entries(known)
      .filter(([status]) => isSelected(status))
      .reduce((sum, [, entries]) => sum + entries, 0);
  const total = Math.max(ofStatuses(counts ?? sums.counts), options.offset + payments.length);
  return { payments, total, atLeast: counts === null, sums: isWhole ? sums : null, counts };
}
