import type { DisputeRecord } from '../../domain/dispute.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { count, distance, money } from '../parts/format.ts';
import { Card, Empty, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { PaymentTable, type References } from '../payments/list-page.tsx';
import type { EndpointLine } from '../webhooks/list-page.tsx';

/** One UTC day of payments. */
export interface DayFigures {
  /** `YYYY-MM-DD`. */
  day: string;
  payments: number;
  /** Of these, paid or failed: whoever left, or still may pay, is in neither. */
  decided: number;
  paid: number;
  paidCents: number;
}

export interface HomeData {
  disputes: readonly DisputeRecord[];
  /** Of the disputes' payments. */
  references: References;
  failing: readonly EndpointLine[];
  /** Payments whose outcome is not known for 15 minutes. */
  undecided: readonly { id: string; reference: string; since: Date }[];
  late: readonly { id: string; reference: string; paidAt: Date }[];
  /** Oldest first; null: counting took too long. */
  days: readonly DayFigures[] | null;
  newest: readonly PaymentRecord[];
}

export function HomePage({ frame, data }: { frame: Frame; data: HomeData }) {
  const { disputes, failing, undecided, late } = data;
  const todo = disputes.length + failing.length + undecided.length + late.length;
  return (
    <>
      <Card title="What needs you">
        {todo === 0 ? (
          <Empty>Nothing. No dispute is due, every endpoint answers, every payment is decided.</Empty>
        ) : (
          <ul class="stack">
            {disputes.map((dispute) => (
              <li key={dispute.id}>
                <a href={`${frame.base}/disputes/${dispute.id}`}>
                  Answer the dispute over {money(dispute.amountCents)}
                </a>{' '}
                of {data.references[dispute.paymentId] ?? 'a payment'}, due{' '}
                {distance(dispute.evidenceDueAt, frame.nowMs)}
              </li>
            ))}
            {failing.map((endpoint) => (
              <li key={endpoint.id}>
                <a href={`${frame.base}/webhooks/${endpoint.id}`}>{endpoint.url}</a>{' '}
                {endpoint.status === 'disabled' ? 'is disabled' : 'does not answer'}
                {endpoint.failingSince === null ? null : (
                  <>
                    {' '}
                    since <Time at={endpoint.failingSince} frame={frame} />
                  </>
                )}
              </li>
            ))}
            {undecided.map(({ id, reference, since }) => (
              <li key={id}>
                <a href={`${frame.base}/payments/${id}`}>{reference}</a>: the network has not decided since{' '}
                <Time at={since} frame={frame} />
              </li>
            ))}
            {late.map(({ id, reference, paidAt }) => (
              <li key={id}>
                <a href={`${frame.base}/payments/${id}`}>{reference}</a> was paid after its deadline,{' '}
                <Time at={paidAt} frame={frame} />: ship it or refund it
              </li>
            ))}
          </ul>
        )}
      </Card>
      {data.days === null ? (
        <p class="notice">The figures take too long to count now.</p>
      ) : (
        <Figures days={data.days} />
      )}
      <Card title="Newest payments" aside={<a href={`${frame.base}/payments`}>All payments</a>}>
        {data.newest.length === 0 ? (
          <Empty>
            No payments yet. Make a key under <a href={`${frame.base}/developers`}>Developers</a>, then create
            one with <code>POST /v1/payments</code>.
          </Empty>
        ) : (
          <PaymentTable frame={frame} payments={data.newest} />
        )}
      </Card>
    </>
  );
}

function Figures({ days }: { days: readonly DayFigures[] }) {
  const sum = (pick: (day: DayFigures) => number): number => days.reduce((all, day) => all + pick(day), 0);
  const payments = sum(({ payments: many }) => many);
  const decided = sum(({ decided: many }) => many);
  const paid = sum(({ paid: many }) => many);
  return (
    <>
      <div class="numbers">
        <div class="number">
          <span>Paid, {days.length} days</span>
          <strong>{money(sum(({ paidCents }) => paidCents))}</strong>
        </div>
        <div class="number">
          <span>Payments</span>
          <strong>{count(payments)}</strong>
          <small>{count(payments - decided)} open, or left unpaid</small>
        </div>
        <div class="number">
          <span>Success rate</span>
          <strong>{decided === 0 ? '–' : `${Math.floor((paid / decided) * 100)}\u00A0%`}</strong>
          <small>
            {count(paid)} of {count(decided)} paid or failed
          </small>
        </div>
      </div>
      <Card title="Paid each day (UTC)">
        {days.some(({ paidCents }) => paidCents > 0) ? (
          <Chart days={days} />
        ) : (
          <Empty>Nothing was paid in these {days.length} days.</Empty>
        )}
      </Card>
    </>
  );
}

const size = { width: 720, height: 160, top: 8, bottom: 22, left: 56 } as const;

/** Bars of what was paid each day; the same figures stand in a table for whoever does not see them. */
function Chart({ days }: { days: readonly DayFigures[] }) {
  const most = niceCeiling(Math.max(...days.map(({ paidCents }) => paidCents), 100));
  const plot = size.height - size.top - size.bottom;
  const step = (size.width - size.left) / days.length;
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
        {days.map(({ day, paidCents }, index) => (
          <g key={day}>
            <rect
              class="bar"
              x={size.left + index * step + step * 0.2}
              width={step * 0.6}
              y={yOf(paidCents)}
              height={Math.max(paidCents > 0 ? 1.5 : 0, size.top + plot - yOf(paidCents))}
              rx={2}
            >
              <title>{`${day}: ${money(paidCents)}`}</title>
            </rect>
            {index % 2 === 1 ? null : (
              <text x={size.left + (index + 0.5) * step} y={size.height - 4} text-anchor="middle">
                {day.slice(8)}
              </text>
            )}
          </g>
        ))}
      </svg>
      <div class="unseen">
        <table>
          <caption>Paid each day</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Paid</th>
              <th scope="col">Payments</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, paidCents, payments }) => (
              <tr key={day}>
                <td>{day}</td>
                <td>{money(paidCents)}</td>
                <td>{payments}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** The next even number of one digit with zeros, so that the lines stand at round amounts. */
function niceCeiling(cents: number): number {
  const zeros = 10 ** Math.floor(Math.log10(cents));
  return zeros * ([1, 2, 4, 6, 8, 10].find((factor) => factor * zeros >= cents) ?? 10);
}

const short = (cents: number): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', notation: 'compact' }).format(
    cents / 100,
  );
