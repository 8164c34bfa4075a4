import { formatMoney } from '../../domain/money.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { timelinePart } from '../../domain/timeline/parts.ts';
import { labelOf } from '../parts/format.ts';
import { shortStory, type StorySource } from '../payments/story.ts';
import { texts } from '../texts/en.ts';

const text = texts.disputes.facts;

/**
 * Returns the known facts of a disputed payment as plain lines for the network: the order, when and how it
 * was paid, the customer, whether the bank authenticated the customer, and what was refunded. Instants in
 * UTC.
 */
export function factsForNetwork(payment: PaymentRecord, authenticated: boolean): string {
  const { customerName, customerEmail, cardBrand, cardLast4, cardIssuer } = payment;
  const customer = [customerName, customerEmail].filter((part) => part !== null).join(', ');
  const issuer = [cardIssuer?.bank, cardIssuer?.countryName].filter(
    (part) => part !== undefined && part !== null,
  );
  const card = cardLast4 === null ? null : text.card(labelOf(cardBrand ?? 'card'), cardLast4);
  const lines = [
    text.order(payment.reference),
    payment.description === null ? null : text.description(payment.description),
    ...(payment.lineItems ?? []).map(({ name, quantity, amountCents }) =>
      text.item(quantity, name, formatMoney(amountCents, 'USD')),
    ),
    text.amount(formatMoney(payment.amountCents, 'USD')),
    payment.paidAt === null ? null : text.paid(inUtc(payment.paidAt)),
    customer === '' ? null : text.customer(customer),
    card === null ? null : [card, ...issuer].join(', '),
    payment.method === 'card' ? (authenticated ? text.authenticated : text.notAuthenticated) : null,
    payment.refundedCents === 0 ? null : text.refunded(formatMoney(payment.refundedCents, 'USD')),
  ];
  return lines.filter((line) => line !== null).join('\n');
}

/**
 * Returns what happened to a disputed payment as dated lines for the network, oldest first: without the
 * dispute itself and without what concerns the shop's systems. Instants in UTC.
 */
export function storyForNetwork(source: StorySource): string {
  const entries = source.entries.filter(
    ({ kind }) => timelinePart(kind) === 'payment' && !/dispute/i.test(kind),
  );
  return shortStory({ ...source, entries })
    .toReversed()
    .map(({ at, title }) => `${inUtc(new Date(at))}: ${title.replaceAll('\u00a0', ' ')}`)
    .join('\n');
}

const inUtc = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
