import type { DisputeRecord } from '../../domain/dispute.ts';
import type { MailSettings } from '../../db/mail/mail-settings.ts';
import { mailFix } from '../../mail/messages/fixes.ts';
import { moneyIn } from '../../domain/money.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { count, distance, money } from '../parts/format.ts';
import { Card, Empty, Time } from '../parts/parts.tsx';
import { rich } from '../parts/rich.ts';
import type { Frame } from '../parts/view.ts';
import { NoPayments, PaymentTable, type References } from '../payments/list-page.tsx';
import { texts } from '../texts/en.ts';
import type { EndpointLine } from '../webhooks/list-page.tsx';

const text = texts.home;

/** One UTC day of payments. */
export interface DayFigures {
  /** `YYYY-MM-DD`. */
  day: string;
  payments: number;
  /** Paid or failed; open and abandoned payments are in neither. */
  decided: number;
  paid: number;
  paidCents: number;
}

export interface HomeData {
  disputes: readonly DisputeRecord[];
  /** Of the disputes' payments. */
  references: References;
  failing: readonly EndpointLine[];
  /** Payments without a result from the network for 15 minutes. */
  undecided: readonly { id: string; reference: string; since: Date }[];
  late: readonly { id: string; reference: string; paidAt: Date }[];
  /** Money that the network took and that no paid attempt has. */
  captures: readonly {
    id: string;
    attemptNo: number;
    reference: string;
    amountCents: number;
    currency: string;
    foundAt: Date;
  }[];
  /** The mail server; null without one. */
  mail: Pick<MailSettings, 'problem' | 'replyCode' | 'failingSince'> | null;
  /** Oldest first; null when counting took too long. */
  days: readonly DayFigures[] | null;
  newest: readonly PaymentRecord[];
}

export function HomePage({ frame, data }: { frame: Frame; data: HomeData }) {
  return (
    <>
      <Card title={text.needsAttention}>
        <Attention frame={frame} data={data} />
      </Card>
      {data.days === null ? <p class="notice">{text.figuresDelayed}</p> : <Figures days={data.days} />}
      <Card title={text.recentPayments} aside={<a href={`${frame.base}/payments`}>{text.viewAll}</a>}>
        {data.newest.length === 0 ? (
          <NoPayments frame={frame} />
        ) : (
          <PaymentTable frame={frame} payments={data.newest} />
        )}
      </Card>
    </>
  );
}

function Attention({ frame, data }: { frame: Frame; data: HomeData }) {
  const { disputes, failing, undecided, late, captures, mail } = data;
  const total = disputes.length + failing.length + undecided.length + late.length + captures.length;
  const mailProblem = mail?.problem ?? null;
  if (total === 0 && mailProblem === null) return <Empty>{text.allClear}</Empty>;
  const payment = (id: string, reference: string) => <a href={`${frame.base}/payments/${id}`}>{reference}</a>;
  return (
    <ul class="stack">
      {captures.map(({ id, attemptNo, reference, amountCents, currency, foundAt }) => (
        <li key={`${id}:${attemptNo}`}>
          {rich(text.unexpectedCapture, {
            amount: moneyIn(amountCents, currency),
            payment: payment(id, reference),
            time: <Time at={foundAt} frame={frame} />,
          })}
        </li>
      ))}
      {disputes.map((dispute) => (
        <li key={dispute.id}>
          <DueDispute
            frame={frame}
            dispute={dispute}
            reference={data.references[dispute.paymentId] ?? text.unknownPayment}
          />
        </li>
      ))}
      {failing.map((endpoint) => (
        <li key={endpoint.id}>
          <FailingEndpoint frame={frame} endpoint={endpoint} />
        </li>
      ))}
      {mail === null || mailProblem === null ? null : (
        <li>
          {rich(text.mailWaits, {
            mail: <a href={`${frame.base}/settings#mail`}>{text.mailLink}</a>,
            time: <Time at={mail.failingSince} frame={frame} />,
            fix: mailFix({ problem: mailProblem, replyCode: mail.replyCode }),
          })}
        </li>
      )}
      {undecided.map(({ id, reference, since }) => (
        <li key={id}>
          {rich(text.undecided, {
            payment: payment(id, reference),
            time: <Time at={since} frame={frame} />,
          })}
        </li>
      ))}
      {late.map(({ id, reference, paidAt }) => (
        <li key={id}>
          {rich(text.paidLate, {
            payment: payment(id, reference),
            time: <Time at={paidAt} frame={frame} />,
          })}
        </li>
      ))}
    </ul>
  );
}

function DueDispute({
  frame,
  dispute,
  reference,
}: {
  frame: Frame;
  dispute: DisputeRecord;
  reference: string;
}) {
  const late = dispute.evidenceDueAt.getTime() <= frame.nowMs;
  const amount = money(dispute.amountCents);
  const link = (
    <a href={`${frame.base}/disputes/${dispute.id}`}>
      {late ? text.lateDisputeLink(amount) : text.disputeLink(amount)}
    </a>
  );
  return late
    ? rich(text.lateDispute, { dispute: link, payment: reference })
    : rich(text.dispute, {
        dispute: link,
        payment: reference,
        distance: distance(dispute.evidenceDueAt, frame.nowMs),
      });
}

function FailingEndpoint({ frame, endpoint }: { frame: Frame; endpoint: EndpointLine }) {
  const link = <a href={`${frame.base}/webhooks/${endpoint.id}`}>{endpoint.url}</a>;
  if (endpoint.failingSince === null) return rich(text.endpointDisabled, { endpoint: link });
  const time = <Time at={endpoint.failingSince} frame={frame} />;
  return endpoint.status === 'disabled'
    ? rich(text.endpointDisabledSince, { endpoint: link, time })
    : rich(text.endpointFailing, { endpoint: link, time });
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
          <span>{text.volume(days.length)}</span>
          <strong>{money(sum(({ paidCents }) => paidCents))}</strong>
        </div>
        <div class="number">
          <span>{text.payments}</span>
          <strong>{count(payments)}</strong>
          <small>{text.openOrAbandoned(count(payments - decided))}</small>
        </div>
        <div class="number">
          <span>{text.successRate}</span>
          <strong>
            {decided === 0 ? texts.common.none : text.successRateOf(Math.floor((paid / decided) * 100))}
          </strong>
          <small>{text.paidAndFailed(count(paid), count(decided - paid))}</small>
        </div>
      </div>
      <Card title={text.paidPerDay}>
        {days.some(({ paidCents }) => paidCents > 0) ? (
          <Chart days={days} />
        ) : (
          <Empty>{text.nothingPaid(days.length)}</Empty>
        )}
      </Card>
    </>
  );
}

const size = { width: 720, height: 160, top: 8, bottom: 22, left: 56 } as const;

/** Bars of each day's volume, with a table of the same figures for screen readers. */
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
              <title>{text.barTitle(day, money(paidCents))}</title>
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
          <caption>{text.paidPerDay}</caption>
          <thead>
            <tr>
              <th scope="col">{text.day}</th>
              <th scope="col">{text.paid}</th>
              <th scope="col">{text.payments}</th>
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

/** Returns the next round amount, of one even digit and zeros, for the grid lines. */
function niceCeiling(cents: number): number {
  const zeros = 10 ** Math.floor(Math.log10(cents));
  return zeros * ([1, 2, 4, 6, 8, 10].find((factor) => factor * zeros >= cents) ?? 10);
}

const short = (cents: number): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', notation: 'compact' }).format(
    cents / 100,
  );
