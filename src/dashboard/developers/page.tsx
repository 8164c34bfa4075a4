import { EventType, eventName } from '../parts/event-name.tsx';
import { Choice, Field, Form } from '../parts/fields.tsx';
import { maxFaults } from '../parts/form-error.ts';
import { inZone } from '../parts/list.tsx';
import { Card, Empty, None, Time } from '../parts/parts.tsx';
import { CursorPager } from '../parts/pager.tsx';
import { Secret } from '../parts/copied.tsx';
import { Table } from '../parts/table.tsx';
import type { CursorPages, Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { PaymentLink, type References } from '../payments/list-page.tsx';
import { type KeyLine, KeysCard } from './keys.tsx';

const text = texts.developers;

/** An event of the log. */
export interface EventLine {
  id: string;
  type: string;
  createdAt: Date;
  data: Record<string, unknown>;
}

/** The link to the request log. */
export const requestLogLink = ({ base }: Pick<Frame, 'base'>) => (
  <a class="btn" data-variant="outline" href={`${base}/developers/requests`} data-testid="request-log">
    {text.requestLog}
  </a>
);

export function DevelopersPage({
  frame,
  keys,
  made,
  events,
  references,
  pages,
}: {
  frame: Frame;
  keys: readonly KeyLine[];
  /** The new key, to be shown once. */
  made: string | null;
  events: readonly EventLine[];
  /** The references of the events' payments. */
  references: References;
  pages: CursorPages;
}) {
  return (
    <>
      {made === null ? null : <Secret label={text.newKey} value={made} testId="api-key" />}
      <KeysCard frame={frame} keys={keys} />
      {frame.environment === 'sandbox' && frame.may('sandbox') ? <Sandbox frame={frame} /> : null}
      <Card title={text.events}>
        {events.length === 0 ? (
          <Empty>{text.noEvents}</Empty>
        ) : (
          <Table
            label={text.events}
            rows={events}
            rowKey={({ id }) => id}
            columns={[
              {
                head: text.event,
                cell: ({ id, type }) => (
                  <>
                    <a href={`${frame.base}/events/${id}`}>{eventName(type)}</a> <EventType of={type} />
                  </>
                ),
              },
              {
                head: text.payment,
                cell: (event) => <EventPayment event={event} frame={frame} references={references} />,
              },
              {
                ...inZone(text.created, frame),
                cell: ({ createdAt }) => <Time at={createdAt} frame={frame} />,
              },
            ]}
          />
        )}
        <CursorPager {...pages} />
      </Card>
    </>
  );
}

/** Returns the id of an event's payment; null if it has none. */
export function paymentOf({ type, data: { id, paymentId } }: EventLine): string | null {
  const payment = type.startsWith('payment.') ? id : paymentId;
  return typeof payment === 'string' ? payment : null;
}

function EventPayment({
  event,
  frame,
  references,
}: {
  event: EventLine;
  frame: Frame;
  references: References;
}) {
  const payment = paymentOf(event);
  if (payment === null) return <None />;
  return <PaymentLink frame={frame} id={payment} references={references} />;
}

const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

function Sandbox({ frame }: { frame: Frame }) {
  return (
    <Card title={text.sandbox}>
      <p class="quiet-text">{text.sandboxText}</p>
      <Form frame={frame} to={`${frame.base}/developers/faults`} class="row">
        <Choice
          label={text.faultTarget}
          id="fault-target"
          name="target"
          value="network"
          options={optionsOf(text.faultTargets)}
        />
        <Choice
          label={text.fault}
          id="fault-mode"
          name="mode"
          value="timeout"
          options={optionsOf(text.faults)}
        />
        <Field
          label={text.faultCount}
          id="fault-count"
          name="count"
          type="number"
          min={1}
          max={maxFaults}
          required
          value="1"
        />
        <button type="submit" class="btn" data-variant="outline">
          {text.injectFault}
        </button>
      </Form>
    </Card>
  );
}
