import { type ApiRequest, requestLogDays } from '../../domain/api-request.ts';
import type { DisputeRecord } from '../../domain/dispute.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { type RefundRecord, refundReasons } from '../../domain/refund.ts';
import type { TimelinePart } from '../../domain/timeline/parts.ts';
import type { TimelineEntry } from '../../domain/timeline/draft-entry.ts';
import type { WaitingFor } from '../../domain/waiting.ts';
import { distance, money, labelOf } from '../parts/format.ts';
import { Choice, Field, Form } from '../parts/fields.tsx';
import { Card, Empty, Facts, Status, Table, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { type DeliveryLine, DeliveryTable } from '../webhooks/deliveries.tsx';
import { DisputeTable } from '../disputes/page.tsx';
import { methodOf } from './list-page.tsx';
import { RefundTable } from '../refunds/page.tsx';
import { RequestTable } from '../requests/page.tsx';
import { Timeline, TimelineFilter } from './timeline.tsx';

/** What may be made to happen to a payment in sandbox. */
export const sandboxControls = [
  { value: 'paid', label: 'The network takes the money' },
  { value: 'failed', label: 'The network refuses for good' },
  { value: 'requiresAction', label: 'The bank asks the customer for a step' },
  { value: 'processing', label: 'The network does not answer' },
  { value: 'dispute', label: 'The customer disputes it' },
  { value: 'hour', label: 'An hour passes' },
] as const;
export type SandboxControl = (typeof sandboxControls)[number]['value'];

/** A try to take the money. */
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
  /** The part of the timeline that is shown; empty for all of it. */
  part: TimelinePart | '';
  attempts: readonly AttemptLine[];
  refunds: readonly RefundRecord[];
  disputes: readonly DisputeRecord[];
  deliveries: readonly DeliveryLine[];
  /** Where the merchant's endpoints are, by id. */
  endpointUrls: Readonly<Record<string, string>>;
  /** The newest calls of the API about it. */
  requests: readonly ApiRequest[];
  /** What may still be refunded, in cents; 0: nothing. */
  refundableCents: number;
  /** Same for the same form: sent twice, it refunds once. */
  refundKey: string;
  /** What the refund form holds after it was refused. */
  refundForm: { amount: string; reference: string; reason: string } | null;
  /** Changes whenever the page would look different. */
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
      <section class="card">
        <div class="sum">
          <h2 class="money">{money(payment.amountCents)}</h2>
          <Status of={payment.status} />
        </div>
        <Facts
          of={[
            ['Method', methodOf(payment)],
            ['Customer', payment.customerEmail ?? payment.customerName ?? '–'],
            ['Refunded', money(payment.refundedCents)],
            ['Created', <Time at={payment.createdAt} frame={frame} />],
            ['Paid', <Time at={payment.paidAt} frame={frame} />],
            ['Checkout', labelOf(payment.checkoutStatus)],
            [
              'Last decline',
              payment.failureCode === null ? '–' : (payment.failureMessage ?? payment.failureCode),
            ],
            ['Payment id', <code>{payment.id}</code>],
          ]}
        />
        {frame.may('refund') && data.refundableCents > 0 ? <RefundForm frame={frame} data={data} /> : null}
      </section>
      {data.disputes.length === 0 ? null : (
        <Card title="Disputes">
          <DisputeTable frame={frame} disputes={data.disputes} />
        </Card>
      )}
      <div class="columns">
        <Card
          title="Timeline"
          id="timeline"
          aside={<TimelineFilter path={path} entries={data.entries} part={data.part} />}
        >
          <Timeline entries={data.entries} part={data.part} frame={frame} />
        </Card>
        <div class="stack">
          <Card title="Attempts">
            {data.attempts.length === 0 ? (
              <Empty>The customer has not tried to pay yet.</Empty>
            ) : (
              <Table
                label="Attempts"
                rows={data.attempts}
                rowKey={({ attemptNo }) => String(attemptNo)}
                columns={[
                  { head: 'No.', cell: ({ attemptNo }) => attemptNo },
                  { head: 'Outcome', cell: ({ status }) => <Status of={status} /> },
                  {
                    head: 'With',
                    cell: ({ method, cardBrand, cardLast4 }) =>
                      cardLast4 === null
                        ? labelOf(method)
                        : `${labelOf(cardBrand ?? 'card')} ·· ${cardLast4}`,
                  },
                  {
                    head: 'Why',
                    cell: ({ failureMessage, failureCode }) => failureMessage ?? failureCode ?? '–',
                  },
                  { head: 'When', cell: ({ startedAt }) => <Time at={startedAt} frame={frame} /> },
                ]}
              />
            )}
          </Card>
          <Card title="Refunds">
            {data.refunds.length === 0 ? (
              <Empty>Nothing was refunded.</Empty>
            ) : (
              <RefundTable frame={frame} refunds={data.refunds} path={path} />
            )}
          </Card>
          {frame.environment === 'sandbox' && frame.may('sandbox') ? (
            <Card title="Sandbox">
              <Form frame={frame} to={`${path}/sandbox`} class="row">
                <Choice
                  label="What happens next"
                  id="control"
                  name="control"
                  value="paid"
                  options={sandboxControls}
                />
                <button type="submit" class="quiet">
                  Let it happen
                </button>
              </Form>
            </Card>
          ) : null}
        </div>
      </div>
      <Card title="Webhook deliveries">
        {data.deliveries.length === 0 ? (
          <Empty>
            No endpoint asked for events of this payment. <a href={`${frame.base}/webhooks`}>Add one</a>, and
            send events again.
          </Empty>
        ) : (
          <DeliveryTable frame={frame} deliveries={data.deliveries} endpointUrls={data.endpointUrls} />
        )}
      </Card>
      <Card
        title="API requests"
        aside={<a href={`${frame.base}/developers/requests?payment=${payment.id}`}>All of this payment</a>}
      >
        {data.requests.length === 0 ? (
          <Empty>No call of the API was about this payment in the last {requestLogDays} days.</Empty>
        ) : (
          <RequestTable frame={frame} requests={data.requests} ofPayment />
        )}
      </Card>
    </div>
  );
}

const waiters: Readonly<Record<WaitingFor['who'], string>> = {
  customer: 'the customer',
  network: 'the payment network',
  vault: 'the card vault',
  deadline: 'its deadline',
  operator: 'whoever runs this service',
};

/** `dispute`: the one whose deadline is waited for, which is the merchant's own to meet. */
function Waiting({ waiting, dispute, frame }: { waiting: WaitingFor; dispute: string | null; frame: Frame }) {
  const isYours = waiting.who === 'deadline' && dispute !== null;
  const until = waiting.until === null ? null : new Date(waiting.until);
  return (
    <div class="callout" data-testid="why-pending">
      <strong>Waiting for {isYours ? 'you' : waiters[waiting.who]}</strong>
      <span>
        Since <Time at={waiting.since} frame={frame} />. {waiting.next}
        {until === null ? null : (
          <>
            {' '}
            Until <Time at={until} frame={frame} /> ({distance(until, frame.nowMs)}).
          </>
        )}
      </span>
      {isYours ? <a href={`${frame.base}/disputes/${dispute}`}>Answer the dispute</a> : null}
    </div>
  );
}

function RefundForm({ frame, data }: { frame: Frame; data: PaymentPageData }) {
  const { payment, refundForm } = data;
  return (
    <details open={refundForm !== null}>
      <summary class="button" data-testid="refund-open">
        Refund
      </summary>
      <Form frame={frame} to={`${frame.base}/payments/${payment.id}/refunds`} class="fields">
        <input type="hidden" name="key" value={data.refundKey} />
        <div class="row">
          <Field
            label="Amount in dollars"
            id="refund-amount"
            name="amount"
            inputMode="decimal"
            required
            autocomplete="off"
            value={refundForm?.amount ?? (data.refundableCents / 100).toFixed(2)}
            help={`Up to ${money(data.refundableCents)}.`}
            data-testid="refund-amount"
          />
          <Choice
            label="Reason"
            id="refund-reason"
            name="reason"
            value={refundForm?.reason ?? ''}
            options={[
              { value: '', label: 'None' },
              ...refundReasons.map((value) => ({ value, label: labelOf(value) })),
            ]}
          />
          <Field
            label="Your reference"
            id="refund-reference"
            name="reference"
            maxLength={255}
            value={refundForm?.reference ?? ''}
            help="Optional."
          />
        </div>
        <div class="actions">
          <button type="submit" data-testid="refund-submit">
            Refund
          </button>
        </div>
      </Form>
    </details>
  );
}
