import { formatMoney } from '../../domain/money.ts';
import type { TimelineEntry } from '../../domain/timeline/draft-entry.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { labelOf, money } from '../parts/format.ts';
import { Choice, Form } from '../parts/fields.tsx';
import { Icon } from '../parts/icons.tsx';
import { inZone } from '../parts/list.tsx';
import { Card, Empty, Fold, None, Status, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import type { AttemptLine, PaymentPageData } from './data.ts';
import { CheckoutCard, FactsCard, PurchaseCard } from './facts.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import type { Frame } from '../parts/view.ts';
import { deliveryStatus, DeliveryTable } from '../webhooks/deliveries.tsx';
import { DisputeTable } from '../disputes/list-page.tsx';
import { Method, methodLabel } from './method.tsx';
import { ApprovalsCard } from './approvals.tsx';
import { RefundDialog } from './refund-dialog.tsx';
import { Waiting } from './waiting.tsx';
import { RefundTable } from '../refunds/page.tsx';
import { RequestTable } from '../requests/page.tsx';
import { texts } from '../texts/en.ts';
import { Timeline, TimelineFilter } from './timeline.tsx';

const text = texts.payments;

/** The outcomes that can be simulated for a payment in sandbox. */
export const sandboxControls = Object.keys(text.simulations) as readonly (keyof typeof text.simulations)[];
export type SandboxControl = (typeof sandboxControls)[number];

export function PaymentPage({ frame, data }: { frame: Frame; data: PaymentPageData }) {
  const { payment } = data;
  const path = `${frame.base}/payments/${payment.id}`;
  const sandbox =
    frame.environment === 'sandbox' && frame.may('sandbox') ? (
      <SandboxCard frame={frame} path={path} isPaid={payment.paidAt !== null} />
    ) : null;
  const story = storyLength(data);
  const dispute = data.disputes.find(({ status }) => status === 'needsResponse');
  return (
    <div class="stack" data-version={data.version} data-version-url={`${path}/version`}>
      <Summary frame={frame} data={data} path={path} />
      {data.isArchived ? (
        <div class="alert callout" data-testid="archived">
          <strong>{text.archived}</strong>
          <span>{text.archivedText}</span>
        </div>
      ) : null}
      {data.waitingFor === null ? null : (
        <Waiting waiting={data.waitingFor} dispute={dispute?.id ?? null} frame={frame} />
      )}
      {data.entries
        .filter(({ kind }) => kind === 'payment.unexpectedCapture')
        .map((entry) => (
          <UnexpectedCapture key={String(entry.detail['attemptNo'])} entry={entry} />
        ))}
      <div class="story">
        <div class="stack">
          <Story frame={frame} data={data} path={path} />
          {story === 'short' ? <CheckoutCard data={data} /> : null}
          {story === 'long' ? null : sandbox}
        </div>
        <div class="stack">
          <FactsCard frame={frame} data={data} withCheckout={story !== 'short'} />
          {story === 'long' ? sandbox : null}
        </div>
      </div>
      <Deliveries frame={frame} data={data} />
      <Fold title={text.requests} rows={data.requests.length}>
        <a href={`${frame.base}/developers/requests?payment=${payment.id}`}>{text.allRequests}</a>
        {data.requests.length === 0 ? (
          <Empty>{text.noRequests}</Empty>
        ) : (
          <RequestTable frame={frame} requests={data.requests} ofPayment />
        )}
      </Fold>
    </div>
  );
}

/**
 * Returns how much the payment's page shows beside its timeline. The checkout and the sandbox are then placed
 * so that the two columns end at about the same height.
 */
function storyLength({ payment, disputes, refunds, approvals }: PaymentPageData): 'short' | 'usual' | 'long' {
  if (disputes.length + refunds.length > 0) return 'long';
  const hasOrder = payment.description !== null || payment.lineItems !== null;
  return hasOrder || approvals.length > 0 ? 'usual' : 'short';
}

interface PartProps {
  frame: Frame;
  data: PaymentPageData;
  /** Address of the payment's page. */
  path: string;
}

/** The amount with its status, and the possible actions. */
function Summary({ frame, data, path }: PartProps) {
  const { payment } = data;
  const refundable = frame.may('refund') && data.refundableCents > 0;
  return (
    <section class="card">
      <div class="sum">
        <h2 class="money">{money(payment.amountCents)}</h2>
        <Status of={payment.status} />
        {refundable ? (
          <div class="actions">
            <a class="btn" href={`${path}?ask=refund`} data-dialog="refund" data-testid="refund-open">
              <Icon of="refunds" />
              {text.openRefund}
            </a>
          </div>
        ) : null}
      </div>
      <p class="quiet-text">{shortFacts(payment)}</p>
      {refundable ? <RefundDialog frame={frame} data={data} path={path} /> : null}
    </section>
  );
}

/** Returns the known facts in short: the method, the customer, the order, and what was refunded. */
const shortFacts = ({
  method,
  cardBrand,
  cardLast4,
  customerName,
  customerEmail,
  description,
  refundedCents,
}: PaymentRecord): string =>
  [
    method === null ? null : methodLabel(method, cardBrand, cardLast4),
    customerName ?? customerEmail,
    description,
    refundedCents === 0 ? null : text.refundedOf(money(refundedCents)),
  ]
    .filter((fact) => fact !== null)
    .join(' · ') || text.noFacts;

/** The timeline, and the rows that belong to it. */
function Story({ frame, data, path }: PartProps) {
  return (
    <>
      {data.disputes.length === 0 ? null : (
        <Card title={text.disputes}>
          <DisputeTable frame={frame} disputes={data.disputes} />
        </Card>
      )}
      <Card
        title={text.timeline}
        id="timeline"
        aside={<TimelineFilter path={path} source={data} part={data.part} />}
      >
        <Timeline source={data} part={data.part} frame={frame} />
      </Card>
      {data.attempts.length === 0 ? null : <AttemptsCard frame={frame} attempts={data.attempts} />}
      <PurchaseCard payment={data.payment} />
      <ApprovalsCard frame={frame} approvals={data.approvals} path={path} />
      {data.refunds.length === 0 ? null : (
        <Card title={text.refunds}>
          <RefundTable frame={frame} refunds={data.refunds} path={path} />
        </Card>
      )}
    </>
  );
}

function AttemptsCard({ frame, attempts }: { frame: Frame; attempts: readonly AttemptLine[] }) {
  return (
    <Card title={text.attempts}>
      <Table
        label={text.attempts}
        rows={attempts}
        rowKey={({ attemptNo }) => String(attemptNo)}
        columns={[
          { head: text.attemptNo, cell: ({ attemptNo }) => attemptNo },
          { head: text.outcome, cell: ({ status }) => <Status of={status} /> },
          {
            head: text.method,
            cell: (attempt) => <Method of={attempt} />,
          },
          {
            head: text.reason,
            cell: ({ failureMessage, failureCode }) =>
              failureMessage ?? (failureCode === null ? <None /> : labelOf(failureCode)),
          },
          {
            ...inZone(text.started, frame),
            cell: ({ startedAt }) => <Time at={startedAt} frame={frame} precise />,
          },
        ]}
      />
    </Card>
  );
}

/** The form that simulates what happens next. A paid payment can only be disputed. */
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
        <button type="submit" class="btn" data-variant="outline">
          {text.simulate}
        </button>
      </Form>
    </Card>
  );
}

/** The status of a failed delivery, shown on the fold so that it stays visible. */
function WorstDelivery({ of: deliveries }: { of: PaymentPageData['deliveries'] }) {
  const found = deliveries.map(deliveryStatus);
  const worst = (['failed', 'retrying'] as const).find((status) => found.includes(status));
  return worst === undefined ? null : <Status of={worst} />;
}

function Deliveries({ frame, data }: { frame: Frame; data: PaymentPageData }) {
  const { deliveries, endpointUrls } = data;
  const add = <a href={`${frame.base}/webhooks`}>{text.addEndpoint}</a>;
  return (
    <Fold title={text.deliveries} rows={deliveries.length} aside={<WorstDelivery of={deliveries} />}>
      {deliveries.length > 0 ? (
        <DeliveryTable frame={frame} deliveries={deliveries} endpointUrls={endpointUrls} />
      ) : (
        <Empty>
          {Object.keys(endpointUrls).length === 0 ? withMarkup(text.noEndpoints, { add }) : text.noDeliveries}
        </Empty>
      )}
    </Fold>
  );
}

/** The notice of money that the network captured and that belongs to no paid attempt of the payment. */
function UnexpectedCapture({ entry: { detail } }: { entry: TimelineEntry }) {
  const { amountCents, currency, attemptNo } = detail;
  return (
    <div class="alert callout" data-testid="unexpected-capture">
      <strong>{text.unexpectedCapture}</strong>
      <span>
        {withMarkup(text.unexpectedCaptureText, {
          amount: formatMoney(Number(amountCents), String(currency)),
          attempt: String(attemptNo),
        })}
      </span>
    </div>
  );
}
