import { entryNamed } from '../../domain/entry-named.ts';
import type { DeliveryRef } from '../../domain/event.ts';
import { EventType, eventName } from '../parts/event-name.tsx';
import { Form } from '../parts/fields.tsx';
import { inZone } from '../parts/list.tsx';
import { Status, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.webhooks;

/** The delivery of an event to an endpoint, with its latest attempts, newest first. */
export interface DeliveryLine {
  eventId: string;
  endpointId: string;
  type: string;
  payment: { id: string; reference: string } | null;
  status: string;
  createdAt: Date;
  nextAttemptAt: Date | null;
  deliveredAt: Date | null;
  attemptCount: number;
  attempts: readonly {
    attemptNo: number;
    at: string;
    durationMs: number;
    statusCode: number | null;
    error: string | null;
    responseExcerpt: string | null;
  }[];
}

/** The id of the form that resends ticked deliveries. */
const resendForm = 'resend';

/** Deliveries with their attempts, each with a box to tick, and a button that resends the ticked ones. */
export function DeliveryTable({
  frame,
  deliveries,
  endpointUrls,
}: {
  frame: Frame;
  deliveries: readonly DeliveryLine[];
  /** By endpoint id; absent if all deliveries go to the same endpoint. */
  endpointUrls?: Readonly<Record<string, string>>;
}) {
  return (
    <>
      <Table
        label={text.deliveries}
        onPhone="deliveries"
        testId="delivery-row"
        rows={deliveries}
        rowKey={({ eventId, endpointId }) => eventId + endpointId}
        columns={[
          {
            head: text.event,
            cell: (delivery) => (
              <DeliveryEvent frame={frame} delivery={delivery} namesPayment={endpointUrls === undefined} />
            ),
          },
          { head: texts.common.status, cell: (delivery) => <Status of={deliveryStatus(delivery)} /> },
          ...(endpointUrls === undefined
            ? []
            : [
                {
                  head: text.endpoint,
                  cell: ({ endpointId }: DeliveryLine) => {
                    const url = endpointUrls[endpointId];
                    return url === undefined ? (
                      <span class="none">{text.deletedEndpoint}</span>
                    ) : (
                      <a href={`${frame.base}/webhooks/${endpointId}`}>{url.replace(/^https?:\/\//, '')}</a>
                    );
                  },
                },
              ]),
          { head: text.attempts, cell: (delivery) => <Attempts delivery={delivery} frame={frame} /> },
          {
            ...inZone(text.created, frame),
            cell: ({ createdAt }) => <Time at={createdAt} frame={frame} recent />,
          },
          {
            head: '',
            end: true,
            cell: (delivery) => (frame.may('resend') ? <ResendButton {...delivery} /> : null),
          },
        ]}
      />
      {frame.may('resend') ? <ResendForm frame={frame} /> : null}
    </>
  );
}

/** The event of a delivery, with a box to tick. */
function DeliveryEvent({
  frame,
  delivery: { type, eventId, endpointId, payment },
  namesPayment,
}: {
  frame: Frame;
  delivery: DeliveryLine;
  /** The page of a payment need not name it in every row. */
  namesPayment: boolean;
}) {
  const event = (
    <span>
      <a href={`${frame.base}/events/${eventId}`}>{eventName(type)}</a>{' '}
      <span class="not-on-phone">
        <EventType of={type} />
      </span>
      {payment === null || !namesPayment ? null : (
        <>
          <br />
          <small>
            <a href={`${frame.base}/payments/${payment.id}`} data-testid="delivery-order">
              {payment.reference}
            </a>
          </small>
        </>
      )}
    </span>
  );
  if (!frame.may('resend')) return event;
  return (
    <span class="ticked">
      <DeliveryTick
        eventId={eventId}
        endpointId={endpointId}
        name={text.select(eventName(type), payment?.reference ?? null)}
      />
      {event}
    </span>
  );
}

/** The box with which a delivery is chosen to be resent. */
export const DeliveryTick = ({ eventId, endpointId, name }: DeliveryRef & { name: string }) => (
  <input
    type="checkbox"
    class="input"
    name="delivery"
    value={`${endpointId}/${eventId}`}
    form={resendForm}
    aria-label={name}
    data-testid="delivery-select"
  />
);

/** The button that resends the ticked deliveries of the page. */
export const ResendForm = ({ frame }: { frame: Frame }) => (
  <Form frame={frame} to={`${frame.base}/webhooks/resend`} class="actions" id={resendForm}>
    <button type="submit" class="btn" data-variant="outline" data-testid="deliveries-resend">
      {text.resendSelected}
    </button>
  </Form>
);

/** The button that resends one delivery, whatever is ticked. */
const ResendButton = ({ eventId, endpointId }: DeliveryRef) => (
  <button
    type="submit"
    form={resendForm}
    name="only"
    value={`${endpointId}/${eventId}`}
    class="btn text-muted-foreground"
    data-variant="ghost"
    data-testid="delivery-resend"
  >
    {text.resend}
  </button>
);

/** A pending delivery that has failed before is retried. */
export const deliveryStatus = ({
  status,
  attemptCount,
}: Pick<DeliveryLine, 'status' | 'attemptCount'>): string =>
  status === 'pending' && attemptCount > 0 ? 'retrying' : status;

const errorTexts: Readonly<Record<string, string>> = text.errors;

/** Returns the outcome of a delivery attempt, in words. */
export const errorText = ({
  statusCode,
  error,
}: Pick<DeliveryLine['attempts'][number], 'statusCode' | 'error'>): string =>
  statusCode === null ? (entryNamed(errorTexts, error ?? '') ?? text.noAnswer) : text.httpStatus(statusCode);

const isSuccess = ({ statusCode, error }: DeliveryLine['attempts'][number]): boolean =>
  error === null && statusCode !== null && statusCode >= 200 && statusCode < 300;

/** The outcome of the latest attempt, all attempts in a fold, and the time of the next one. */
function Attempts({ delivery, frame }: { delivery: DeliveryLine; frame: Frame }) {
  const [latest] = delivery.attempts;
  const { nextAttemptAt, attemptCount } = delivery;
  return (
    <>
      {latest === undefined ? (
        <span class="none">{text.noAttempts}</span>
      ) : (
        <details class={isSuccess(latest) ? 'went-well' : 'went-wrong'}>
          <summary>{text.attemptsAndResult(attemptCount, errorText(latest))}</summary>
          <AttemptList attempts={delivery.attempts} frame={frame} />
        </details>
      )}
      {nextAttemptAt === null ? null : (
        <small class="quiet-text next-attempt">
          {nextAttemptAt.getTime() <= frame.nowMs
            ? text.attemptDue
            : withMarkup(latest === undefined ? text.firstAttempt : text.nextAttempt, {
                time: <Time at={nextAttemptAt} frame={frame} recent />,
              })}
        </small>
      )}
    </>
  );
}

/** Attempts with their results and the beginnings of their responses, newest first. */
export const AttemptList = ({ attempts, frame }: { attempts: DeliveryLine['attempts']; frame: Frame }) => (
  <ol class="stack">
    {attempts.map((attempt) => (
      <li key={attempt.attemptNo}>
        {withMarkup(text.attempt, {
          result: <strong>{errorText(attempt)}</strong>,
          duration: text.duration(attempt.durationMs),
          time: <Time at={attempt.at} frame={frame} />,
        })}
        {attempt.responseExcerpt === null || attempt.responseExcerpt === '' ? null : (
          <pre>{attempt.responseExcerpt}</pre>
        )}
      </li>
    ))}
  </ol>
);
