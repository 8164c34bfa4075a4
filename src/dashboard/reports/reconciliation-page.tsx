import type { DifferenceRecord } from '../../db/reconciliation/differences.ts';
import type { ListedRun } from '../../db/reconciliation/runs.ts';
import type { ReportedFacts } from '../../domain/reconciliation.ts';
import { labelOf, money } from '../parts/format.ts';
import { PaymentLink } from '../payments/list-page.tsx';
import { inZone } from '../parts/list.tsx';
import { Card, Empty, None, Status, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.reports.reconciliation;

/** The results of the nightly comparisons with the provider. */
export function ReconciliationPage({
  frame,
  runs,
  differences,
}: {
  frame: Frame;
  runs: readonly ListedRun[];
  differences: readonly DifferenceRecord[];
}) {
  return (
    <>
      <p class="quiet-text">{text.about}</p>
      <Card title={text.open}>
        {differences.length === 0 ? (
          <Empty>{runs.length === 0 ? text.noRuns : text.noneOpen}</Empty>
        ) : (
          <Table
            label={text.open}
            testId="difference-row"
            rows={differences}
            rowKey={({ kind, reference, paymentId }) => `${kind} ${reference ?? paymentId}`}
            columns={[
              { head: text.kind, cell: ({ kind }) => labelOf(kind) },
              { head: text.payment, cell: ({ paymentId }) => <Payment frame={frame} id={paymentId} /> },
              { head: text.ours, cell: ({ ours }) => <Side of={ours} /> },
              { head: text.theirs, cell: ({ theirs }) => <Side of={theirs} /> },
              {
                ...inZone(text.found, frame),
                cell: ({ createdAt }) => <Time at={createdAt} frame={frame} />,
              },
            ]}
          />
        )}
      </Card>
      {runs.length > 0 && <Runs frame={frame} runs={runs} />}
    </>
  );
}

const Runs = ({ frame, runs }: { frame: Frame; runs: readonly ListedRun[] }) => (
  <Card title={text.runs}>
    <Table
      label={text.runs}
      testId="reconciliation-row"
      rows={runs}
      rowKey={({ id }) => id}
      columns={[
        { ...inZone(text.from, frame), cell: ({ spanFrom }) => <Time at={spanFrom} frame={frame} /> },
        { ...inZone(text.to, frame), cell: ({ spanTo }) => <Time at={spanTo} frame={frame} /> },
        { head: text.status, cell: ({ status }) => <Status of={status} /> },
        {
          head: text.compared,
          cell: ({ charges, refunds, disputes }) => text.comparedOf(charges, refunds, disputes),
        },
        {
          head: text.differences,
          cell: ({ needsAttention, healed }) => text.differencesOf(needsAttention, healed),
        },
      ]}
    />
  </Card>
);

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The payment, if it may be one of the merchant's; the provider may name anything. */
const Payment = ({ frame, id }: { frame: Frame; id: string | null }) =>
  id === null ? (
    <None />
  ) : uuid.test(id) ? (
    <PaymentLink frame={frame} id={id} references={{}} />
  ) : (
    <span>{id}</span>
  );

const Side = ({ of }: { of: ReportedFacts | null }) =>
  of === null ? (
    <None />
  ) : (
    <span>{`${of.currency === 'USD' ? money(of.amountCents) : `${of.amountCents / 100} ${of.currency}`} · ${labelOf(of.status)}`}</span>
  );
