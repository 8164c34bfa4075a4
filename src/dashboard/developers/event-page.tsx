import { EventType } from '../parts/event-name.tsx';
import { Form } from '../parts/fields.tsx';
import { Card, Empty, Status, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import {
  AttemptList,
  deliveryStatus,
  type DeliveryLine,
  DeliveryTick,
  ResendForm,
} from '../webhooks/deliveries.tsx';
import type { EventLine } from './page.tsx';

const text = texts.developers;

/** An event as webhooks carry it, beside its deliveries with the responses of the endpoints. */
export const EventPage = ({
  frame,
  event,
  deliveries,
  endpointUrls,
}: {
  frame: Frame;
  event: EventLine & { json: string };
  deliveries: readonly DeliveryLine[];
  /** By endpoint id. */
  endpointUrls: Readonly<Record<string, string>>;
}) => (
  <div class="columns">
    <Card title={text.eventAsSent} aside={<Time at={event.createdAt} frame={frame} />}>
      <p>
        <EventType of={event.type} />
      </p>
      <pre>{event.json}</pre>
      {frame.may('resend') ? (
        <div class="actions">
          <Form frame={frame} to={`${frame.base}/events/${event.id}/resend`}>
            <button type="submit" class="btn" data-variant="outline">
              {text.resendEvent}
            </button>
          </Form>
        </div>
      ) : null}
    </Card>
    <Card title={texts.webhooks.answers}>
      {deliveries.length === 0 ? <Empty>{texts.webhooks.notSent}</Empty> : null}
      {deliveries.map((delivery) => (
        <Answers
          key={delivery.endpointId}
          frame={frame}
          delivery={delivery}
          url={endpointUrls[delivery.endpointId]}
        />
      ))}
      {deliveries.length > 0 && frame.may('resend') ? <ResendForm frame={frame} /> : null}
    </Card>
  </div>
);

/** A delivery of the event, with the responses of its endpoint. `url`: undefined for a deleted endpoint. */
function Answers({
  frame,
  delivery,
  url,
}: {
  frame: Frame;
  delivery: DeliveryLine;
  url: string | undefined;
}) {
  const { eventId, endpointId, attempts } = delivery;
  const { deletedEndpoint, noAttempts, select } = texts.webhooks;
  return (
    <div class="stack" data-testid="event-delivery">
      <p class="ticked">
        {frame.may('resend') && url !== undefined ? (
          <DeliveryTick eventId={eventId} endpointId={endpointId} name={select(url, null)} />
        ) : null}
        <span>
          {url === undefined ? (
            <span class="none">{deletedEndpoint}</span>
          ) : (
            <a href={`${frame.base}/webhooks/${endpointId}`}>{url.replace(/^https?:\/\//, '')}</a>
          )}{' '}
          <Status of={deliveryStatus(delivery)} />
        </span>
      </p>
      {attempts.length === 0 ? (
        <p class="none">{noAttempts}</p>
      ) : (
        <AttemptList attempts={attempts} frame={frame} />
      )}
    </div>
  );
}
