import { words } from '../format.ts';
import { Card, Choice, Empty, Facts, Field, Form, Pager, Secret, Status, Table, Time } from '../parts.tsx';
import type { Frame } from '../view.ts';
import { type DeliveryLine, DeliveryTable } from './deliveries.tsx';

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
          <details open={form !== null || endpoints.length === 0}>
            <summary class="button" data-testid="endpoint-add">
              Add endpoint
            </summary>
            <Form frame={frame} to={`${frame.base}/webhooks`} class="fields">
              <div class="row">
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
                  Add
                </button>
              </div>
            </Form>
          </details>
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

export function MadeSecret({ frame, made }: { frame: Frame; made: NewSecret }) {
  return (
    <div class="stack">
      <Secret label="Signing secret of the endpoint." value={made.secret} testId="endpoint-secret" />
      <p>
        <a href={`${frame.base}/webhooks/${made.endpointId}`}>Open the endpoint</a> to send a test event.
      </p>
    </div>
  );
}

const EndpointStatus = ({ endpoint }: { endpoint: EndpointLine }) => (
  <Status
    of={endpoint.status === 'enabled' && endpoint.failingSince !== null ? 'failing' : endpoint.status}
  />
);

/** What came of checking a signature by hand. */
export interface SignatureCheck {
  good: boolean;
  text: string;
}

/** How many events a replay would send. */
export interface ReplayPreview {
  since: string;
  until: string;
  status: string;
  matched: number | null;
  trouble: string | null;
}

export function EndpointPage({
  frame,
  endpoint,
  deliveries,
  status,
  pages,
  made,
  preview,
  check,
}: {
  frame: Frame;
  endpoint: EndpointLine;
  deliveries: readonly DeliveryLine[];
  status: string;
  pages: { before: string | null; after: string | null };
  made: NewSecret | null;
  preview: ReplayPreview | null;
  check: (SignatureCheck & { headers: Record<string, string>; body: string }) | null;
}) {
  const path = `${frame.base}/webhooks/${endpoint.id}`;
  const manages = frame.may('webhooks');
  return (
    <>
      {made === null ? null : (
        <Secret label="New signing secret of the endpoint." value={made.secret} testId="endpoint-secret" />
      )}
      <Card title="Endpoint" aside={<EndpointStatus endpoint={endpoint} />}>
        <Facts
          of={[
            ['Events', endpoint.events?.join(', ') ?? 'All'],
            ['Added', <Time at={endpoint.createdAt} frame={frame} />],
            ['Failing since', <Time at={endpoint.failingSince} frame={frame} />],
            ['Former secret signs until', <Time at={endpoint.previousSecretUntil} frame={frame} />],
            ['Disabled by', endpoint.disabledReason === null ? '–' : words(endpoint.disabledReason)],
          ]}
        />
        {manages ? (
          <div class="actions">
            {endpoint.status === 'enabled' ? (
              <Form frame={frame} to={`${path}/test`}>
                <button type="submit">Send a test event</button>
              </Form>
            ) : null}
            <Form frame={frame} to={`${path}/rotate`}>
              <button type="submit" class="quiet">
                Rotate the secret
              </button>
            </Form>
            <Form frame={frame} to={`${path}/${endpoint.status === 'enabled' ? 'disable' : 'enable'}`}>
              <button type="submit" class="quiet">
                {endpoint.status === 'enabled' ? 'Disable' : 'Enable'}
              </button>
            </Form>
          </div>
        ) : null}
      </Card>
      <Card
        title="Deliveries"
        aside={
          <nav class="actions" aria-label="Filter deliveries">
            {['', 'pending', 'delivered', 'failed'].map((one) => (
              <a
                key={one}
                href={one === '' ? path : `${path}?status=${one}`}
                aria-current={one === status ? 'true' : undefined}
              >
                {one === '' ? 'All' : words(one)}
              </a>
            ))}
          </nav>
        }
      >
        {deliveries.length === 0 ? (
          <Empty>Nothing was sent yet. Send a test event to see whether the endpoint answers.</Empty>
        ) : (
          <DeliveryTable frame={frame} deliveries={deliveries} />
        )}
        <Pager {...pages} />
      </Card>
      {manages ? (
        <div class="columns">
          <Card title="Send a range again">
            <Form frame={frame} to={`${path}/replay`} class="fields">
              <div class="row">
                <Field
                  label="Since (UTC)"
                  id="since"
                  name="since"
                  type="datetime-local"
                  required
                  value={preview?.since ?? ''}
                />
                <Field
                  label="Until (UTC)"
                  id="until"
                  name="until"
                  type="datetime-local"
                  value={preview?.until ?? ''}
                  help="Empty: now."
                />
              </div>
              <Choice
                label="Which"
                id="which"
                name="status"
                value={preview?.status ?? 'failed'}
                options={[
                  { value: 'failed', label: 'What it did not get' },
                  { value: 'all', label: 'Everything' },
                ]}
              />
              {preview === null ? null : (
                <p class={`notice ${preview.trouble === null ? 'good' : 'bad'}`} role="status">
                  {preview.trouble ?? `${preview.matched} events would be sent.`}
                </p>
              )}
              <div class="actions">
                <button type="submit" class="quiet" name="do" value="preview">
                  Preview
                </button>
                {preview !== null && (preview.matched ?? 0) > 0 ? (
                  <button type="submit" name="do" value="send">
                    Send {preview.matched} events
                  </button>
                ) : null}
              </div>
            </Form>
          </Card>
          <Card title="Verify this signature">
            <Form frame={frame} to={`${path}/verify`} class="fields">
              {['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => (
                <Field
                  key={name}
                  label={name}
                  id={name}
                  name={name}
                  required
                  maxLength={1_000}
                  value={check?.headers[name] ?? ''}
                />
              ))}
              <div class="field">
                <label for="verify-body">Body, as it arrived</label>
                <textarea id="verify-body" name="body" required>
                  {check?.body ?? ''}
                </textarea>
              </div>
              {check === null ? null : (
                <p class={`notice ${check.good ? 'good' : 'bad'}`} role="status">
                  {check.text}
                </p>
              )}
              <div class="actions">
                <button type="submit" class="quiet">
                  Verify
                </button>
              </div>
            </Form>
          </Card>
        </div>
      ) : null}
    </>
  );
}
