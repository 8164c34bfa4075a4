import type { Queryable } from '../server/database.ts';
import { withArchived } from '../payments/archive.ts';
import { attemptNoOf } from '../payments/capture-hints.ts';
import { providerRefundId } from '../refunds/provider-refunds.ts';
import type { ReconciliationRun } from './runs.ts';

/** One object of a provider's list. */
export interface ReportedItem {
  reference: string;
  key: string | null;
  paymentId: string | null;
  chargeReference: string | null;
  amountCents: number;
  currency: string;
  status: string;
  createdAtMs: number;
}

const payments = withArchived('payments', 'id, merchant_id, environment, connector_id');
const attempts = withArchived('attempts', 'payment_id, provider_reference');

export type ItemKind = 'charge' | 'refund' | 'dispute';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const idOf = (text: string | null): string | null => (text !== null && uuid.test(text) ? text : null);

/**
 * Stores a page of a provider's list. An object that is listed again replaces its stored values. Left out are
 * objects whose payment belongs to another merchant, environment or connector here, and refunds and disputes
 * whose charge is unknown here.
 */
export async function stageItems(
  database: Queryable,
  run: ReconciliationRun,
  connectorId: string | null,
  kind: ItemKind,
  reported: readonly ReportedItem[],
): Promise<void> {
  // One statement must not write a row twice.
  const items = [...new Map(reported.map((item) => [item.reference, item])).values()].map((item) => {
    const paymentId = idOf(item.paymentId);
    const isCharge = kind === 'charge' && paymentId !== null && item.key !== null;
    return {
      reference: item.reference,
      payment_id: paymentId,
      attempt_no: isCharge ? attemptNoOf(paymentId, item.key ?? '') : null,
      refund_id: kind === 'refund' ? idOf(item.key) : null,
      provider_refund_id: kind === 'refund' ? providerRefundId(item.reference) : null,
      key: item.key,
      named_payment: item.paymentId,
      charge_reference: item.chargeReference,
      amount_cents: item.amountCents,
      currency: item.currency,
      status: item.status,
      created_at: new Date(item.createdAtMs),
    };
  });
  await database.query(
    `INSERT INTO reconciliation_items AS stored (run_id, kind, connector_id, reference, payment_id, attempt_no,
       refund_id, provider_refund_id, key, named_payment, amount_cents, currency, status, created_at)
     SELECT $1, $2, $3, i.reference, coalesce(a.payment_id, i.payment_id), i.attempt_no, i.refund_id,
       i.provider_refund_id, i.key, coalesce(a.payment_id::text, i.named_payment), i.amount_cents, i.currency,
       i.status, i.created_at
     FROM json_to_recordset($4) AS i (reference text, payment_id uuid, attempt_no int, refund_id uuid,
       provider_refund_id uuid, key text, named_payment text, charge_reference text, amount_cents bigint,
       currency text, status text, created_at timestamptz)
     LEFT JOIN ${attempts} a ON a.provider_reference = i.charge_reference
     WHERE ($2 = 'charge' OR i.named_payment IS NOT NULL OR a.payment_id IS NOT NULL)
       AND NOT EXISTS (SELECT FROM ${payments} p WHERE p.id = coalesce(a.payment_id, i.payment_id)
         AND (p.merchant_id <> $5 OR p.environment <> $6 OR p.connector_id IS DISTINCT FROM $3))
     ON CONFLICT (run_id, kind, reference) DO UPDATE SET amount_cents = excluded.amount_cents,
       currency = excluded.currency, status = excluded.status`,
    [run.id, kind, connectorId, JSON.stringify(items), run.merchantId, run.environment],
  );
}

/** Deletes the staged items of a finished run, at most `limit` rows. Returns whether there may be more. */
export async function clearItems(database: Queryable, runId: string, limit: number): Promise<boolean> {
  const { rowCount } = await database.query(
    `DELETE FROM reconciliation_items WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM reconciliation_items WHERE run_id = $1 LIMIT $2))`,
    [runId, limit],
  );
  return rowCount === limit;
}
