import type { PaymentRecord } from '../../domain/payment.ts';
import { paymentMethods, paymentStatuses } from '../../domain/statuses.ts';
import { money, labelOf } from '../parts/format.ts';
import { Choice, Field, SearchForm } from '../parts/fields.tsx';
import { Card, Empty, Pager, Status, Table, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';

/** What the list of payments is asked for, as it stands in the address. */
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
          label="Search"
          id="q"
          name="q"
          type="search"
          value={filter.q}
          maxLength={255}
          placeholder="Reference, e-mail, 4242, $25.00, id"
          data-testid="search"
        />
        <Choice
          label="Status"
          id="status"
          name="status"
          value={filter.status}
          options={[
            { value: '', label: 'All' },
            ...paymentStatuses.map((value) => ({ value, label: labelOf(value) })),
          ]}
        />
        <Choice
          label="Method"
          id="method"
          name="method"
          value={filter.method}
          options={[
            { value: '', label: 'All' },
            ...paymentMethods.map((value) => ({ value, label: labelOf(value) })),
          ]}
        />
        <Field label="From" id="from" name="from" type="date" value={filter.from} />
        <Field label="To" id="to" name="to" type="date" value={filter.to} />
      </SearchForm>
      <Card title={searched ? 'Found' : 'Newest'} aside={<a href={csv}>Download CSV</a>}>
        {payments.length === 0 ? (
          <Empty>
            {searched ? (
              'No payment matches. References are matched exactly; try fewer filters.'
            ) : (
              <>
                There are no payments yet. Make a key under{' '}
                <a href={`${frame.base}/developers`}>Developers</a> and create one with{' '}
                <code>POST /v1/payments</code>.
              </>
            )}
          </Empty>
        ) : (
          <PaymentTable frame={frame} payments={payments} />
        )}
        <Pager before={null} after={older} />
      </Card>
    </>
  );
}

/** Payments as rows, each of which leads to its own page. */
export function PaymentTable({ frame, payments }: { frame: Frame; payments: readonly PaymentRecord[] }) {
  return (
    <Table
      label="Payments"
      brief
      testId="payment-row"
      rows={payments}
      rowKey={({ id }) => id}
      columns={[
        {
          head: 'Reference',
          cell: ({ id, reference }) => <a href={`${frame.base}/payments/${id}`}>{reference}</a>,
        },
        { head: 'Amount', end: true, cell: ({ amountCents }) => money(amountCents) },
        { head: 'Status', cell: ({ status }) => <Status of={status} /> },
        { head: 'Method', cell: (payment) => methodOf(payment) },
        {
          head: 'Customer',
          cell: ({ customerEmail, customerName }) =>
            customerEmail ?? customerName ?? <span class="none">–</span>,
        },
        { head: 'Created', cell: ({ createdAt }) => <Time at={createdAt} frame={frame} /> },
      ]}
    />
  );
}

/** What merchants know payments by, by id, as far as it was read. */
export type References = Readonly<Record<string, string>>;

/** The way to a payment, by what the merchant knows it by. */
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
    aria-label={references[id] === undefined ? `Payment ${id}` : undefined}
  >
    {/* The end of an id: its beginning is the time, and the same for many. */}
    {references[id] ?? `…${id.slice(-8)}`}
  </a>
);

/** How somebody paid, as far as it is known. */
export function methodOf({ method, cardBrand, cardLast4 }: PaymentRecord) {
  if (method === null) return <span class="none">–</span>;
  return cardLast4 === null ? labelOf(method) : `${labelOf(cardBrand ?? 'card')} ·· ${cardLast4}`;
}
