import type { CardTestingMark } from '../../db/merchants/card-testing.ts';
import type { MailSettings } from '../../db/mail/mail-settings.ts';
import type { DisputeRecord } from '../../domain/dispute.ts';
import { mailFix } from '../../mail/messages/fixes.ts';
import { formatMoney } from '../../domain/money.ts';
import { distance, money } from '../parts/format.ts';
import { Form } from '../parts/fields.tsx';
import { Icon } from '../parts/icons.tsx';
import { Card, Time } from '../parts/parts.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import type { Frame } from '../parts/view.ts';
import type { References } from '../payments/list-page.tsx';
import { texts } from '../texts/en.ts';
import type { EndpointLine } from '../webhooks/list-page.tsx';

const text = texts.home;

/** Everything that a member should look at. */
export interface AttentionData {
  disputes: readonly DisputeRecord[];
  /** Whether there are further disputes that need a response. */
  hasMoreDisputes: boolean;
  /** The references of the disputes' payments. */
  references: References;
  failing: readonly EndpointLine[];
  /** Payments whose outcome at the network has been unknown for 15 minutes. */
  undecided: readonly { id: string; reference: string; since: Date }[];
  late: readonly { id: string; reference: string; paidAt: Date }[];
  /** Money that the network captured and that belongs to no paid attempt. */
  captures: readonly {
    id: string;
    attemptNo: number;
    reference: string;
    amountCents: number;
    currency: string;
    foundAt: Date;
  }[];
  /** Refusals of payments because cards seem to be tested. */
  cardTesting: readonly CardTestingMark[];
  /** The mail server; null without one. */
  mail: Pick<MailSettings, 'problem' | 'replyCode' | 'failingSince'> | null;
}

/** The list of what needs attention; one line if nothing does. */
export function Attention({ frame, data }: { frame: Frame; data: AttentionData }) {
  const { disputes, failing, undecided, late, captures, cardTesting, mail } = data;
  const lists = [disputes, failing, undecided, late, captures, cardTesting];
  const total = lists.reduce((sum, list) => sum + list.length, 0);
  const mailProblem = mail?.problem ?? null;
  if (total === 0 && mailProblem === null) {
    return (
      <p class="all-clear">
        <Icon of="done" />
        {text.allClear}
      </p>
    );
  }
  const payment = (id: string, reference: string) => <a href={`${frame.base}/payments/${id}`}>{reference}</a>;
  return (
    <Card title={text.needsAttention}>
      <ul class="stack">
        {cardTesting.length === 0 ? null : <CardTesting frame={frame} marks={cardTesting} />}
        {captures.map(({ id, attemptNo, reference, amountCents, currency, foundAt }) => (
          <li key={`${id}:${attemptNo}`}>
            {withMarkup(text.unexpectedCapture, {
              amount: formatMoney(amountCents, currency),
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
        {data.hasMoreDisputes ? (
          <li>
            <a href={`${frame.base}/disputes?status=needsResponse`}>{text.moreDisputes}</a>
          </li>
        ) : null}
        {failing.map((endpoint) => (
          <li key={endpoint.id}>
            <FailingEndpoint frame={frame} endpoint={endpoint} />
          </li>
        ))}
        {mail === null || mailProblem === null ? null : (
          <li>
            {withMarkup(text.mailWaits, {
              mail: <a href={`${frame.base}/settings#mail`}>{text.mailLink}</a>,
              time: <Time at={mail.failingSince} frame={frame} />,
              fix: mailFix({ problem: mailProblem, replyCode: mail.replyCode }),
            })}
          </li>
        )}
        {undecided.map(({ id, reference, since }) => (
          <li key={id}>
            {withMarkup(text.undecided, {
              payment: payment(id, reference),
              time: <Time at={since} frame={frame} />,
            })}
          </li>
        ))}
        {late.map(({ id, reference, paidAt }) => (
          <li key={id}>
            {withMarkup(text.paidLate, {
              payment: payment(id, reference),
              time: <Time at={paidAt} frame={frame} />,
            })}
          </li>
        ))}
      </ul>
    </Card>
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
    ? withMarkup(text.lateDispute, { dispute: link, payment: reference })
    : withMarkup(text.dispute, {
        dispute: link,
        payment: reference,
        distance: distance(dispute.evidenceDueAt, frame.nowMs),
      });
}

function FailingEndpoint({ frame, endpoint }: { frame: Frame; endpoint: EndpointLine }) {
  const link = <a href={`${frame.base}/webhooks/${endpoint.id}`}>{endpoint.url}</a>;
  if (endpoint.failingSince === null) return withMarkup(text.endpointDisabled, { endpoint: link });
  const time = <Time at={endpoint.failingSince} frame={frame} />;
  return endpoint.status === 'disabled'
    ? withMarkup(text.endpointDisabledSince, { endpoint: link, time })
    : withMarkup(text.endpointFailing, { endpoint: link, time });
}

/**
 * The warning that payments are refused because cards seem to be tested, with the form with which an owner
 * ends it.
 */
function CardTesting({ frame, marks }: { frame: Frame; marks: AttentionData['cardTesting'] }) {
  const since = marks.reduce(
    (first, mark) => (mark.since < first ? mark.since : first),
    marks[0]?.since ?? new Date(0),
  );
  return (
    <li class="alert callout" data-testid="card-testing">
      <strong>{text.cardTestingTitle}</strong>
      <p>{withMarkup(text.cardTesting, { time: <Time at={since} frame={frame} /> })}</p>
      <ul class="bullets">
        {marks.map(({ dimension, subject, refused }) => (
          <li key={`${dimension}:${subject}`}>
            {text.cardTestingLine(
              text.cardTestingSubjects[dimension](dimension === 'key' || dimension === 'bin' ? subject : ''),
              refused,
            )}
          </li>
        ))}
      </ul>
      {frame.may('team') ? (
        <Form frame={frame} to={`${frame.base}/card-testing/clear`} class="actions">
          <button type="submit" class="btn" data-variant="outline">
            {text.cardTestingClear}
          </button>
        </Form>
      ) : null}
    </li>
  );
}
