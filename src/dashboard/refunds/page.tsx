import { type RefundRecord, refundStatuses } from '../../domain/refund.ts';
import { Confirmation, ConfirmLink, isRequested } from '../parts/confirmation.tsx';
import { money, labelOf } from '../parts/format.ts';
import { StatusFilter } from '../parts/fields.tsx';
import { Card, Empty, Pager, Status, Table, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { PaymentLink, type References } from '../payments/list-page.tsx';

export function RefundsPage({
  frame,
  refunds,
  references,
  status,
  path,
  pages,
}: {
  frame: Frame;
  refunds: readonly RefundRecord[];
  references: References;
  status: string;
  /** Address of this list, with its filter and page. */
  path: string;
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
          <RefundTable frame={frame} refunds={refunds} references={references} path={path} />
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
  path,
}: {
  frame: Frame;
  refunds: readonly RefundRecord[];
  /** Of their payments; absent on the page of their payment. */
  references?: References;
  /** Of the page that asks before a refund is canceled. */
  path: string;
}) {
  const leaving = refunds.find((one) => mayCancel(one, frame) && isRequested(frame, 'cancel-refund', one.id));
  return (
    <>
      {leaving === undefined ? null : (
        <Confirmation
          frame={frame}
          question={`Cancel the refund of ${money(leaving.amountCents)}?`}
          to={`${frame.base}/refunds/${leaving.id}/cancel`}
          yes="Yes, cancel the refund"
          back={path}
        >
          The customer does not get {money(leaving.amountCents)} back. It was not sent to the network yet; you
          can refund again later.
        </Confirmation>
      )}
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
            cell: ({ reason, failureMessage }) => failureMessage ?? (reason === null ? '–' : labelOf(reason)),
          },
          { head: 'Created', cell: ({ createdAt }) => <Time at={createdAt} frame={frame} /> },
          {
            head: '',
            end: true,
            cell: (refund) =>
              mayCancel(refund, frame) ? (
                <ConfirmLink
                  path={path}
                  act="cancel-refund"
                  id={refund.id}
                  label={`Cancel the refund of ${money(refund.amountCents)}`}
                >
                  Cancel
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
