import { entryNamed } from '../../domain/entry-named.ts';
import type { ComponentChildren } from 'preact';
import type { LineItem, PaymentRecord } from '../../domain/payment.ts';
import { shortReference } from '../../domain/short-reference.ts';
import { labelOf, money } from '../parts/format.ts';
import { Address, Card, Facts, Time } from '../parts/parts.tsx';
import { Copied } from '../parts/copied.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { Method, methodLabel } from './method.tsx';
import type { AttemptLine, PaymentPageData } from './data.ts';
import { receiptFact } from './receipt.tsx';

const text = texts.payments;

/** Returns how a payment was paid, worded for the middle of a sentence. */
export const methodText = ({ method, cardBrand, cardLast4 }: PaymentRecord): string =>
  method === null ? text.theCustomer : methodLabel(method, cardBrand, cardLast4);

interface Decline {
  message: string;
  advice: string;
  code: string | null;
}

const declines: Readonly<Record<string, string>> = text.declineAdvice;

/** Returns why the payment, or its latest declined attempt, failed; null if neither failed. */
function lastDecline({ payment, attempts }: PaymentPageData): Decline | null {
  const declined = attempts
    .filter(({ failureCode }) => failureCode !== null)
    .toSorted((one, other) => other.attemptNo - one.attemptNo)[0];
  const { failureMessage, failureCode } = payment.failureCode === null ? (declined ?? payment) : payment;
  if (failureCode === null) return null;
  return {
    message: failureMessage ?? labelOf(failureCode),
    advice: entryNamed(declines, failureCode) ?? text.otherAdvice,
    code: failureCode,
  };
}

/** A value with a copy button; null if there is no value. */
const copied = (value: string | null, shown: ComponentChildren = value) =>
  value === null ? null : <Copied value={value}>{shown}</Copied>;

const copiedAddress = (value: string | null) =>
  value === null ? null : copied(value, <Address of={value} />);

/**
 * The facts of a payment, beside its timeline: the payment, its checkout, its customer, its method and its
 * metadata. `withCheckout`: false if the checkout has a card of its own.
 */
export function FactsCard({
  frame,
  data,
  withCheckout,
}: {
  frame: Frame;
  data: PaymentPageData;
  withCheckout: boolean;
}) {
  const { payment, attempts } = data;
  return (
    <Card title={text.details}>
      <Facts isPairs of={[...paymentFacts(frame, payment), ...(withCheckout ? checkoutFacts(data) : [])]} />
      {payment.customerName === null && payment.customerEmail === null ? null : (
        <Group title={text.customer}>
          <Facts
            isPairs
            of={[
              [text.customerName, copied(payment.customerName)],
              [text.customerEmail, copiedAddress(payment.customerEmail)],
              [text.receipt, receiptFact(frame, data)],
            ]}
          />
        </Group>
      )}
      <PaidWith payment={payment} attempt={attempts.at(-1)} decline={lastDecline(data)} />
      <Metadata metadata={payment.metadata} />
    </Card>
  );
}

/** A part of the facts, below a line. */
const Group = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="fact-group">
    <h3>{title}</h3>
    {children}
  </section>
);

type FactList = Parameters<typeof Facts>[0]['of'];

const paymentFacts = (frame: Frame, payment: PaymentRecord): FactList => [
  [text.reference, copied(payment.reference)],
  [text.id, copied(payment.id, <code class="payment-id">{payment.id}</code>)],
  [text.customerReference, copied(shortReference(payment.id))],
  [text.created, <Time at={payment.createdAt} frame={frame} />],
  [text.paid, payment.paidAt && <Time at={payment.paidAt} frame={frame} />],
  [text.refunded, payment.refundedCents === 0 ? null : money(payment.refundedCents)],
];

const checkoutFacts = ({ payment, checkoutUrl }: PaymentPageData): FactList => [
  [text.checkout, labelOf(payment.checkoutStatus)],
  [text.offered, payment.offeredMethods.map(labelOf).join(', ')],
  [text.checkoutLink, copied(checkoutUrl, <a href={checkoutUrl ?? ''}>{text.openCheckout}</a>)],
  [text.successUrl, copiedAddress(payment.successUrl)],
];

/** The checkout of a payment, in a card of its own. */
export const CheckoutCard = ({ data }: { data: PaymentPageData }) => (
  <Card title={text.checkout}>
    <Facts
      of={checkoutFacts(data).map(([name, value]) => [
        name === text.checkout ? texts.common.status : name,
        value,
      ])}
    />
  </Card>
);

/** The description and items of the order, as the merchant sent them. */
export function PurchaseCard({ payment: { description, lineItems } }: { payment: PaymentRecord }) {
  if (description === null && lineItems === null) return null;
  return (
    <Card title={text.bought}>
      {description === null ? null : <p>{description}</p>}
      {lineItems === null ? null : <Items items={lineItems} />}
    </Card>
  );
}

/** The maximum number of items shown at once; further ones are folded. */
const maxItems = 8;
const firstItems = 5;

const Items = ({ items }: { items: readonly LineItem[] }) =>
  items.length <= maxItems ? (
    <ItemList items={items} />
  ) : (
    <div>
      <ItemList items={items.slice(0, firstItems)} />
      <details>
        <summary>{text.showItems(items.length - firstItems)}</summary>
        <ItemList items={items.slice(firstItems)} />
      </details>
    </div>
  );

const ItemList = ({ items }: { items: readonly LineItem[] }) => (
  <ul class="amounts">
    {items.map(({ name, quantity, amountCents }, index) => (
      <li key={index}>
        <span>{quantity === 1 ? name : `${quantity} × ${name}`}</span>
        <span class="money">{money(amountCents)}</span>
      </li>
    ))}
  </ul>
);

function PaidWith({
  payment,
  attempt,
  decline,
}: {
  payment: PaymentRecord;
  attempt: AttemptLine | undefined;
  decline: Decline | null;
}) {
  const { method, cardIssuer, cardBin } = payment;
  if (method === null && decline === null) return null;
  const cardType = [cardIssuer?.type, cardIssuer?.level].filter(Boolean).join(', ');
  return (
    <Group title={text.method}>
      <Facts
        isPairs
        of={[
          [
            payment.paidAt === null ? text.triedWith : text.paidWith,
            method === null ? null : <Method of={payment} />,
          ],
          [text.issuer, cardIssuer?.bank ?? null],
          [text.country, cardIssuer?.countryName ?? cardIssuer?.countryCode ?? null],
          [text.cardType, cardType === '' ? null : labelOf(cardType)],
          [text.cardBin, copied(cardBin)],
          [
            text.lastDecline,
            decline && (
              <Copied value={decline.code ?? ''}>
                {decline.message}
                <br />
                <small class="quiet-text">{decline.advice}</small>
              </Copied>
            ),
          ],
          [text.providerReference, copied(attempt?.providerReference ?? null)],
        ]}
      />
    </Group>
  );
}

/** The metadata that the merchant stored with the payment, as it was sent. */
function Metadata({ metadata }: { metadata: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return null;
  return (
    <Group title={text.metadata}>
      <Facts
        isPairs
        of={entries.map(([name, value]) => {
          const written = typeof value === 'string' ? value : JSON.stringify(value);
          return [name, copied(written)] as const;
        })}
      />
    </Group>
  );
}
