import { count, money } from '../parts/format.ts';
import { texts } from '../texts/en.ts';

const text = texts.home;

/** The payments of one day, in the merchant's zone. */
export interface DayFigures {
  /** `YYYY-MM-DD`. */
  day: string;
  paid: number;
  takenCents: number;
}

/** One drawing of the chart: its width, and the maximum number of day labels that fit. */
interface Drawing {
  name: 'drawing-wide' | 'drawing-narrow';
  width: number;
  labels: number;
}

/** Text keeps its size, so phones get a narrow drawing of their own. */
const drawings: readonly Drawing[] = [
  { name: 'drawing-wide', width: 720, labels: 7 },
  { name: 'drawing-narrow', width: 326, labels: 4 },
];

const size = { height: 160, top: 8, bottom: 22, left: 48 } as const;

/** Bars of each day's volume, with a table of the same figures for screen readers. */
export const Chart = ({ days, caption }: { days: readonly DayFigures[]; caption: string }) => (
  <figure class="day-chart">
    {drawings.map((drawing) => (
      <Bars key={drawing.name} days={days} drawing={drawing} />
    ))}
    <div class="sr-only">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{text.day}</th>
            <th scope="col">{text.volume}</th>
            <th scope="col">{text.paid}</th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, takenCents, paid }) => (
            <tr key={day}>
              <td>{day}</td>
              <td>{money(takenCents)}</td>
              <td>{count(paid)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </figure>
);

function Bars({ days, drawing: { name, width, labels } }: { days: readonly DayFigures[]; drawing: Drawing }) {
  const maxCents = niceCeiling(Math.max(...days.map(({ takenCents }) => takenCents), 100));
  const plot = size.height - size.top - size.bottom;
  const step = (width - size.left) / days.length;
  // Only some days of the span have a label, the last day among them.
  const labelled = Math.ceil(days.length / labels);
  const agoOf = (index: number): number => days.length - 1 - index;
  const yOf = (cents: number): number => size.top + plot * (1 - cents / maxCents);
  return (
    <svg class={name} viewBox={`0 0 ${width} ${size.height}`} aria-hidden="true">
      {[0, maxCents / 2, maxCents].map((cents) => (
        <g key={cents}>
          <line class="grid-line" x1={size.left} x2={width} y1={yOf(cents)} y2={yOf(cents)} />
          <text x={size.left - 8} y={yOf(cents) + 4} text-anchor="end">
            {short(cents)}
          </text>
        </g>
      ))}
      {days.map(({ day, takenCents }, index) => (
        <g key={day}>
          <rect
            class="bar"
            x={size.left + index * step + step * 0.2}
            width={step * 0.6}
            y={yOf(takenCents)}
            height={Math.max(takenCents > 0 ? 1.5 : 0, size.top + plot - yOf(takenCents))}
            rx={Math.min(2, step * 0.2)}
          >
            <title>{text.barTitle(day, money(takenCents))}</title>
          </rect>
          {agoOf(index) % labelled !== 0 ? null : (
            <text
              x={agoOf(index) === 0 ? width : size.left + (index + 0.5) * step}
              y={size.height - 4}
              text-anchor={agoOf(index) === 0 ? 'end' : 'middle'}
            >
              {shortDay(day)}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

/** Returns the next higher round amount, one even digit followed by zeros, for the grid lines. */
function niceCeiling(cents: number): number {
  const zeros = 10 ** Math.floor(Math.log10(cents));
  return zeros * ([1, 2, 4, 6, 8, 10].find((factor) => factor * zeros >= cents) ?? 10);
}

const short = (cents: number): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', notation: 'compact' }).format(
    cents / 100,
  );

/** Returns a day of the calendar as `12 Mar`. */
const shortDay = (day: string): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );
