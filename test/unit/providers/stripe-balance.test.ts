import type { Stripe } from 'stripe';
import { balanceEntryOf } from '../../../src/providers/stripe/balance.ts';
import { partial } from '../../support/partial.ts';

const transaction = (of: Partial<Stripe.BalanceTransaction>): Stripe.BalanceTransaction =>
  partial<Stripe.BalanceTransaction>({
    id: 'txn_1',
    type: 'charge',
    amount: 2500,
    fee: 103,
    currency: 'usd',
    created: 1_770_000_000,
    source: null,
    ...of,
  });
const entry = { reference: 'txn_1', currency: 'USD', createdAtMs: 1_770_000_000_000 };
const charge = partial<Stripe.Charge>({ id: 'ch_1', payment_intent: 'pi_1' });

it.each([
  [
    'the fee of a charge, with its intent',
    { source: charge },
    { kind: 'fee', amountCents: -103, chargeReference: 'pi_1' },
  ],
  [
    'the fee of a charge whose intent is expanded',
    { source: partial<Stripe.Charge>({ payment_intent: partial<Stripe.PaymentIntent>({ id: 'pi_2' }) }) },
    { kind: 'fee', amountCents: -103, chargeReference: 'pi_2' },
  ],
  [
    'the fee of a dispute, without its amount',
    { type: 'adjustment', amount: -2500, fee: 1500 },
    { kind: 'fee', amountCents: -1500, chargeReference: null },
  ],
  [
    'a fee of the account',
    { type: 'stripe_fee', amount: -200, fee: 0 },
    { kind: 'fee', amountCents: -200, chargeReference: null },
  ],
  [
    'a payout to the bank',
    { type: 'payout', amount: -9000, fee: 0 },
    { kind: 'payout', amountCents: -9000, chargeReference: null },
  ],
  [
    'a payout that came back',
    { type: 'payout_failure', amount: 9000, fee: 0 },
    { kind: 'payout', amountCents: 9000, chargeReference: null },
  ],
] as const)('reads %s', (_what, of, read) => {
  expect(balanceEntryOf(transaction(of))).toEqual({ ...entry, ...read });
});

it('leaves out what is in the charges, refunds and disputes', () => {
  expect(balanceEntryOf(transaction({ type: 'refund', amount: -2500, fee: 0 }))).toBeNull();
});
