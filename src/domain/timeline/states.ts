import type { PaymentStatus, TerminalReason } from '../statuses.ts';
import type { TimelineSources } from './sources.ts';
import { type DraftEntry, cardOf } from './draft-entry.ts';

const statusTitles: Readonly<Record<PaymentStatus, string>> = {
  pending: 'Payment is pending again',
  requiresAction: 'The customer must complete a step',
  paid: 'Payment is paid',
  failed: 'Payment failed',
  refunded: 'Payment is refunded',
  partiallyRefunded: 'Payment is partially refunded',
  disputed: 'Payment is disputed',
  disputeWon: 'Dispute is won',
  disputeLost: 'Dispute is lost',
};

const closingTitles: Readonly<Record<TerminalReason, string>> = {
  checkout_expired: 'Checkout closed: its deadline passed',
  attempts_exhausted: 'Checkout closed: no attempts are left',
  provider_failed: 'Checkout closed: the network refused permanently',
};

/** Returns the entries of the payment itself: creation, opening, statuses, closing, moved deadlines. */
export function stateEntries({ states, attempts, events, openedAt }: TimelineSources): DraftEntry[] {
  const [first] = states;
  if (!first) return [];
  const { payment } = first;
  const entries: DraftEntry[] = [
    {
      at: payment.createdAt,
      rank: 'created',
      kind: 'payment.created',
      title: 'Payment created',
      detail: {
        reference: payment.reference,
        amountCents: payment.amountCents,
        currency: 'USD',
        checkoutMode: payment.checkoutMode,
      },
    },
  ];
  if (openedAt !== null) {
    entries.push({
      at: openedAt,
      rank: 'opened',
      kind: 'checkout.opened',
      title: 'The customer opened the checkout page',
      detail: {},
    });
  }
  for (const [index, after] of states.entries()) {
    const before = states[index - 1]?.payment;
    if (!before) continue;
    const now = after.payment;
    if (now.status !== before.status) {
      const event = events.find(
        ({ type, sequence }) =>
          type === `payment.${now.status}` && sequence > before.eventSeq && sequence <= now.eventSeq,
      );
      const becamePaid = now.status === 'paid' && before.paidAt === null;
      const paid = attempts.find(({ status }) => status === 'paid');
      const late = becamePaid && now.checkoutStatus === 'expired' && paid?.late !== false;
      const open = attempts.findLast(
        ({ startedAt, resolvedAt }) =>
          startedAt <= after.from && (resolvedAt === null || resolvedAt >= after.from),
      );
      entries.push({
        at: after.from,
        rank: 'payment',
        kind: `payment.${now.status}`,
        title: late ? 'Payment is paid after its checkout closed' : statusTitles[now.status],
        detail: {
          previousStatus: before.status,
          ...(now.status === 'requiresAction' && open ? { attemptNo: open.attemptNo } : {}),
          ...(now.status === 'paid' ? { method: now.method, ...cardOf(now) } : {}),
          ...(now.status === 'failed'
            ? { failureCode: now.failureCode, failureMessage: now.failureMessage }
            : {}),
          ...(now.refundedCents === before.refundedCents ? {} : { refundedCents: now.refundedCents }),
          ...(late ? { late: true } : {}),
          ...(event ? { eventId: event.id } : {}),
        },
      });
    }
    if (now.terminalReason !== null && before.terminalReason === null) {
      entries.push({
        at: after.from,
        rank: 'checkout',
        kind: 'checkout.closed',
        title: closingTitles[now.terminalReason],
        detail: { terminalReason: now.terminalReason },
      });
    }
    if (now.expiresAt.getTime() !== before.expiresAt.getTime()) {
      entries.push({
        at: after.from,
        rank: 'checkout',
        kind: 'checkout.deadlineMoved',
        title: 'Checkout deadline moved',
        detail: { expiresAt: now.expiresAt.toISOString() },
      });
    }
  }
  return entries;
}
