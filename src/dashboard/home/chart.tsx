import { count, money } from '../parts/format.ts';
import { texts } from '../texts/en.ts';

const text = texts.home;

/** What was paid on one day of the merchant's zone. */
export interface DayFigures {
  /** `YYYY-MM-DD`. */
  day: string;
  paid: number;
  takenCents: number;
}

const size = { width: 720, height: 160, top: 8, bottom: 22, left: 56 } as const;

/** Bars of each day's volume, with a table of the same figures for screen readers. */
export function Chart({ days, caption }: { days: readonly DayFigures[]; caption: string }) {
  const most = niceCeiling(Math.max(...days.map(({ takenCents }) => takenCents), 100));
  const plot = size.height - size.top - size.bottom;
  const step = (size.width - size.left) / days.length;
  // A label each for about seven days of the span, the last among them; on a phone for every second of these.
  const labelled = Math.ceil(days.length / 7);
  const agoOf = (index: number): number => days.length - 1 - index;
  const yOf = (cents: number): number => size.top + plot * (1 - cents / most);
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
        {[0, most / 2, most].map((cents) => (
          <g key={cents}>
            <line class="grid" x1={size.left} x2={size.width} y1={yOf(cents)} y2={yOf(cents)} />
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
              rx={2}
            >
              <title>{text.barTitle(day, money(takenCents))}</title>
            </rect>
            {agoOf(index) % labelled !== 0 ? null : (
              <text
                class={agoOf(index) % (2 * labelled) === 0 ? undefined : 'wide-only'}
                x={size.left + (index + 0.5) * step}
                y={size.height - 4}
                text-anchor="middle"
              >
                {shortDay(day)}
              </text>
            )}
          </g>
        ))}
      </svg>
      <div class="unseen">
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
}

/** Returns the next round amount, of one even digit and zeros, for the grid lines. */
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
