import { type RefundRecord, refundStatuses } from '../../domain/refund.ts';
import { money, words } from '../format.ts';
import { Card, Empty, Form, Pager, Status, StatusFilter, Table, Time } from '../parts.tsx';
import type { Frame } from '../view.ts';

export function RefundsPage({
  frame,
  refunds,
  status,
  pages,
}: {
  frame: Frame;
  refunds: readonly RefundRecord[];
  status: string;
  pages: { before: string | null; after: string | null };
}) {
  return (
    <>
      <StatusFilter action={`${frame.base}/refunds`} statuses={refundStatuses} value={status} />
      <Card title="Refunds">
        {refunds.length === 0 ? (
          <Empty>
            No refunds{status === '' ? ' yet' : ' with this status'}. Open a{' '}
            <a href={`${frame.base}/payments?status=paid`}>paid payment</a> to make one.
          </Empty>
        ) : (
          <RefundTable frame={frame} refunds={refunds} />
        )}
        <Pager {...pages} />
      </Card>
    </>
  );
}

export function RefundTable({
  frame,
  refunds,
  ofPayment = false,
}: {
  frame: Frame;
  refunds: readonly RefundRecord[];
  ofPayment?: boolean;
}) {
  return (
    <Table
      label="Refunds"
      rows={refunds}
      rowKey={({ id }) => id}
      columns={[
        ...(ofPayment
          ? []
          : [
              {
                head: 'Payment',
                cell: ({ paymentId, reference }: RefundRecord) => (
                  <a href={`${frame.base}/payments/${paymentId}`}>{reference ?? paymentId.slice(0, 8)}</a>
                ),
              },
            ]),
        { head: 'Amount', end: true, cell: ({ amountCents }) => money(amountCents) },
        { head: 'Status', cell: ({ status }) => <Status of={status} /> },
        {
          head: 'Why',
          cell: ({ reason, failureMessage }) => failureMessage ?? (reason === null ? '–' : words(reason)),
        },
        { head: 'Created', cell: ({ createdAt }) => <Time at={createdAt} frame={frame} /> },
        {
          head: '',
          end: true,
          cell: ({ id, status, submittedAt }) =>
            frame.may('refund') && status === 'pending' && submittedAt === null ? (
              <Form frame={frame} to={`${frame.base}/refunds/${id}/cancel`}>
                <button type="submit" class="quiet">
                  Cancel
                </button>
              </Form>
            ) : null,
        },
      ]}
    />
  );
}
