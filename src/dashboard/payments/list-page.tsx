import { maxSummed, type PaymentPage, type PaymentSums } from '../../db/payments/payment-lists.ts';
import type { PaymentOrder } from '../../db/payments/payment-search.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { paymentMethods, type PaymentStatus, paymentStatuses } from '../../domain/statuses.ts';
import { count, labelOf, money, netOf } from '../parts/format.ts';
import { Choice, DayField, Field, SearchForm } from '../parts/fields.tsx';
import { CsvLink, inZone, ListFoot, MoreFilters, SumsLine, Tabs } from '../parts/list.tsx';
import { type ListNews, NewsMark } from '../parts/list-news.tsx';
import { Empty, None, Status, Time } from '../parts/parts.tsx';
import { type ColumnSort, Table } from '../parts/table.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import type { Frame, ListPages } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { Method, SharedMarks } from './method.tsx';

const text = texts.payments;

/** The tabs of the list, as the address names them. Without a tab the list shows all payments. */
export const paymentTabs = ['paid', 'open', 'failed', 'refunds', 'disputes'] as const;
export type PaymentTab = (typeof paymentTabs)[number];

/** The statuses that each tab counts. */
const tabStatuses = {
  '': paymentStatuses,
  paid: ['paid'],
  open: ['pending', 'requiresAction'],
  failed: ['failed'],
  refunds: ['refunded', 'partiallyRefunded'],
  disputes: ['disputed', 'disputeWon', 'disputeLost'],
} as const satisfies Record<'' | PaymentTab, readonly PaymentStatus[]>;

/** Returns the statuses of a tab. */
export const statusesOf = (tab: PaymentTab): readonly PaymentStatus[] => tabStatuses[tab];

export const orders = ['newest', 'oldest', 'largest', 'smallest'] as const satisfies PaymentOrder[];

/** The filter of the list, as in its address. */
export interface PaymentFilter {
  q: string;
  status: string;
  method: string;
  from: string;
  to: string;
  sort: PaymentOrder | '';
}

/** Returns the address of this list with parameters changed. */
type AddressWith = (changes: Readonly<Record<string, string>>) => string;

/** The links beside the title of the list. */
export const PaymentsAside = ({ base, csv }: { base: string; csv: string }) => (
  <div class="actions">
    <a class="btn" data-variant="outline" href={`${base}/payment-links`} data-testid="payment-links">
      {texts.paymentLinks.title}
    </a>
    <CsvLink href={csv} />
  </div>
);

/** The list of payments with its search. */
export function PaymentsPage({
  frame,
  filter,
  found,
  pages,
  news,
  address,
}: {
  frame: Frame;
  filter: PaymentFilter;
  found: PaymentPage;
  pages: ListPages;
  news: ListNews | null;
  address: AddressWith;
}) {
  const searched = Object.values({ ...filter, sort: '' }).some((value) => value !== '');
  return (
    <>
      <PaymentSearch frame={frame} filter={filter} />
      <div class="stack" data-results>
        <Tabs
          label={text.statuses}
          tabs={(['', ...paymentTabs] as const).map((tab) => ({
            label: text.tabs[tab],
            href: address({ status: tab }),
            isCurrent: tab === filter.status,
            rows: found.counts === null ? null : count(countOf(found.counts, tabStatuses[tab])),
          }))}
        />
        <NewsMark of={news} />
        <section class="card">
          {found.payments.length === 0 ? null : <SumsLine of={sumsOf(found)} />}
          {found.payments.length > 0 ? (
            <PaymentTable
              frame={frame}
              payments={found.payments}
              sorting={{ order: filter.sort === '' ? 'newest' : filter.sort, address }}
            />
          ) : searched ? (
            <Empty>{text.noMatch}</Empty>
          ) : (
            <NoPayments frame={frame} />
          )}
          <ListFoot {...pages} />
        </section>
      </div>
    </>
  );
}

const countOf = (counts: PaymentSums['counts'], statuses: readonly PaymentStatus[]): number =>
  statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0);

function PaymentSearch({ frame, filter }: { frame: Frame; filter: PaymentFilter }) {
  const searched = Object.values({ ...filter, sort: '' }).some((value) => value !== '');
  return (
    <SearchForm action={`${frame.base}/payments`} searched={searched} live>
      {filter.status === '' ? null : <input type="hidden" name="status" value={filter.status} />}
      {filter.sort === '' ? null : <input type="hidden" name="sort" value={filter.sort} />}
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
      <MoreFilters used={[filter.method, filter.from, filter.to].filter((value) => value !== '').length}>
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
        <DayField label={text.from} name="from" value={filter.from} />
        <DayField label={text.to} name="to" value={filter.to} />
      </MoreFilters>
    </SearchForm>
  );
}

/** Returns the sums of the matching payments, or why there are none. */
function sumsOf({ sums, atLeast }: PaymentPage): Parameters<typeof SumsLine>[0]['of'] {
  if (sums === null) return atLeast ? text.newestOnly(count(maxSummed)) : text.tooMany(count(maxSummed));
  return [
    [text.taken, sums.takenCents],
    [text.refundedSum, sums.refundedCents],
    [text.disputedSum, sums.disputedCents],
    [text.net, netOf(sums)],
  ];
}

/** Shown while there are no payments: how to create one. */
export const NoPayments = ({ frame }: { frame: Frame }) => (
  <Empty>
    {withMarkup(text.empty, {
      developers: <a href={`${frame.base}/developers`}>{text.developers}</a>,
      call: <code>POST /v1/payments</code>,
    })}
  </Empty>
);

/** Payments as rows, each a link to its page. `sorting`: the column heads that sort them. */
export function PaymentTable({
  frame,
  payments,
  sorting = null,
}: {
  frame: Frame;
  payments: readonly PaymentRecord[];
  sorting?: { order: PaymentOrder; address: AddressWith } | null;
}) {
  const sort = (down: PaymentOrder, up: PaymentOrder): ColumnSort | undefined =>
    sorting === null
      ? undefined
      : {
          href: sorting.address({ sort: sorting.order === down ? up : down }),
          now: sorting.order === down ? 'descending' : sorting.order === up ? 'ascending' : null,
        };
  return (
    <>
      <SharedMarks of={payments} />
      <Table
        label={text.title}
        brief
        isList
        testId="payment-row"
        rows={payments}
        rowKey={({ id }) => id}
        columns={[
          {
            head: text.reference,
            cell: ({ id, reference }) => <a href={`${frame.base}/payments/${id}`}>{reference}</a>,
          },
          {
            head: text.amount,
            end: true,
            sort: sort('largest', 'smallest'),
            cell: ({ amountCents }) => money(amountCents),
          },
          { head: texts.common.status, cell: (payment) => <StatusAndReason of={payment} /> },
          { head: text.method, cell: (payment) => <Method of={payment} isListed /> },
          {
            head: text.customer,
            cell: (payment) => <Customer payment={payment} />,
          },
          {
            ...inZone(text.created, frame),
            sort: sort('newest', 'oldest'),
            cell: ({ createdAt }) => <Time at={createdAt} frame={frame} recent />,
          },
        ]}
      />
    </>
  );
}

/** The status, and why the payment failed. */
const StatusAndReason = ({ of: { status, failureCode } }: { of: PaymentRecord }) => (
  <>
    <Status of={status} />{' '}
    {status === 'failed' && failureCode !== null ? (
      <small class="quiet-text">{labelOf(failureCode)}</small>
    ) : null}
  </>
);

function Customer({ payment: { customerEmail, customerName } }: { payment: PaymentRecord }) {
  const [first, second] = customerName === null ? [customerEmail, null] : [customerName, customerEmail];
  if (first === null) return <None />;
  return (
    <>
      <span class="clip" title={first}>
        {first}
      </span>{' '}
      {second === null ? null : (
        <small class="clip quiet-text not-on-phone" title={second}>
          {second}
        </small>
      )}
    </>
  );
}

/** The merchant's references of payments, by id. */
export type References = Readonly<Record<string, string>>;

/** Returns the merchant's reference of a payment, or the end of its id, which begins with the time. */
export const paymentName = (id: string, references: References): string =>
  references[id] ?? `…${id.slice(-8)}`;

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
    class="two-lines"
    href={`${frame.base}/payments/${id}`}
    aria-label={references[id] === undefined ? text.paymentLink(id) : undefined}
  >
    {paymentName(id, references)}
  </a>
);
