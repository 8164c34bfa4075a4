import type { PaymentRecord } from '../../domain/payment.ts';
import { paymentMethods, paymentStatuses } from '../../domain/statuses.ts';
import { labelOf, money } from '../parts/format.ts';
import { Choice, Field, SearchForm } from '../parts/fields.tsx';
import { Card, Empty, None, Pager, Status, Table, Time } from '../parts/parts.tsx';
import { rich } from '../parts/rich.ts';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.payments;

/** The filter of the list, as in its address. */
export interface PaymentFilter {
  q: string;
  status: string;
  method: string;
  from: string;
  to: string;
}

/** The list of payments with its search. */
export function PaymentsPage({
  frame,
  filter,
  payments,
  older,
  csv,
}: {
  frame: Frame;
  filter: PaymentFilter;
  payments: readonly PaymentRecord[];
  older: string | null;
  csv: string;
}) {
  const searched = Object.values(filter).some((value) => value !== '');
  return (
    <>
      <SearchForm action={`${frame.base}/payments`} searched={searched}>
        <Field
          label={text.search}
          id="q"
          name="q"
          type="search"
          value={filter.q}
          maxLength={255}
          placeholder={text.searchPlaceholder}
          data-testid="search"
        />
        <Choice
          label={texts.common.status}
          id="status"
          name="status"
          value={filter.status}
          options={[
            { value: '', label: texts.common.all },
            ...paymentStatuses.map((value) => ({ value, label: labelOf(value) })),
          ]}
        />
        <Choice
          label={text.method}
          id="method"
          name="method"
          value={filter.method}
          options={[
            { value: '', label: texts.common.all },
            ...paymentMethods.map((value) => ({ value, label: labelOf(value) })),
          ]}
        />
        <Field label={text.from} id="from" name="from" type="date" value={filter.from} />
        <Field label={text.to} id="to" name="to" type="date" value={filter.to} />
      </SearchForm>
      <Card title={searched ? text.results : text.recent} aside={<a href={csv}>{text.downloadCsv}</a>}>
        {payments.length > 0 ? (
          <PaymentTable frame={frame} payments={payments} />
        ) : searched ? (
          <Empty>{text.noMatch}</Empty>
        ) : (
          <NoPayments frame={frame} />
        )}
        <Pager before={null} after={older} />
      </Card>
    </>
  );
}

/** Shown while there are no payments: how to create one. */
export const NoPayments = ({ frame }: { frame: Frame }) => (
  <Empty>
    {rich(text.empty, {
      developers: <a href={`${frame.base}/developers`}>{text.developers}</a>,
      call: <code>POST /v1/payments</code>,
    })}
  </Empty>
);

/** Payments as rows, each with a link to its page. */
export function PaymentTable({ frame, payments }: { frame: Frame; payments: readonly PaymentRecord[] }) {
  return (
    <Table
      label={text.title}
      brief
      testId="payment-row"
      rows={payments}
      rowKey={({ id }) => id}
      columns={[
        {
          head: text.reference,
          cell: ({ id, reference }) => <a href={`${frame.base}/payments/${id}`}>{reference}</a>,
        },
        { head: text.amount, end: true, cell: ({ amountCents }) => money(amountCents) },
        { head: texts.common.status, cell: ({ status }) => <Status of={status} /> },
        { head: text.method, cell: (payment) => methodOf(payment) },
        {
          head: text.customer,
          cell: ({ customerEmail, customerName }) => customerEmail ?? customerName ?? <None />,
        },
        { head: text.created, cell: ({ createdAt }) => <Time at={createdAt} frame={frame} /> },
      ]}
    />
  );
}

/** The merchant's references of payments, by id. */
export type References = Readonly<Record<string, string>>;

/** A link to a payment by the merchant's reference, or by its id. */
export const PaymentLink = ({
  frame,
  id,
  references,
}: {
  frame: Frame;
  id: string;
  references: References;
}) => (
  <a
    href={`${frame.base}/payments/${id}`}
    aria-label={references[id] === undefined ? text.paymentLink(id) : undefined}
  >
    {/* The end of the id, because it begins with the time, which many ids share. */}
    {references[id] ?? `…${id.slice(-8)}`}
  </a>
);

/** Returns the payment method, with brand and last digits of a card. */
export function methodOf({ method, cardBrand, cardLast4 }: PaymentRecord) {
  return method === null ? <None /> : methodLabel(method, cardBrand, cardLast4);
}

/** Returns a method as a label: `Pix`, or `Visa ·· 4242` for a card. */
export const methodLabel = (method: string, brand: string | null, last4: string | null): string =>
  last4 === null ? labelOf(method) : text.card(labelOf(brand ?? 'card'), last4);
