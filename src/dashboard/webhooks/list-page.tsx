import { Field, Form } from '../parts/fields.tsx';
import { Card, Empty, Secret, Status, Table, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';

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

/** A secret that was just made. */
export interface NewSecret {
  secret: string;
  endpointId: string;
}

export function WebhooksPage({
  frame,
  endpoints,
  made,
  form,
}: {
  frame: Frame;
  endpoints: readonly EndpointLine[];
  made: NewSecret | null;
  /** What the form holds after it was refused; null: closed. */
  form: { url: string; events: string } | null;
}) {
  return (
    <>
      {made === null ? null : <MadeSecret frame={frame} made={made} />}
      {frame.may('webhooks') ? (
        <Card title="Add an endpoint">
          {endpoints.length === 0 ? (
            <EndpointForm frame={frame} form={form} />
          ) : (
            <details open={form !== null}>
              <summary class="button" data-testid="endpoint-add">
                Add endpoint
              </summary>
              <EndpointForm frame={frame} form={form} />
            </details>
          )}
        </Card>
      ) : null}
      <Card title="Endpoints">
        {endpoints.length === 0 ? (
          <Empty>No endpoint yet. Add one, and each change of a payment is sent to it, signed.</Empty>
        ) : (
          <Table
            label="Endpoints"
            rows={endpoints}
            rowKey={({ id }) => id}
            columns={[
              { head: 'URL', cell: ({ id, url }) => <a href={`${frame.base}/webhooks/${id}`}>{url}</a> },
              { head: 'Events', cell: ({ events }) => events?.join(', ') ?? 'All' },
              { head: 'Status', cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
              { head: 'Added', cell: ({ createdAt }) => <Time at={createdAt} frame={frame} /> },
            ]}
          />
        )}
      </Card>
    </>
  );
}

function EndpointForm({ frame, form }: { frame: Frame; form: { url: string; events: string } | null }) {
  return (
    <Form frame={frame} to={`${frame.base}/webhooks`} class="fields">
      <div class="row top">
        <Field
          label="URL"
          id="endpoint-url"
          name="url"
          type="text"
          inputMode="url"
          required
          value={form?.url ?? ''}
          placeholder="https://shop.example/webhooks"
          data-testid="endpoint-url"
        />
        <Field
          label="Events"
          id="endpoint-events"
          name="events"
          value={form?.events ?? ''}
          placeholder="payment.paid, refund.*"
          help="Empty: all events."
        />
      </div>
      <div class="actions">
        <button type="submit" data-testid="endpoint-save">
          Add the endpoint
        </button>
      </div>
    </Form>
  );
}

function MadeSecret({ frame, made }: { frame: Frame; made: NewSecret }) {
  return (
    <div class="stack">
      <Secret label="Signing secret of the endpoint." value={made.secret} testId="endpoint-secret" />
      <p>
        <a href={`${frame.base}/webhooks/${made.endpointId}`}>Open the endpoint</a> to send a test event.
      </p>
    </div>
  );
}

/** Whether an endpoint is sent to, and answers. */
export const EndpointStatus = ({ endpoint }: { endpoint: EndpointLine }) => (
  <Status
    of={endpoint.status === 'enabled' && endpoint.failingSince !== null ? 'failing' : endpoint.status}
  />
);
