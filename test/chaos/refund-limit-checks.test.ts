import { partial } from '../support/partial.ts';
import type { Observations } from './observations.ts';
import { checkRefundLimit } from './refund-limit-checks.ts';
import type { EventRow, PaymentRow, RefundRow } from './rows.ts';

const paymentId = 'payment';
const payment = partial<PaymentRow>({ id: paymentId, amountCents: 2_500 });

/** Returns the details of the violations after these events of two refunds, which are more than was paid. */
function violationsAfter(
  events: readonly (readonly [type: string, refundId: string])[],
  made: Partial<Observations> = {},
): string[] {
  const found: string[] = [];
  const observations = partial<Observations>({
    events: events.map(([type, objectId]) => partial<EventRow>({ paymentId, type, objectId })),
    refunds: ['one', 'two'].map((id) => partial<RefundRow>({ id, paymentId, amountCents: 1_500 })),
    ledgerRefunds: [],
    refundedElsewhere: new Set(),
    ...made,
  });
  checkRefundLimit(observations, payment, (_invariant, _id, detail) => found.push(detail));
  return found;
}

const [one, two] = [
  ['refund.created', 'one'],
  ['refund.created', 'two'],
] as const;

it('sees a refund that was accepted although another holds its money', () => {
  const seen = ['refund two was accepted, 3000 of 2500 held'];
  expect(violationsAfter([one, two])).toEqual(seen);
  expect(violationsAfter([one, ['refund.succeeded', 'one'], two, ['refund.failed', 'two']])).toEqual(seen);
});

it.each(['refund.failed', 'refund.canceled'])('accepts a second refund after the %s of the first', (end) => {
  expect(violationsAfter([one, [end, 'one'], two])).toEqual([]);
});

it('leaves out a payment with a refund that the harness made at the network', () => {
  const ledgerRefunds = [{ paymentId, key: 'elsewhere' }] as Observations['ledgerRefunds'];
  const refundedElsewhere = new Set(['elsewhere']);
  expect(violationsAfter([one, two], { ledgerRefunds, refundedElsewhere })).toEqual([]);
});
