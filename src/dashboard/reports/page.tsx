import {
  type DeclineCount,
  type ReportGroup,
  reportGroups,
  type ReportRow,
} from '../../db/merchants/reports.ts';
import { Choice, DayField, SearchForm } from '../parts/fields.tsx';
import { count, labelOf, money, netOf } from '../parts/format.ts';
import { inZone } from '../parts/list.tsx';
import { Card, Empty } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.reports;

/** A report, as its address describes it. */
export interface ReportQuery {
  from: string;
  to: string;
  by: ReportGroup;
}

const rateOf = ({ paid, failed }: Pick<ReportRow, 'paid' | 'failed'>): string =>
  paid + failed === 0
    ? texts.common.none
    : texts.home.successRateOf(Math.floor((paid / (paid + failed)) * 100));

/** The captured, refunded and disputed sums of a span. */
export function ReportsPage({
  frame,
  query,
  rows,
  declines,
  csv,
}: {
  frame: Frame;
  query: ReportQuery;
  rows: readonly ReportRow[];
  declines: readonly DeclineCount[];
  /** Addresses of the lists of the same span as CSV. */
  csv: { payments: string; refunds: string; disputes: string; movements: string };
}) {
  return (
    <>
      <SearchForm action={`${frame.base}/reports`} searched={false} button={text.show}>
        <Choice
          label={text.by}
          id="by"
          name="by"
          value={query.by}
          options={reportGroups.map((value) => ({ value, label: text.groups[value] }))}
        />
        <DayField label={texts.payments.from} name="from" value={query.from} />
        <DayField label={texts.payments.to} name="to" value={query.to} />
      </SearchForm>
      <Totals rows={rows} />
      <Card title={text.movements}>
        {rows.length === 0 ? (
          <Empty>{text.empty}</Empty>
        ) : (
          <ReportTable frame={frame} rows={rows} by={query.by} />
        )}
      </Card>
      <div class="columns">
        <Card title={text.declines}>
          {declines.length === 0 ? (
            <Empty>{text.noDeclines}</Empty>
          ) : (
            <Table
              label={text.declines}
              isSmall
              rows={declines}
              rowKey={({ code }) => code}
              columns={[
                { head: text.reason, cell: ({ code }) => labelOf(code) },
                { head: text.attempts, end: true, cell: ({ attempts }) => count(attempts) },
              ]}
            />
          )}
        </Card>
        <Card title={text.exports}>
          <p class="quiet-text">{text.exportsText}</p>
          <div class="actions">
            {(['movements', 'payments', 'refunds', 'disputes'] as const).map((list) => (
              <a key={list} class="button quiet" href={csv[list]} download>
                {text.csvOf(labelOf(list))}
              </a>
            ))}
            <a class="button quiet" href={`${frame.base}/reports/reconciliation`}>
              {text.reconciliation.link}
            </a>
          </div>
        </Card>
      </div>
    </>
  );
}

function ReportTable({ frame, rows, by }: { frame: Frame; rows: readonly ReportRow[]; by: ReportGroup }) {
  const amount = (head: string, cents: (row: ReportRow) => number) => ({
    head,
    end: true,
    cell: (row: ReportRow) => money(cents(row)),
  });
  return (
    <Table
      label={text.movements}
      testId="report-row"
      rows={rows}
      rowKey={({ name }) => name}
      columns={[
        {
          ...(by === 'method' ? { head: text.groups.method } : inZone(text.groups[by], frame)),
          cell: ({ name }) => (by !== 'method' ? name : name === '' ? texts.common.none : labelOf(name)),
        },
        amount(text.taken, ({ takenCents }) => takenCents),
        amount(text.refunded, ({ refundedCents }) => refundedCents),
        amount(text.disputed, ({ disputedCents }) => disputedCents),
        amount(text.net, netOf),
        { head: text.paid, end: true, cell: ({ paid }) => count(paid) },
        { head: texts.home.successRate, end: true, cell: rateOf },
      ]}
    />
  );
}

function Totals({ rows }: { rows: readonly ReportRow[] }) {
  const sum = (pick: (row: ReportRow) => number): number => rows.reduce((all, row) => all + pick(row), 0);
  const [paid, failed] = [sum((row) => row.paid), sum((row) => row.failed)];
  return (
    <div class="numbers">
      {(
        [
          [text.taken, money(sum(({ takenCents }) => takenCents))],
          [text.refunded, money(sum(({ refundedCents }) => refundedCents))],
          [text.disputed, money(sum(({ disputedCents }) => disputedCents))],
          [text.net, money(sum(netOf))],
          [texts.home.successRate, rateOf({ paid, failed })],
        ] as const
      ).map(([name, value]) => (
        <div class="number" key={name}>
          <span>{name}</span>
          <strong>{value}</strong>
        </div>
      ))}
    </div>
  );
}
