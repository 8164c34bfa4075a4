import type { Stripe } from 'stripe';
import type { ListedBalanceEntry } from '../listings.ts';

/** Types of balance transactions that move money between the account and its bank. */
const payouts: readonly string[] = ['payout', 'payout_cancel', 'payout_failure'];
/** Types whose whole amount is a fee. */
const fees: readonly string[] = ['stripe_fee', 'stripe_fx_fee', 'tax_fee'];

/**
 * Returns the fee of a Stripe balance transaction, or its payout, which moves money between the account and
 * its bank; null: it has neither. Amounts of charges, refunds and disputes are left out.
 */
export function balanceEntryOf(transaction: Stripe.BalanceTransaction): ListedBalanceEntry | null {
  const { id, type, amount, fee, currency, created, source } = transaction;
  const of = { reference: id, currency: currency.toUpperCase(), createdAtMs: created * 1_000 };
  if (payouts.includes(type)) return { ...of, kind: 'payout', amountCents: amount, chargeReference: null };
  const amountCents = (fees.includes(type) ? amount : 0) - fee;
  return amountCents === 0 ? null : { ...of, kind: 'fee', amountCents, chargeReference: intentOf(source) };
}

/** Returns the payment intent behind a transaction's object; null: there is none. */
function intentOf(source: Stripe.BalanceTransaction['source']): string | null {
  if (typeof source !== 'object' || source === null || !('payment_intent' in source)) return null;
  const intent = source.payment_intent;
  return typeof intent === 'object' ? (intent?.id ?? null) : (intent ?? null);
}
