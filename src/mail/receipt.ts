import { cardName, dayAndTime, languageTags, money } from '../checkout-page/format.ts';
import { fill, messages } from '../checkout-page/messages.ts';
import type { MailSender, ReceiptFacts } from '../db/mail/mail-contents.ts';
import { shortReference } from '../domain/short-reference.ts';
import type { Environment } from '../domain/statuses.ts';
import type { MailText } from './message.tsx';
import { receiptTexts } from './messages/receipt.ts';

/** Returns the receipt of a payment, in its language, with the facts that the paid page shows. */
export function receiptText(
  payment: ReceiptFacts,
  { merchantName: merchant, supportEmail }: MailSender,
  environment: Environment,
): MailText {
  const { locale, method, cardBrand, cardLast4, paidAt, description } = payment;
  const text = receiptTexts[locale];
  const words = messages[locale];
  const amount = money(locale, payment.amountCents);
  const values = { merchant, amount };
  const paidWith =
    cardBrand !== null && cardLast4 !== null
      ? cardName({ brand: cardBrand, last4: cardLast4 })
      : method && words[method];
  return {
    language: languageTags[locale],
    subject: fill(text.subject, values),
    title: text.title,
    mark: environment === 'sandbox' ? text.test : null,
    paragraphs: [fill(text.thanks, values), ...(description === null ? [] : [description])],
    lines: (payment.lineItems ?? []).map(({ name, quantity, amountCents }) => [
      quantity === 1 ? name : `${name} × ${quantity}`,
      money(locale, amountCents),
    ]),
    facts: [
      [words.amount, amount],
      [words.paidTo, merchant],
      [text.shopReference, payment.reference],
      ...(paidAt === null ? [] : [[words.date, dayAndTime(locale, paidAt.getTime())] as const]),
      ...(paidWith ? [[words.methodUsed, paidWith] as const] : []),
      [words.paymentReference, shortReference(payment.id)],
    ],
    link: null,
    after: [
      fill(text.keep, values),
      ...(supportEmail === null ? [] : [fill(text.help, { merchant, contact: supportEmail })]),
    ],
  };
}
