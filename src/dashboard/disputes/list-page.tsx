import type { DisputeRecord, DisputeStatus } from '../../domain/dispute.ts';
import { distance, labelOf, money } from '../parts/format.ts';
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
import type { Frame, ListPages } from '../parts/view.ts';
import { paymentName, type References } from '../payments/list-page.tsx';
import { texts } from '../texts/en.ts';

const text = texts.disputes;

export function DisputesPage({
  frame,
  disputes,
  references,
  filter,
  sums,
  news,
  pages,
  tabs,
  sorts,
}: {
  frame: Frame;
  disputes: readonly DisputeRecord[];
  references: References;
  filter: ListFilter;
  news: ListNews | null;
  /** The sums by status, or why there are none. */
  sums: Readonly<Record<string, number>> | string;
  pages: ListPages;
  tabs: readonly Tab[];
  sorts: ListSorts;
}) {
  return (
    <>
      <DaysForm action={`${frame.base}/disputes`} filter={filter} />
      <Tabs label={text.statuses} tabs={tabs} />
      <NewsMark of={news} />
      <section class="card">
        {disputes.length === 0 ? null : <SumsLine of={typeof sums === 'string' ? sums : sumsOf(sums)} />}
        {disputes.length === 0 ? (
          <Empty>{isUnfiltered(filter) ? text.empty : text.noMatch}</Empty>
        ) : (
          <DisputeTable frame={frame} disputes={disputes} references={references} sorts={sorts} />
        )}
        <ListFoot {...pages} />
      </section>
    </>
  );
}

const sumsOf = (sums: Readonly<Record<string, number>>) => {
  const of = (...statuses: DisputeStatus[]): number =>
    statuses.reduce((sum, status) => sum + (sums[status] ?? 0), 0);
  return [
    [text.open, of('needsResponse', 'underReview')],
    [text.won, of('won')],
    [text.lost, of('lost')],
  ] as const;
};

export function DisputeTable({
  frame,
  disputes,
  references,
  sorts,
}: {
  frame: Frame;
  disputes: readonly DisputeRecord[];
  /** The column heads that sort them. */
  sorts?: ListSorts;
  /** The references of their payments; absent on the page of the payment itself. */
  references?: References;
}) {
  return (
    <Table
      label={text.title}
      brief
      isList={references !== undefined}
      rows={disputes}
      rowKey={({ id }) => id}
      columns={[
        {
          head: text.reason,
          cell: ({ id, reason }) => <a href={`${frame.base}/disputes/${id}`}>{labelOf(reason)}</a>,
        },
        {
          head: text.amount,
          end: true,
          sort: sorts?.byAmount,
          cell: ({ amountCents }) => money(amountCents),
        },
        { head: texts.common.status, cell: ({ status }) => <Status of={status} /> },
        ...(references === undefined
          ? []
          : [
              {
                head: text.payment,
                // No second link: the row leads to the dispute, whose page leads to the payment.
                cell: ({ paymentId }: DisputeRecord) => (
                  <span class="two-lines">{paymentName(paymentId, references)}</span>
                ),
              },
            ]),
        { head: text.stage, cell: ({ stage }) => labelOf(stage) },
        {
          ...inZone(text.due, frame),
          sort: sorts?.byDue ?? undefined,
          cell: ({ evidenceDueAt, status }) =>
            status === 'needsResponse' ? (
              <>
                {evidenceDueAt.getTime() <= frame.nowMs ? text.dueOver : distance(evidenceDueAt, frame.nowMs)}{' '}
                <small class="quiet-text not-on-phone">
                  <Time at={evidenceDueAt} frame={frame} />
                </small>
              </>
            ) : (
              <None />
            ),
        },
        // The payment's page has a narrow table, and its timeline shows this anyway.
        ...(references === undefined
          ? []
          : [
              {
                ...inZone(text.opened, frame),
                sort: sorts?.byTime,
                cell: ({ createdAt }: DisputeRecord) => <Time at={createdAt} frame={frame} recent />,
              },
            ]),
      ]}
    />
  );
}
