import type { Ledger } from './ledger.ts';
import type { Payout } from './records.ts';
import { type ApiObject, seconds } from './views.ts';

/** One movement of an account's balance. It is derived from its object, so it never changes. */
export interface BalanceTransaction {
  id: string;
  accountId: string;
  live: boolean;
  createdAt: number;
  type: 'charge' | 'refund' | 'refund_failure' | 'adjustment' | 'payout';
  category: string;
  amountCents: number;
  feeCents: number;
  /** The object that it comes from. */
  source: string;
}

/**
 * Stripe's fees for cards in the United States: 2.9 % and 30 cents for a charge, 15 dollars for a dispute.
 */
const feeOfCharge = (cents: number): number => Math.round(cents * 0.029) + 30;
const DISPUTE_FEE_CENTS = 1_500;

/** Returns the movements of every account, the oldest first. */
export function balanceOf(ledger: Ledger): BalanceTransaction[] {
  const charges = ledger.charges().flatMap((charge): BalanceTransaction[] => {
    const { amountCents } = charge;
    if (charge.status !== 'succeeded') return [];
    return [entry(charge, 'ch_', { type: 'charge', amountCents, feeCents: feeOfCharge(amountCents) })];
  });
  const refunds = ledger.refunds().flatMap((refund): BalanceTransaction[] => {
    const { amountCents, status } = refund;
    if (status === 'pending' || status === 'canceled') return [];
    const made = entry(refund, 're_', { type: 'refund', amountCents: -amountCents });
    if (status !== 'failed') return [made];
    const id = refund.id.replace(/^re_/, 'txn_9');
    return [made, { ...made, id, type: 'refund_failure', category: 'refund_failure', amountCents }];
  });
  const disputes = ledger.disputes().flatMap((dispute): BalanceTransaction[] => {
    const { amountCents, status } = dispute;
    if (status.startsWith('warning_')) return [];
    const of = { type: 'adjustment', category: 'dispute', amountCents: -amountCents } as const;
    const made = entry(dispute, 'dp_', { ...of, feeCents: DISPUTE_FEE_CENTS });
    if (status !== 'won') return [made];
    const id = dispute.id.replace(/^dp_/, 'txn_9');
    return [made, { ...made, id, category: 'dispute_reversal', amountCents, feeCents: 0 }];
  });
  const payouts = ledger
    .payouts()
    .map((payout) => entry(payout, 'po_', { type: 'payout', amountCents: -payout.amountCents }));
  return [...charges, ...refunds, ...disputes, ...payouts].toSorted((a, b) => a.createdAt - b.createdAt);
}

function entry(
  { id, accountId, live, createdAt }: Pick<Payout, 'id' | 'accountId' | 'live' | 'createdAt'>,
  prefix: string,
  of: Pick<BalanceTransaction, 'type' | 'amountCents'> & Partial<BalanceTransaction>,
): BalanceTransaction {
  const own = { id: id.replace(prefix, 'txn_'), accountId, live, createdAt, source: id };
  return { ...own, category: of.type, feeCents: 0, ...of };
}

export const balanceTransactionView = (transaction: BalanceTransaction): ApiObject => {
  const { id, amountCents, feeCents, createdAt, category, source, type } = transaction;
  return {
    id,
    object: 'balance_transaction',
    amount: amountCents,
    available_on: seconds(createdAt) + 2 * 86_400,
    balance_type: 'payments',
    created: seconds(createdAt),
    currency: 'usd',
    description: null,
    exchange_rate: null,
    fee: feeCents,
    fee_details:
      feeCents === 0
        ? []
        : [
            {
              amount: feeCents,
              application: null,
              currency: 'usd',
              description: 'Stripe processing fees',
              type: 'stripe_fee',
            },
          ],
    net: amountCents - feeCents,
    reporting_category: category,
    source,
    status: 'pending',
    type,
  };
};

export const payoutView = ({ id, amountCents, createdAt, live, metadata }: Payout): ApiObject => ({
  id,
  object: 'payout',
  amount: amountCents,
  application_fee: null,
  application_fee_amount: null,
  arrival_date: seconds(createdAt) + 86_400,
  automatic: false,
  balance_transaction: id.replace(/^po_/, 'txn_'),
  created: seconds(createdAt),
  currency: 'usd',
  description: null,
  destination: null,
  failure_balance_transaction: null,
  failure_code: null,
  failure_message: null,
  livemode: live,
  metadata,
  method: 'standard',
  original_payout: null,
  payout_method: null,
  reconciliation_status: 'not_applicable',
  reversed_by: null,
  source_type: 'card',
  statement_descriptor: null,
  status: 'paid',
  trace_id: null,
  type: 'bank_account',
});
