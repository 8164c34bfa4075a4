import { labelOf } from '../parts/format.ts';
import { Form } from '../parts/fields.tsx';
import { Status, Table, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';

/** One event on its way to one endpoint, with its latest tries, newest first. */
export interface DeliveryLine {
  eventId: string;
  endpointId: string;
  type: string;
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

/** Deliveries with their tries, and the button that sends one again. */
export function DeliveryTable({
  frame,
  deliveries,
  endpointUrls,
}: {
  frame: Frame;
  deliveries: readonly DeliveryLine[];
  /** Of the endpoints, by id, where the deliveries are to more than one. */
  endpointUrls?: Readonly<Record<string, string>>;
}) {
  return (
    <Table
      label="Deliveries"
      testId="delivery-row"
      rows={deliveries}
      rowKey={({ eventId, endpointId }) => eventId + endpointId}
      columns={[
        {
          head: 'Event',
          cell: ({ type, eventId }) => <a href={`${frame.base}/events/${eventId}`}>{type}</a>,
        },
        { head: 'Status', cell: ({ status }) => <Status of={status} /> },
        ...(endpointUrls === undefined
          ? []
          : [
              {
                head: 'Endpoint',
                cell: ({ endpointId }: DeliveryLine) => {
                  const url = endpointUrls[endpointId];
                  return url === undefined ? (
                    <span class="none">Deleted</span>
                  ) : (
                    <a href={`${frame.base}/webhooks/${endpointId}`}>{url.replace(/^https?:\/\//, '')}</a>
                  );
                },
              },
            ]),
        { head: 'Tries', cell: (delivery) => <Tries delivery={delivery} frame={frame} /> },
        {
          head: 'When',
          cell: ({ createdAt, nextAttemptAt }) => (
            <>
              <Time at={createdAt} frame={frame} />
              {nextAttemptAt === null ? null : (
                <small class="quiet-text">
                  <br />
                  Next: <Time at={nextAttemptAt} frame={frame} />
                </small>
              )}
            </>
          ),
        },
        {
          head: '',
          end: true,
          cell: ({ endpointId, eventId }) =>
            frame.may('resend') ? (
              <Form frame={frame} to={`${frame.base}/webhooks/${endpointId}/events/${eventId}/resend`}>
                <button type="submit" class="quiet" data-testid="delivery-resend">
                  Send again
                </button>
              </Form>
            ) : null,
        },
      ]}
    />
  );
}

function Tries({ delivery, frame }: { delivery: DeliveryLine; frame: Frame }) {
  const [latest] = delivery.attempts;
  if (latest === undefined) return <span class="none">None yet</span>;
  return (
    <details>
      <summary>
        {delivery.attemptCount} · {latest.statusCode ?? labelOf(latest.error ?? 'no answer')}
      </summary>
      <ol class="stack">
        {delivery.attempts.map((attempt) => (
          <li key={attempt.attemptNo}>
            <strong>{attempt.statusCode ?? labelOf(attempt.error ?? 'no answer')}</strong> after{' '}
            {attempt.durationMs} ms, <Time at={attempt.at} frame={frame} />
            {attempt.responseExcerpt === null || attempt.responseExcerpt === '' ? null : (
              <pre>{attempt.responseExcerpt}</pre>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}
