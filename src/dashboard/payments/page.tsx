import { type ApiRequest, requestLogDays } from '../../domain/api-request.ts';
import type { DisputeRecord } from '../../domain/dispute.ts';
import { moneyIn } from '../../domain/money.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { type RefundRecord, refundReasons } from '../../domain/refund.ts';
import type { TimelinePart } from '../../domain/timeline/parts.ts';
import type { TimelineEntry } from '../../domain/timeline/draft-entry.ts';
import type { WaitingFor } from '../../domain/waiting.ts';
import { distance, labelOf, money, timeLeft } from '../parts/format.ts';
import { Choice, Field, Form } from '../parts/fields.tsx';
import { Card, Empty, Facts, None, Status, Table, Time } from '../parts/parts.tsx';
import { rich } from '../parts/rich.ts';
import type { Frame } from '../parts/view.ts';
import { type DeliveryLine, DeliveryTable } from '../webhooks/deliveries.tsx';
import { DisputeTable } from '../disputes/page.tsx';
import { methodLabel, methodOf } from './list-page.tsx';
import { RefundTable } from '../refunds/page.tsx';
import { RequestTable } from '../requests/page.tsx';
import { texts } from '../texts/en.ts';
import { Timeline, TimelineFilter } from './timeline.tsx';

const text = texts.payments;

/** What can be simulated for a payment in sandbox. */
export const sandboxControls = Object.keys(text.simulations) as readonly (keyof typeof text.simulations)[];
export type SandboxControl = (typeof sandboxControls)[number];

/** An attempt to charge the payment. */
export interface AttemptLine {
  attemptNo: number;
  status: string;
  method: string;
  cardBrand: string | null;
  cardLast4: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  startedAt: Date;
  resolvedAt: Date | null;
}

/** Everything about one payment. */
export interface PaymentPageData {
  payment: PaymentRecord;
  waitingFor: WaitingFor | null;
  entries: readonly TimelineEntry[];
  /** The part of the timeline to show; empty for all of it. */
  part: TimelinePart | '';
  attempts: readonly AttemptLine[];
  refunds: readonly RefundRecord[];
  disputes: readonly DisputeRecord[];
  deliveries: readonly DeliveryLine[];
  /** URLs of the merchant's endpoints, by id. */
  endpointUrls: Readonly<Record<string, string>>;
  /** The newest API requests about it. */
  requests: readonly ApiRequest[];
  /** What can still be refunded, in cents. */
  refundableCents: number;
  /** The idempotency key of the refund form. */
  refundKey: string;
  /** The refund form's values after it was rejected. */
  refundForm: { amount: string; reference: string; reason: string } | null;
  /** Changes with the content of the page. */
  version: string;
}

export function PaymentPage({ frame, data }: { frame: Frame; data: PaymentPageData }) {
  const { payment } = data;
  const path = `${frame.base}/payments/${payment.id}`;
  const dispute = data.disputes.find(({ status }) => status === 'needsResponse');
  return (
    <div class="stack" data-version={data.version} data-version-url={`${path}/version`}>
      {data.waitingFor === null ? null : (
        <Waiting waiting={data.waitingFor} dispute={dispute?.id ?? null} frame={frame} />
      )}
      {data.entries
        .filter(({ kind }) => kind === 'payment.unexpectedCapture')
        .map((entry) => (
          <UnexpectedCapture key={String(entry.detail['attemptNo'])} entry={entry} />
        ))}
      <SummaryCard frame={frame} data={data} />
      {data.disputes.length === 0 ? null : (
        <Card title={text.disputes}>
          <DisputeTable frame={frame} disputes={data.disputes} />
        </Card>
      )}
      <div class="columns">
        <Card
          title={text.timeline}
          id="timeline"
          aside={<TimelineFilter path={path} entries={data.entries} part={data.part} />}
        >
          <Timeline entries={data.entries} part={data.part} frame={frame} />
        </Card>
        <div class="stack">
          <AttemptsCard frame={frame} attempts={data.attempts} />
          <Card title={text.refunds}>
            {data.refunds.length === 0 ? (
              <Empty>{text.noRefunds}</Empty>
            ) : (
              <RefundTable frame={frame} refunds={data.refunds} path={path} />
            )}
          </Card>
          {frame.environment === 'sandbox' && frame.may('sandbox') ? (
            <SandboxCard frame={frame} path={path} isPaid={payment.paidAt !== null} />
          ) : null}
        </div>
      </div>
      <DeliveriesCard frame={frame} data={data} />
      <Card
        title={text.requests}
        aside={<a href={`${frame.base}/developers/requests?payment=${payment.id}`}>{text.allRequests}</a>}
      >
        {data.requests.length === 0 ? (
          <Empty>{text.noRequests(requestLogDays)}</Empty>
        ) : (
          <RequestTable frame={frame} requests={data.requests} ofPayment />
        )}
      </Card>
    </div>
  );
}

/** Returns why the payment or its latest declined attempt failed; null for neither. */
function lastDecline({ payment, attempts }: PaymentPageData): string | null {
  const declined = attempts
    .filter(({ failureCode }) => failureCode !== null)
    .toSorted((one, other) => other.attemptNo - one.attemptNo)[0];
  const { failureMessage, failureCode } = payment.failureCode === null ? (declined ?? payment) : payment;
  return failureMessage ?? failureCode;
}

function SummaryCard({ frame, data }: { frame: Frame; data: PaymentPageData }) {
  const { payment } = data;
  return (
    <section class="card">
      <div class="sum">
        <h2 class="money">{money(payment.amountCents)}</h2>
        <Status of={payment.status} />
      </div>
      <Facts
        of={[
          [text.method, methodOf(payment)],
          [text.customer, payment.customerEmail ?? payment.customerName],
          [text.refunded, payment.refundedCents === 0 ? null : money(payment.refundedCents)],
          [text.created, <Time at={payment.createdAt} frame={frame} />],
          [text.paid, payment.paidAt && <Time at={payment.paidAt} frame={frame} />],
          [text.checkout, labelOf(payment.checkoutStatus)],
          [text.lastDecline, lastDecline(data)],
          [text.id, <code>{payment.id}</code>],
        ]}
      />
      {frame.may('refund') && data.refundableCents > 0 ? <RefundForm frame={frame} data={data} /> : null}
    </section>
  );
}

function AttemptsCard({ frame, attempts }: { frame: Frame; attempts: readonly AttemptLine[] }) {
  return (
    <Card title={text.attempts}>
      {attempts.length === 0 ? (
        <Empty>{text.noAttempts}</Empty>
      ) : (
        <Table
          label={text.attempts}
          rows={attempts}
          rowKey={({ attemptNo }) => String(attemptNo)}
          columns={[
            { head: text.attemptNo, cell: ({ attemptNo }) => attemptNo },
            { head: text.outcome, cell: ({ status }) => <Status of={status} /> },
            {
              head: text.method,
              cell: ({ method, cardBrand, cardLast4 }) => methodLabel(method, cardBrand, cardLast4),
            },
            {
              head: text.reason,
              cell: ({ failureMessage, failureCode }) => failureMessage ?? failureCode ?? <None />,
            },
            { head: text.started, cell: ({ startedAt }) => <Time at={startedAt} frame={frame} /> },
          ]}
        />
      )}
    </Card>
  );
}

/** Simulates what happens next: a paid payment can only be disputed. */
function SandboxCard({ frame, path, isPaid }: { frame: Frame; path: string; isPaid: boolean }) {
  const possible = sandboxControls.filter((value) => (value === 'dispute') === isPaid);
  return (
    <Card title={text.sandbox}>
      <Form frame={frame} to={`${path}/sandbox`} class="row">
        <Choice
          label={text.simulation}
          id="control"
          name="control"
          value={possible[0] ?? ''}
          options={possible.map((value) => ({ value, label: text.simulations[value] }))}
        />
        <button type="submit" class="quiet">
          {text.simulate}
        </button>
      </Form>
    </Card>
  );
}

function DeliveriesCard({ frame, data }: { frame: Frame; data: PaymentPageData }) {
  const { deliveries, endpointUrls } = data;
  const add = <a href={`${frame.base}/webhooks`}>{text.addEndpoint}</a>;
  return (
    <Card title={text.deliveries}>
      {deliveries.length > 0 ? (
        <DeliveryTable frame={frame} deliveries={deliveries} endpointUrls={endpointUrls} />
      ) : (
        <Empty>
          {Object.keys(endpointUrls).length === 0 ? rich(text.noEndpoints, { add }) : text.noDeliveries}
        </Empty>
      )}
    </Card>
  );
}

/** `dispute`: the one whose deadline is waited for, which the merchant has to meet. */
function Waiting({ waiting, dispute, frame }: { waiting: WaitingFor; dispute: string | null; frame: Frame }) {
  const until = waiting.until === null ? null : new Date(waiting.until);
  const isYours = waiting.who === 'deadline' && dispute !== null && until !== null;
  const { next } = waiting;
  const time = <Time at={waiting.since} frame={frame} />;
  return (
    <div class="callout" data-testid="why-pending">
      <strong>{isYours ? text.waitingForYou : text.waiting(text.waiters[waiting.who])}</strong>
      <span>
        {isYours
          ? rich(text.respondBy, {
              time: <Time at={until} frame={frame} />,
              left: timeLeft(until, frame.nowMs),
            })
          : until === null
            ? rich(text.waitingSince, { next, time })
            : rich(text.waitingUntil, {
                next,
                time,
                until: <Time at={until} frame={frame} />,
                distance: distance(until, frame.nowMs),
              })}
      </span>
      {isYours ? <a href={`${frame.base}/disputes/${dispute}`}>{text.respond}</a> : null}
    </div>
  );
}

/** Money that the network took and that no attempt of the payment has. */
function UnexpectedCapture({ entry: { detail } }: { entry: TimelineEntry }) {
  const { amountCents, currency, attemptNo } = detail;
  return (
    <div class="callout" data-testid="unexpected-capture">
      <strong>{text.unexpectedCapture}</strong>
      <span>
        {rich(text.unexpectedCaptureText, {
          amount: moneyIn(Number(amountCents), String(currency)),
          attempt: String(attemptNo),
        })}
      </span>
    </div>
  );
}

function RefundForm({ frame, data }: { frame: Frame; data: PaymentPageData }) {
  const { payment, refundForm } = data;
  return (
    <details open={refundForm !== null}>
      <summary class="button" data-testid="refund-open">
        {text.openRefund}
      </summary>
      <Form frame={frame} to={`${frame.base}/payments/${payment.id}/refunds`} class="fields">
        <input type="hidden" name="key" value={data.refundKey} />
        <div class="row start">
          <Field
            label={text.refundAmount}
            id="refund-amount"
            name="amount"
            inputMode="decimal"
            required
            autocomplete="off"
            value={refundForm?.amount ?? (data.refundableCents / 100).toFixed(2)}
            help={text.refundMost(money(data.refundableCents))}
            data-testid="refund-amount"
          />
          <Choice
            label={text.reason}
            id="refund-reason"
            name="reason"
            value={refundForm?.reason ?? ''}
            options={[
              { value: '', label: text.noReason },
              ...refundReasons.map((value) => ({ value, label: labelOf(value) })),
            ]}
          />
          <Field
            label={text.refundReference}
            id="refund-reference"
            name="reference"
            maxLength={255}
            value={refundForm?.reference ?? ''}
          />
        </div>
        <div class="actions">
          <button type="submit" data-testid="refund-submit">
            {text.refund}
          </button>
        </div>
      </Form>
    </details>
  );
}
