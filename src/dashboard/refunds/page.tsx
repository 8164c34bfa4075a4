import type { RefundRecord } from '../../domain/refund.ts';
import { Confirmation, ConfirmLink, isRequested } from '../parts/confirmation.tsx';
import { labelOf, money } from '../parts/format.ts';
import {
  DaysForm,
  inZone,
  isUnfiltered,
  type ListFilter,
  ListFoot,
  type ListSorts,
  SumsLine,
  type Tab,
  Tabs,
} from '../parts/list.tsx';
import { type ListNews, NewsMark } from '../parts/list-news.tsx';
import { Empty, None, Status, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import type { Frame, ListPages } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { PaymentLink, type References } from '../payments/list-page.tsx';

const text = texts.refunds;

export function RefundsPage({
  frame,
  refunds,
  references,
  filter,
  sums,
  news,
  path,
  pages,
  tabs,
  sorts,
}: {
  frame: Frame;
  refunds: readonly RefundRecord[];
  references: References;
  filter: ListFilter;
  news: ListNews | null;
  /** The sums by status, or why there are none. */
  sums: Readonly<Record<string, number>> | string;
  /** Address of this list, with its filter and page. */
  path: string;
  pages: ListPages;
  tabs: readonly Tab[];
  sorts: ListSorts;
}) {
  return (
    <>
      <DaysForm action={`${frame.base}/refunds`} filter={filter} />
      <Tabs label={text.statuses} tabs={tabs} />
      <NewsMark of={news} />
      <section class="card">
        {refunds.length === 0 ? null : <SumsLine of={typeof sums === 'string' ? sums : sumsOf(sums)} />}
        {refunds.length === 0 ? (
          <Empty>
            {withMarkup(isUnfiltered(filter) ? text.empty : text.noMatch, {
              paid: <a href={`${frame.base}/payments?status=paid`}>{text.paidPayment}</a>,
            })}
          </Empty>
        ) : (
          <RefundTable frame={frame} refunds={refunds} references={references} path={path} sorts={sorts} />
        )}
        <ListFoot {...pages} />
      </section>
    </>
  );
}

const sumsOf = (sums: Readonly<Record<string, number>>) =>
  [
    [text.refunded, sums['succeeded'] ?? 0],
    [text.pending, sums['pending'] ?? 0],
  ] as const;

export function RefundTable({
  frame,
  refunds,
  references,
  path,
  sorts,
}: {
  frame: Frame;
  refunds: readonly RefundRecord[];
  /** The column heads that sort them. */
  sorts?: ListSorts;
  /** The references of their payments; absent on the page of the payment itself. */
  references?: References;
  /** Address of the page that confirms the cancellation of a refund. */
  path: string;
}) {
  const canceling = refunds.find(
    (one) => mayCancel(one, frame) && isRequested(frame, 'cancel-refund', one.id),
  );
  return (
    <>
      {canceling === undefined ? null : (
        <Confirmation
          frame={frame}
          question={text.cancelQuestion(money(canceling.amountCents))}
          to={`${frame.base}/refunds/${canceling.id}/cancel`}
          yes={text.cancelConfirm}
          back={path}
        >
          {text.cancelText(money(canceling.amountCents))}
        </Confirmation>
      )}
      <Table
        label={text.title}
        brief
        isList={references !== undefined}
        rows={refunds}
        rowKey={({ id }) => id}
        columns={[
          ...(references === undefined
            ? []
            : [
                {
                  head: text.payment,
                  cell: ({ paymentId }: RefundRecord) => (
                    <PaymentLink frame={frame} id={paymentId} references={references} />
                  ),
                },
              ]),
          {
            head: text.amount,
            end: true,
            sort: sorts?.byAmount,
            cell: ({ amountCents }) => money(amountCents),
          },
          { head: texts.common.status, cell: ({ status }) => <Status of={status} /> },
          {
            head: text.reason,
            cell: ({ reason, failureMessage }) =>
              failureMessage ?? (reason === null ? <None /> : labelOf(reason)),
          },
          {
            ...inZone(text.created, frame),
            sort: sorts?.byTime,
            cell: ({ createdAt }) => <Time at={createdAt} frame={frame} recent />,
          },
          {
            head: '',
            end: true,
            cell: (refund) =>
              mayCancel(refund, frame) ? (
                <ConfirmLink
                  path={path}
                  act="cancel-refund"
                  id={refund.id}
                  label={text.cancelLabel(money(refund.amountCents))}
                >
                  {texts.common.cancel}
                </ConfirmLink>
              ) : null,
          },
        ]}
      />
    </>
  );
}

const mayCancel = ({ status, submittedAt }: RefundRecord, frame: Frame): boolean =>
  frame.may('refund') && status === 'pending' && submittedAt === null;
