import { Confirmation, ConfirmLink, isRequested } from '../parts/confirmation.tsx';
import { distance } from '../parts/format.ts';
import { Choice, Field, Form } from '../parts/fields.tsx';
import { Card, Empty, Pager, Secret, Status, Table, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { PaymentLink, type References } from '../payments/list-page.tsx';

/** A key, without its text. */
export interface KeyLine {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/** An event of the log. */
export interface EventLine {
  id: string;
  type: string;
  createdAt: Date;
  data: Record<string, unknown>;
}

/** The way to the request log. */
export const requestLogLink = ({ base }: Pick<Frame, 'base'>) => (
  <a class="button quiet" href={`${base}/developers/requests`} data-testid="request-log">
    Request log
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
  /** The text of the key that was just made. */
  made: string | null;
  events: readonly EventLine[];
  /** Of the payments the events are about. */
  references: References;
  pages: { before: string | null; after: string | null };
}) {
  const manages = frame.may('keys');
  const path = `${frame.base}/developers`;
  const ending = keys.find(
    (key) => isUsable(key, frame) && ['roll', 'revoke'].some((act) => isRequested(frame, act, key.id)),
  );
  return (
    <>
      {made === null ? null : <Secret label="Your new API key." value={made} testId="api-key" />}
      <Card title="API keys">
        {manages ? (
          <Form frame={frame} to={`${frame.base}/developers/keys`} class="row">
            <Field
              label="What the new key is for"
              id="key-name"
              name="name"
              required
              maxLength={80}
              placeholder="Backend"
              autocomplete="off"
              data-testid="key-name"
            />
            <button type="submit" data-testid="key-create">
              Create key
            </button>
          </Form>
        ) : null}
        {manages && ending !== undefined ? <EndKey apiKey={ending} frame={frame} /> : null}
        {keys.length === 0 ? (
          <Empty>No key yet. Create one to call the API in {frame.environment}.</Empty>
        ) : (
          <Table
            label="API keys"
            rows={keys}
            rowKey={({ id }) => id}
            columns={[
              { head: 'Name', cell: ({ name }) => name },
              {
                head: 'Key',
                cell: ({ id }) => <code>{shortKey(id, frame)}</code>,
              },
              { head: 'Status', cell: (key) => <KeyStatus apiKey={key} frame={frame} /> },
              { head: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} frame={frame} /> },
              { head: 'Created', cell: ({ createdAt }) => <Time at={createdAt} frame={frame} /> },
              {
                head: '',
                end: true,
                cell: (key) =>
                  manages && isUsable(key, frame) ? (
                    <div class="actions">
                      <ConfirmLink path={path} act="roll" id={key.id} label={`Roll ${key.name}`}>
                        Roll
                      </ConfirmLink>
                      <ConfirmLink
                        path={path}
                        act="revoke"
                        id={key.id}
                        label={`Revoke ${key.name}`}
                        danger
                        testId="key-revoke"
                      >
                        Revoke
                      </ConfirmLink>
                    </div>
                  ) : null,
              },
            ]}
          />
        )}
        {manages && keys.some((key) => isUsable(key, frame)) ? (
          <small class="help">
            Rolling makes a new key, and this one works 24 hours more. Revoking ends a key at once and for
            good: calls with it are refused.
          </small>
        ) : null}
      </Card>
      {frame.environment === 'sandbox' && frame.may('sandbox') ? <Sandbox frame={frame} /> : null}
      <Card title="Event log">
        {events.length === 0 ? (
          <Empty>Nothing has happened yet. Each change of a payment is an event.</Empty>
        ) : (
          <Table
            label="Events"
            rows={events}
            rowKey={({ id }) => id}
            columns={[
              { head: 'Event', cell: ({ id, type }) => <a href={`${frame.base}/events/${id}`}>{type}</a> },
              {
                head: 'About',
                cell: (event) => <About event={event} frame={frame} references={references} />,
              },
              { head: 'When', cell: ({ createdAt }) => <Time at={createdAt} frame={frame} /> },
            ]}
          />
        )}
        <Pager {...pages} />
      </Card>
    </>
  );
}

/** A key without what is secret of it. */
const shortKey = (id: string, { environment }: Frame): string => `cps_${environment}_${id}_…`;

/** Asks before a key ends, at once or in a day. */
function EndKey({ apiKey, frame }: { apiKey: KeyLine; frame: Frame }) {
  const { id, name, lastUsedAt } = apiKey;
  const path = `${frame.base}/developers`;
  const revokes = isRequested(frame, 'revoke', id);
  return (
    <Confirmation
      frame={frame}
      question={`${revokes ? 'Revoke' : 'Roll'} ${name}?`}
      to={`${path}/keys/${id}/${revokes ? 'revoke' : 'roll'}`}
      yes={`Yes, ${revokes ? 'revoke' : 'roll'} ${name}`}
      back={path}
      danger={revokes}
    >
      {revokes ? null : 'You get a new key in its place. '}
      Calls with <code>{shortKey(id, frame)}</code>{' '}
      {revokes ? 'are refused at once and for good.' : 'are answered for 24 hours more.'} It was{' '}
      {lastUsedAt === null ? 'never used.' : `last used ${distance(lastUsedAt, frame.nowMs)}.`}
    </Confirmation>
  );
}

const isUsable = ({ revokedAt, expiresAt }: KeyLine, { nowMs }: Frame): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt.getTime() > nowMs);

function KeyStatus({ apiKey, frame }: { apiKey: KeyLine; frame: Frame }) {
  if (!isUsable(apiKey, frame)) return <Status of={apiKey.revokedAt === null ? 'expired' : 'revoked'} />;
  if (apiKey.expiresAt === null) return <Status of="active" />;
  return (
    <>
      <Status of="active" />{' '}
      <small class="quiet-text">
        until <Time at={apiKey.expiresAt} frame={frame} />
      </small>
    </>
  );
}

/** Returns the payment an event is about; null for none. */
export function paymentOf({ type, data: { id, paymentId } }: EventLine): string | null {
  const payment = type.startsWith('payment.') ? id : paymentId;
  return typeof payment === 'string' ? payment : null;
}

function About({ event, frame, references }: { event: EventLine; frame: Frame; references: References }) {
  const payment = paymentOf(event);
  if (payment === null) return <span class="none">–</span>;
  return <PaymentLink frame={frame} id={payment} references={references} />;
}

function Sandbox({ frame }: { frame: Frame }) {
  return (
    <Card title="Sandbox controls">
      <p class="quiet-text">
        What the card network would do is yours to decide here. Open a payment for its own controls, or order
        trouble for the next calls:
      </p>
      <Form frame={frame} to={`${frame.base}/developers/faults`} class="row">
        <Choice
          label="Where"
          id="fault-target"
          name="target"
          value="network"
          options={['vault', 'network', 'webhook'].map((value) => ({ value, label: value }))}
        />
        <Choice
          label="What"
          id="fault-mode"
          name="mode"
          value="timeout"
          options={['timeout', 'lostResponse', 'error', 'slow'].map((value) => ({ value, label: value }))}
        />
        <Field
          label="How many calls"
          id="fault-count"
          name="count"
          type="number"
          min={1}
          max={1000}
          required
          value="1"
        />
        <button type="submit" class="quiet">
          Order
        </button>
      </Form>
    </Card>
  );
}

/** One event, as its webhook carried it. */
export function EventPage({ frame, event }: { frame: Frame; event: EventLine & { json: string } }) {
  return (
    <>
      <Card title={event.type} aside={<Time at={event.createdAt} frame={frame} />}>
        <pre>{event.json}</pre>
        {frame.may('resend') ? (
          <div class="actions">
            <Form frame={frame} to={`${frame.base}/events/${event.id}/resend`}>
              <button type="submit" class="quiet">
                Send to every endpoint again
              </button>
            </Form>
          </div>
        ) : null}
      </Card>
    </>
  );
}
