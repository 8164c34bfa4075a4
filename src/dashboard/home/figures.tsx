import type { DeclineCount } from '../../db/merchants/reports.ts';
import { count, labelOf, money, netOf } from '../parts/format.ts';
import { Tabs } from '../parts/list.tsx';
import { Card, Empty } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { Chart, type DayFigures } from './chart.tsx';

const text = texts.home;

/** The spans that the home page can show. A number is a count of days that ends today. */
export const ranges = ['today', '7', '30', '90'] as const;
export type Range = (typeof ranges)[number];

/** The totals of a span, in cents. */
export interface SpanFigures {
  takenCents: number;
  refundedCents: number;
  disputedCents: number;
  paid: number;
  failed: number;
  declines: readonly DeclineCount[];
}

export interface FiguresData {
  now: SpanFigures;
  /** The span of the same length before this one. */
  before: SpanFigures;
  /** Oldest first, including days without payments. */
  days: readonly DayFigures[];
}

/** The figures of a range beside those of the previous range. `data` is null if the sums took too long. */
export function Figures({ frame, range, data }: { frame: Frame; range: Range; data: FiguresData | null }) {
  return (
    <section class="figures" data-testid="figures">
      <Tabs
        label={text.range}
        tabs={ranges.map((each) => ({
          label: text.ranges[each],
          href: `${frame.base}?range=${each}`,
          isCurrent: each === range,
          rows: null,
        }))}
      />
      {data === null ? (
        <p class="notice">{text.figuresDelayed}</p>
      ) : (
        <Known frame={frame} range={range} data={data} />
      )}
    </section>
  );
}

function Known({
  frame,
  range,
  data: { now, before, days },
}: {
  frame: Frame;
  range: Range;
  data: FiguresData;
}) {
  const caption = text.volumePerDay(frame.timeZone);
  return (
    <>
      <p class="quiet-text">{text.compared[range]}</p>
      <div class="numbers">
        <Figure name={text.volume} value={money(now.takenCents)} before={money(before.takenCents)} />
        <Figure name={text.refunds} value={money(now.refundedCents)} before={money(before.refundedCents)} />
        <Figure name={text.disputed} value={money(now.disputedCents)} before={money(before.disputedCents)} />
        <Figure name={text.net} value={money(netOf(now))} before={money(netOf(before))} />
        <Figure name={text.paidPayments} value={count(now.paid)} before={count(before.paid)} />
        <Figure name={text.successRate} value={rateOf(now)} before={rateOf(before)} />
      </div>
      <div class="columns volume">
        {days.length > 1 ? (
          <Card title={caption}>
            {now.takenCents > 0 ? <Chart days={days} caption={caption} /> : <Empty>{text.nothingPaid}</Empty>}
          </Card>
        ) : null}
        <Card title={text.declines}>
          <Declines now={now.declines} before={before.declines} />
        </Card>
      </div>
    </>
  );
}

const rateOf = ({ paid, failed }: SpanFigures): string =>
  paid + failed === 0 ? texts.common.none : text.successRateOf(Math.floor((paid / (paid + failed)) * 100));

const Figure = ({ name, value, before }: { name: string; value: string; before: string }) => (
  <div class="number">
    <span>{name}</span>
    <strong>{value}</strong>
    <small>{before === texts.common.none ? text.nothingBefore : text.before(before)}</small>
  </div>
);

function Declines({ now, before }: { now: readonly DeclineCount[]; before: readonly DeclineCount[] }) {
  if (now.length === 0) return <Empty>{text.noDeclines}</Empty>;
  return (
    <Table
      label={text.declines}
      isSmall
      rows={now.slice(0, maxReasons)}
      rowKey={({ code }) => code}
      columns={[
        { head: text.reason, cell: ({ code }) => labelOf(code) },
        { head: text.attempts, end: true, cell: ({ attempts }) => count(attempts) },
        {
          head: text.beforeHead,
          end: true,
          cell: ({ code }) => count(before.find((each) => each.code === code)?.attempts ?? 0),
        },
      ]}
    />
  );
}

const maxReasons = 5;
