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
        <p class="alert notice">{text.figuresDelayed}</p>
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
        {(
          [
            [text.volume, ({ takenCents }) => takenCents],
            [text.refunds, ({ refundedCents }) => refundedCents],
            [text.disputed, ({ disputedCents }) => disputedCents],
            [text.net, netOf],
          ] as const satisfies [name: string, of: (span: SpanFigures) => number][]
        ).map(([name, of]) => (
          <Figure
            key={name}
            name={name}
            value={money(of(now))}
            before={money(of(before))}
            change={changeOf(of(now), of(before))}
          />
        ))}
        <Figure
          name={text.paidPayments}
          value={count(now.paid)}
          before={count(before.paid)}
          change={changeOf(now.paid, before.paid)}
        />
        <Figure
          name={text.successRate}
          value={rateOf(now)}
          before={rateOf(before)}
          change={pointsOf(now, before)}
        />
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

/** Returns the share of paid payments among the decided ones, in whole percent; null if there are none. */
const percentOf = ({ paid, failed }: SpanFigures): number | null =>
  paid + failed === 0 ? null : Math.floor((paid / (paid + failed)) * 100);

function rateOf(span: SpanFigures): string {
  const percent = percentOf(span);
  return percent === null ? texts.common.none : text.successRateOf(percent);
}

const signed = new Intl.NumberFormat('en-US', { signDisplay: 'exceptZero' });

/** Returns by how many percent a figure changed; null if there is nothing to compare it with. */
const changeOf = (now: number, before: number): string | null =>
  before <= 0 ? null : text.change(signed.format(Math.round(((now - before) / before) * 100)));

/** Returns by how many points a rate changed. A percentage of percentages would be ambiguous. */
function pointsOf(now: SpanFigures, before: SpanFigures): string | null {
  const [one, other] = [percentOf(now), percentOf(before)];
  return one === null || other === null ? null : text.changeOfRate(signed.format(one - other));
}

const Figure = ({
  name,
  value,
  before,
  change,
}: {
  name: string;
  value: string;
  before: string;
  change: string | null;
}) => (
  <div class="number">
    <span>{name}</span>
    <strong>{value}</strong>
    <small>{before === texts.common.none ? text.nothingBefore : text.before(before)}</small>
    {change === null ? null : <small class="change">{change}</small>}
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
        {
          head: text.attempts,
          end: true,
          cell: ({ attempts, percent }) => <AttemptShare of={attempts} percent={percent} />,
        },
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

/** A number of declined attempts, with its share. */
export const AttemptShare = ({ of: attempts, percent }: { of: number; percent: number }) => (
  <>
    {count(attempts)} <small class="quiet-text">{text.shareOf(percent)}</small>
  </>
);
