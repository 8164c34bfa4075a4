import { type RefundRecord, refundStatuses } from '../../domain/refund.ts';
import { money, words } from '../format.ts';
import { Form, StatusFilter } from '../fields.tsx';
import { Card, Empty, Pager, Status, Table, Time } from '../parts.tsx';
import type { Frame } from '../view.ts';
import { PaymentLink, type References } from './payments.tsx';

export function RefundsPage({
  frame,
  refunds,
  references,
  status,
  pages,
}: {
  frame: Frame;
  refunds: readonly RefundRecord[];
  references: References;
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
          <RefundTable frame={frame} refunds={refunds} references={references} />
        )}
        <Pager {...pages} />
      </Card>
    </>
  );
}

export function RefundTable({
  frame,
  refunds,
  references,
}: {
  frame: Frame;
  refunds: readonly RefundRecord[];
  /** Of their payments; absent on the page of their payment. */
  references?: References;
}) {
  return (
    <Table
      label="Refunds"
      rows={refunds}
      rowKey={({ id }) => id}
      columns={[
        ...(references === undefined
          ? []
          : [
              {
                head: 'Payment',
                cell: ({ paymentId }: RefundRecord) => (
                  <PaymentLink frame={frame} id={paymentId} references={references} />
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
