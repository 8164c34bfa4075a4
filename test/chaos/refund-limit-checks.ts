import type { Observations } from './observations.ts';
import type { PaymentRow } from './rows.ts';
import type { Report } from './violation.ts';

/** The events after which a refund no longer holds its amount. */
const givenUp: readonly string[] = ['refund.failed', 'refund.canceled'];

/**
 * Checks, in the order of a payment's events, that its refunds never hold more than was paid: a refund of
 * more than is left must be refused. A refund holds its amount from its creation until it fails or is
 * canceled. Payments with refunds that the harness made at the network are left out, because the service
 * cannot refuse those.
 */
export function checkRefundLimit(observations: Observations, payment: PaymentRow, report: Report): void {
  const { id, amountCents } = payment;
  const isOf = ({ paymentId }: { paymentId: string }): boolean => paymentId === id;
  const { refundedElsewhere } = observations;
  if (observations.ledgerRefunds.some((refund) => isOf(refund) && refundedElsewhere.has(refund.key))) return;
  const amounts = new Map(observations.refunds.filter(isOf).map((row) => [row.id, row.amountCents]));
  const held = new Map<string, number>();
  for (const { type, objectId } of observations.events.filter(isOf)) {
    const cents = amounts.get(objectId);
    if (cents === undefined) continue;
    if (givenUp.includes(type)) held.delete(objectId);
    if (type !== 'refund.created') continue;
    held.set(objectId, cents);
    const sum = [...held.values()].reduce((total, each) => total + each, 0);
    if (sum > amountCents)
      report('I22', id, `refund ${objectId} was accepted, ${sum} of ${amountCents} held`);
  }
}
