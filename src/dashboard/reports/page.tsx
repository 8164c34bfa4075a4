import type { DeclineCount, ReportGroup, ReportRow } from '../../db/merchants/reports.ts';
import { DayField, SearchForm } from '../parts/fields.tsx';
import { count, labelOf, money, netOf } from '../parts/format.ts';
import { AttemptShare } from '../home/figures.tsx';
import { Icon } from '../parts/icons.tsx';
import { inZone, MoreFilters, type Tab, Tabs } from '../parts/list.tsx';
import { Card, Empty, PhoneFold } from '../parts/parts.tsx';
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

const downloads = ['report', 'movements', 'payments', 'refunds', 'disputes'] as const;

/** The id of the part of the page with the rows of the report. */
export const movementsPart = 'movements';

/** A phone folds a report with more rows than this. */
const openRows = 3;

/** The captured, refunded and disputed sums of a span. */
export function ReportsPage({
  frame,
  query,
  rows,
  declines,
  presets,
  groups,
  csv,
}: {
  frame: Frame;
  query: ReportQuery;
  rows: readonly ReportRow[];
  declines: readonly DeclineCount[];
  /** Links to usual spans. */
  presets: readonly Tab[];
  /** Links to the same report with other rows. */
  groups: readonly Tab[];
  /** Addresses of the report, and of the lists of the same span, as CSV. */
  csv: Readonly<Record<(typeof downloads)[number], string>>;
}) {
  return (
    <>
      <Tabs label={text.presets} tabs={presets} />
      <SearchForm action={`${frame.base}/reports`} searched={false} button={text.show}>
        <input type="hidden" name="by" value={query.by} />
        <MoreFilters used={text.chosen(query.from, query.to)}>
          <DayField label={texts.payments.from} name="from" value={query.from} />
          <DayField label={texts.payments.to} name="to" value={query.to} />
        </MoreFilters>
      </SearchForm>
      <Totals rows={rows} />
      <Card title={text.movements} id={movementsPart} aside={<GroupLinks groups={groups} />}>
        {rows.length === 0 ? (
          <Empty>{text.empty}</Empty>
        ) : (
          <PhoneFold
            title={text.byGroup(text.groups[query.by])}
            state={text.rows(rows.length)}
            isOpen={rows.length <= openRows}
          >
            <ReportTable frame={frame} rows={rows} by={query.by} />
          </PhoneFold>
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
                {
                  head: text.attempts,
                  end: true,
                  cell: ({ attempts, percent }) => <AttemptShare of={attempts} percent={percent} />,
                },
              ]}
            />
          )}
        </Card>
        <Card title={text.exports}>
          <PhoneFold title={text.csvFiles} state={count(downloads.length)}>
            <div class="stack">
              <p class="quiet-text">{text.exportsText}</p>
              <div class="actions">
                {downloads.map((list) => (
                  <a
                    key={list}
                    class="btn"
                    data-variant="outline"
                    href={csv[list]}
                    download
                    data-testid={`csv-${list}`}
                  >
                    <Icon of="download" />
                    {text.csvOf(list === 'report' ? text.thisReport : labelOf(list))}
                  </a>
                ))}
              </div>
            </div>
          </PhoneFold>
        </Card>
      </div>
    </>
  );
}

/** Links that choose the rows of the report; its days stay as they are. */
const GroupLinks = ({ groups }: { groups: readonly Tab[] }) => (
  <nav class="actions" aria-label={text.rowsBy}>
    {groups.map(({ label, href, isCurrent }) => (
      <a key={label} href={href} aria-current={isCurrent ? 'true' : undefined}>
        {label}
      </a>
    ))}
  </nav>
);

/** The link beside the title of the reports. */
export const ReconciliationLink = ({ base }: { base: string }) => (
  <a class="btn" data-variant="outline" href={`${base}/reports/reconciliation`}>
    {text.reconciliation.link}
  </a>
);

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
      onPhone="totals"
      rows={rows}
      rowKey={({ name }) => name}
      total={rows.length > 1 ? totalOf(rows) : undefined}
      columns={[
        {
          ...(by === 'method' ? { head: text.groups.method } : inZone(text.groups[by], frame)),
          cell: ({ name }) =>
            name === text.total
              ? name
              : by !== 'method'
                ? name
                : name === ''
                  ? texts.common.none
                  : labelOf(name),
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

/** Returns the sum of a report as a row. */
function totalOf(rows: readonly ReportRow[]): ReportRow {
  const sum = (pick: (row: ReportRow) => number): number => rows.reduce((all, row) => all + pick(row), 0);
  return {
    name: text.total,
    paid: sum(({ paid }) => paid),
    failed: sum(({ failed }) => failed),
    takenCents: sum(({ takenCents }) => takenCents),
    refundedCents: sum(({ refundedCents }) => refundedCents),
    disputedCents: sum(({ disputedCents }) => disputedCents),
  };
}

function Totals({ rows }: { rows: readonly ReportRow[] }) {
  const total = totalOf(rows);
  return (
    <div class="numbers">
      {(
        [
          [text.taken, money(total.takenCents)],
          [text.refunded, money(total.refundedCents)],
          [text.disputed, money(total.disputedCents)],
          [text.net, money(netOf(total))],
          [texts.home.successRate, rateOf(total)],
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
