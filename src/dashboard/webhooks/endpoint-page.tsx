import { Confirmation, ConfirmLink, isRequested } from '../parts/confirmation.tsx';
import { labelOf } from '../parts/format.ts';
import { Choice, Field, Form } from '../parts/fields.tsx';
import { Card, Empty, Facts, Pager, Secret, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { type DeliveryLine, DeliveryTable } from './deliveries.tsx';
import { type EndpointLine, EndpointStatus, type NewSecret } from './list-page.tsx';

/** What came of checking a signature by hand. */
export interface SignatureCheck {
  good: boolean;
  text: string;
}

/** The same with what was checked. */
export type VerifiedBody = SignatureCheck & { headers: Record<string, string>; body: string };

/** How many events a replay would send. */
export interface ReplayPreview {
  since: string;
  until: string;
  status: string;
  matched: number | null;
  trouble: string | null;
}

/** An endpoint, what was sent to it, and what can be done with it. */
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
  check: VerifiedBody | null;
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
            ['Disabled by', endpoint.disabledReason === null ? '–' : labelOf(endpoint.disabledReason)],
          ]}
        />
        {manages ? <EndpointConfirmation frame={frame} endpoint={endpoint} path={path} /> : null}
        {manages ? (
          <div class="actions">
            {endpoint.status === 'enabled' ? (
              <Form frame={frame} to={`${path}/test`}>
                <button type="submit">Send a test event</button>
              </Form>
            ) : null}
            <ConfirmLink path={path} act="rotate" testId="endpoint-rotate">
              Rotate the secret
            </ConfirmLink>
            {endpoint.status === 'enabled' ? (
              <ConfirmLink path={path} act="disable" testId="endpoint-disable">
                Disable
              </ConfirmLink>
            ) : (
              <Form frame={frame} to={`${path}/enable`}>
                <button type="submit" class="quiet">
                  Enable
                </button>
              </Form>
            )}
            <ConfirmLink path={path} act="delete" danger testId="endpoint-delete">
              Delete
            </ConfirmLink>
          </div>
        ) : null}
        {manages ? (
          <small class="help">
            A rotated secret signs beside the new one for 24 hours. While an endpoint is disabled nothing is
            sent to it; events of that time can be sent again below.
          </small>
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
                {one === '' ? 'All' : labelOf(one)}
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
          <ReplayCard frame={frame} path={path} preview={preview} />
          <VerifyCard frame={frame} path={path} check={check} />
        </div>
      ) : null}
    </>
  );
}

/** Asks before an endpoint hears nothing any more, or has to know another secret. */
function EndpointConfirmation({
  frame,
  endpoint,
  path,
}: {
  frame: Frame;
  endpoint: EndpointLine;
  path: string;
}) {
  const common = { frame, back: path };
  if (isRequested(frame, 'rotate')) {
    return (
      <Confirmation
        {...common}
        question="Rotate the secret?"
        to={`${path}/rotate`}
        yes="Yes, make a new secret"
        danger={false}
      >
        You get a new secret. The former one signs beside it for 24 hours: a receiver that does not know the
        new one by then has to refuse what comes.
      </Confirmation>
    );
  }
  if (isRequested(frame, 'disable') && endpoint.status === 'enabled') {
    return (
      <Confirmation
        {...common}
        question="Disable this endpoint?"
        to={`${path}/disable`}
        yes="Yes, send nothing more"
      >
        Nothing is sent to {endpoint.url} any more, not even what is tried again now. Once it is enabled, what
        happened meanwhile can be sent from this page.
      </Confirmation>
    );
  }
  if (isRequested(frame, 'delete')) {
    return (
      <Confirmation
        {...common}
        question="Delete this endpoint?"
        to={`${path}/delete`}
        yes="Yes, delete it for ever"
      >
        {endpoint.url} gets nothing any more, and what it did not get yet is not sent. Its secret is
        forgotten.
      </Confirmation>
    );
  }
  return null;
}

/** Sends what happened in a stretch of time again, after saying how much that is. */
function ReplayCard({ frame, path, preview }: { frame: Frame; path: string; preview: ReplayPreview | null }) {
  return (
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
            label="Until (UTC), empty: now"
            id="until"
            name="until"
            type="datetime-local"
            value={preview?.until ?? ''}
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
  );
}

/** Says whether a delivery that somebody holds is one of this service's. */
function VerifyCard({ frame, path, check }: { frame: Frame; path: string; check: VerifiedBody | null }) {
  return (
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
  );
}
