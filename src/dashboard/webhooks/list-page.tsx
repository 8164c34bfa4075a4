import {
  type EndpointFailure,
  type EndpointHealth,
  maxCountedFailures,
} from '../../db/webhooks/endpoint-health.ts';
import type { SendResult } from '../../webhooks/sender.ts';
import { EventType, eventName } from '../parts/event-name.tsx';
import { Checkbox, Field, Form } from '../parts/fields.tsx';
import { inZone } from '../parts/list.tsx';
import { count } from '../parts/format.ts';
import { Card, Empty, None, Status, Time } from '../parts/parts.tsx';
import { Secret } from '../parts/copied.tsx';
import { Table } from '../parts/table.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

import { deliveryStatus, errorText } from './deliveries.tsx';

const text = texts.webhooks;

/** An endpoint, without its secret. */
export interface EndpointLine {
  id: string;
  url: string;
  description: string | null;
  events: string[] | null;
  status: 'enabled' | 'disabled';
  disabledReason: string | null;
  previousSecretUntil: Date | null;
  failingSince: Date | null;
  createdAt: Date;
}

/** A new signing secret. */
export interface NewSecret {
  secret: string;
  endpointId: string;
}

/** The values of the form for a new endpoint: ticked event types, and others as typed. */
export interface TypedEndpoint {
  url: string;
  types: readonly string[];
  events: string;
}

/** The answer to a test of the form's URL. */
export type SampleAnswer = Pick<SendResult, 'statusCode' | 'error' | 'durationMs' | 'excerpt'>;

export function WebhooksPage({
  frame,
  endpoints,
  health,
  failures,
  made,
  form,
  sample,
}: {
  frame: Frame;
  endpoints: readonly EndpointLine[];
  health: readonly EndpointHealth[];
  failures: readonly EndpointFailure[];
  made: NewSecret | null;
  /** Null unless the form was tested. */
  sample: SampleAnswer | null;
  /** The form's values after it was rejected; null while the form is closed. */
  form: TypedEndpoint | null;
}) {
  const manages = frame.may('webhooks');
  const healthOf = (id: string) => health.find(({ endpointId }) => endpointId === id);
  return (
    <>
      {made === null ? null : <MadeSecret frame={frame} made={made} />}
      <Card title={endpoints.length === 0 && manages ? text.addTitle : text.endpoints}>
        {!manages ? null : endpoints.length === 0 ? (
          <EndpointForm frame={frame} form={form} sample={sample} />
        ) : (
          <details open={form !== null}>
            <summary class="btn" data-testid="endpoint-add">
              {text.add}
            </summary>
            <EndpointForm frame={frame} form={form} sample={sample} />
          </details>
        )}
        {endpoints.length === 0 ? (
          <Empty>{text.empty}</Empty>
        ) : (
          <Table
            label={text.endpoints}
            rows={endpoints}
            rowKey={({ id }) => id}
            columns={[
              { head: text.url, cell: ({ id, url }) => <a href={`${frame.base}/webhooks/${id}`}>{url}</a> },
              {
                head: text.events,
                cell: ({ events }) => events?.map(eventName).join(', ') ?? text.allEvents,
              },
              {
                head: texts.common.status,
                cell: (endpoint) => (
                  <StatusAndFailure
                    frame={frame}
                    endpoint={endpoint}
                    failure={failures.find(({ endpointId }) => endpointId === endpoint.id)}
                  />
                ),
              },
              {
                ...inZone(text.lastDelivery, frame),
                cell: ({ id }) => <LastDelivery of={healthOf(id)} frame={frame} />,
              },
              { head: text.failuresOfDay, end: true, cell: ({ id }) => failuresText(healthOf(id)) },
            ]}
          />
        )}
      </Card>
    </>
  );
}

/** The status of an endpoint; if its deliveries fail, also since when, and why the last one did. */
function StatusAndFailure({
  frame,
  endpoint,
  failure,
}: {
  frame: Frame;
  endpoint: EndpointLine;
  failure: EndpointFailure | undefined;
}) {
  const { failingSince } = endpoint;
  if (failingSince === null) return <EndpointStatus endpoint={endpoint} />;
  const time = <Time at={failingSince} frame={frame} />;
  return (
    <>
      <EndpointStatus endpoint={endpoint} />{' '}
      <small class="quiet-text" data-testid="endpoint-failing">
        {failure === undefined
          ? withMarkup(text.fails, { time })
          : withMarkup(text.failsBecause, { time, reason: errorText(failure) })}
      </small>
    </>
  );
}

/** The time and the status of the latest delivery. */
function LastDelivery({ of: health, frame }: { of: EndpointHealth | undefined; frame: Frame }) {
  const last = health?.last ?? null;
  if (last === null) return <None />;
  return (
    <>
      <Time at={last.createdAt} frame={frame} recent /> <Status of={deliveryStatus(last)} />
    </>
  );
}

function failuresText(health: EndpointHealth | undefined): string {
  const failures = health?.failures ?? 0;
  return failures < maxCountedFailures ? count(failures) : text.atLeast(count(maxCountedFailures));
}

/** The answer to a test of the form's URL: its status, its time and its beginning. */
function Sample({ answer }: { answer: SampleAnswer }) {
  const { statusCode, durationMs, excerpt } = answer;
  const isGood = statusCode !== null && statusCode >= 200 && statusCode < 300;
  return (
    <div
      class={`alert notice ${isGood ? 'good' : 'bad'}`}
      role="status"
      tabIndex={-1}
      autoFocus
      data-testid="endpoint-sample"
    >
      <p>
        {isGood ? text.sampleTaken : text.sampleRefused}{' '}
        {withMarkup(text.sampleAnswer, {
          result: <strong>{errorText(answer)}</strong>,
          duration: text.duration(durationMs),
        })}
      </p>
      {excerpt === null || excerpt === '' ? null : <pre>{excerpt}</pre>}
      {statusCode === 400 || statusCode === 401 || statusCode === 403 ? <p>{text.sampleSignature}</p> : null}
    </div>
  );
}

function EndpointForm({
  frame,
  form,
  sample,
}: {
  frame: Frame;
  form: TypedEndpoint | null;
  sample: SampleAnswer | null;
}) {
  return (
    <Form frame={frame} to={`${frame.base}/webhooks`} class="fields">
      <Field
        label={text.url}
        id="endpoint-url"
        name="url"
        type="text"
        inputMode="url"
        required
        value={form?.url ?? ''}
        placeholder={text.urlPlaceholder}
        data-testid="endpoint-url"
      />
      <fieldset class="event-types" aria-describedby="endpoint-types-help">
        <legend>{text.events}</legend>
        {Object.entries(text.eventTypes).map(([group, types]) => (
          <div class="stack" key={group}>
            {Object.entries(types).map(([type, label]) => (
              <Checkbox key={type} name="types" value={type} checked={form?.types.includes(type)}>
                <span>
                  {label} <EventType of={type} />
                </span>
              </Checkbox>
            ))}
          </div>
        ))}
      </fieldset>
      <small class="help" id="endpoint-types-help">
        {text.eventsHelp}
      </small>
      <Field
        label={text.otherEvents}
        id="endpoint-events"
        name="events"
        value={form?.events ?? ''}
        placeholder={text.eventsPlaceholder}
      />
      {sample === null ? null : <Sample answer={sample} />}
      <div class="actions">
        <button type="submit" class="btn" data-testid="endpoint-save">
          {text.add}
        </button>
        <button
          type="submit"
          class="btn"
          data-variant="outline"
          name="do"
          value="test"
          data-testid="endpoint-try"
        >
          {text.sendTest}
        </button>
      </div>
      <small class="help">{text.sampleHelp}</small>
    </Form>
  );
}

function MadeSecret({ frame, made }: { frame: Frame; made: NewSecret }) {
  return (
    <div class="stack">
      <Secret label={text.secret} value={made.secret} testId="endpoint-secret" />
      <p>
        {withMarkup(text.openToTest, {
          open: <a href={`${frame.base}/webhooks/${made.endpointId}`}>{text.openEndpoint}</a>,
        })}
      </p>
    </div>
  );
}

/** Whether an endpoint is enabled, and whether its deliveries fail. */
export const EndpointStatus = ({ endpoint }: { endpoint: EndpointLine }) => (
  <Status
    of={endpoint.status === 'enabled' && endpoint.failingSince !== null ? 'failing' : endpoint.status}
  />
);
