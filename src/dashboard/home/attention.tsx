import type { DisputeRecord } from '../../domain/dispute.ts';
import { moneyIn } from '../../domain/money.ts';
import { distance, money } from '../parts/format.ts';
import { Empty, Time } from '../parts/parts.tsx';
import { rich } from '../parts/rich.ts';
import type { Frame } from '../parts/view.ts';
import type { References } from '../payments/list-page.tsx';
import { texts } from '../texts/en.ts';
import type { EndpointLine } from '../webhooks/list-page.tsx';

const text = texts.home;

/** What a member should look at. */
export interface AttentionData {
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
}

/** The list of what needs attention, or a sentence that nothing does. */
export function Attention({ frame, data }: { frame: Frame; data: AttentionData }) {
  const { disputes, failing, undecided, late, captures } = data;
  const total = disputes.length + failing.length + undecided.length + late.length + captures.length;
  if (total === 0) return <Empty>{text.allClear}</Empty>;
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
