import { entryNamed } from '../../domain/entry-named.ts';
import { ConfirmLink } from '../parts/confirmation.tsx';
import { labelOf } from '../parts/format.ts';
import { EventType, eventName } from '../parts/event-name.tsx';
import { Choice, Field, Form, TextArea } from '../parts/fields.tsx';
import { Card, Empty, Facts, Time } from '../parts/parts.tsx';
import { CursorPager } from '../parts/pager.tsx';
import { Secret } from '../parts/copied.tsx';
import type { CursorPages, Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { type DeliveryLine, DeliveryTable } from './deliveries.tsx';
import { EndpointConfirmation, type EndpointProps } from './endpoint-confirmation.tsx';
import { type EndpointLine, EndpointStatus, type NewSecret } from './list-page.tsx';

const text = texts.webhooks;

/** The result of verifying a signature. */
export interface SignatureCheck {
  good: boolean;
  text: string;
}

/** The result of a verification, with the request that was verified. */
export type VerifiedBody = SignatureCheck & { headers: Record<string, string>; body: string };

/** A replay's form, with the number of events it would send. */
export interface ReplayPreview {
  since: string;
  until: string;
  status: string;
  /** Null if the form was rejected. */
  matched: number | null;
}

/** An endpoint, its deliveries, and its actions. */
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
  pages: CursorPages;
  made: NewSecret | null;
  preview: ReplayPreview | null;
  check: VerifiedBody | null;
}) {
  const path = `${frame.base}/webhooks/${endpoint.id}`;
  const manages = frame.may('webhooks');
  return (
    <>
      {made === null ? null : <Secret label={text.newSecret} value={made.secret} testId="endpoint-secret" />}
      <Card title={text.endpoint} aside={<EndpointStatus endpoint={endpoint} />}>
        <EndpointFacts frame={frame} endpoint={endpoint} />
        {manages ? (
          <>
            <EndpointConfirmation frame={frame} endpoint={endpoint} path={path} />
            <EndpointActions frame={frame} endpoint={endpoint} path={path} />
            <small class="help">{text.actionsHelp}</small>
          </>
        ) : null}
      </Card>
      <Card title={text.deliveries} aside={<DeliveryFilter path={path} status={status} />}>
        {deliveries.length === 0 ? (
          <Empty>{text.noDeliveries}</Empty>
        ) : (
          <DeliveryTable frame={frame} deliveries={deliveries} />
        )}
        <CursorPager {...pages} />
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

const disabledReasons: Readonly<Record<string, string>> = text.disabledReasons;

function EndpointFacts({ frame, endpoint }: { frame: Frame; endpoint: EndpointLine }) {
  const { events, createdAt, failingSince, previousSecretUntil, disabledReason } = endpoint;
  return (
    <Facts
      of={[
        [text.events, events === null ? text.allEvents : <Events of={events} />],
        [text.added, <Time at={createdAt} frame={frame} />],
        [text.failingSince, failingSince && <Time at={failingSince} frame={frame} />],
        [text.previousSecret, previousSecretUntil && <Time at={previousSecretUntil} frame={frame} />],
        [
          text.disabledBecause,
          disabledReason && (entryNamed(disabledReasons, disabledReason) ?? labelOf(disabledReason)),
        ],
      ]}
    />
  );
}

/** The event types that an endpoint receives. */
const Events = ({ of: types }: { of: readonly string[] }) => (
  <ul>
    {types.map((type) => (
      <li key={type}>
        {eventName(type)} <EventType of={type} />
      </li>
    ))}
  </ul>
);

function EndpointActions({ frame, endpoint, path }: EndpointProps) {
  const isEnabled = endpoint.status === 'enabled';
  return (
    <div class="actions">
      {isEnabled ? (
        <Form frame={frame} to={`${path}/test`}>
          <button type="submit" class="btn">
            {text.sendTest}
          </button>
        </Form>
      ) : null}
      <ConfirmLink path={path} act="rotate" testId="endpoint-rotate">
        {text.rotate}
      </ConfirmLink>
      {isEnabled ? (
        <ConfirmLink path={path} act="disable" testId="endpoint-disable">
          {text.disable}
        </ConfirmLink>
      ) : (
        <Form frame={frame} to={`${path}/enable`}>
          <button type="submit" class="btn" data-variant="outline">
            {text.enable}
          </button>
        </Form>
      )}
      <ConfirmLink path={path} act="delete" danger testId="endpoint-delete">
        {text.delete}
      </ConfirmLink>
    </div>
  );
}

const DeliveryFilter = ({ path, status }: { path: string; status: string }) => (
  <nav class="actions" aria-label={text.filterDeliveries}>
    {['', 'pending', 'delivered', 'failed'].map((one) => (
      <a
        key={one}
        href={one === '' ? path : `${path}?status=${one}`}
        aria-current={one === status ? 'true' : undefined}
      >
        {one === '' ? texts.common.all : labelOf(one)}
      </a>
    ))}
  </nav>
);

/** Resends the events of a range, after a preview of their number. */
function ReplayCard({ frame, path, preview }: { frame: Frame; path: string; preview: ReplayPreview | null }) {
  return (
    <Card title={text.replay}>
      <Form frame={frame} to={`${path}/replay`} class="fields">
        <div class="row">
          <Field
            label={text.since}
            id="since"
            name="since"
            type="datetime-local"
            required
            value={preview?.since ?? ''}
          />
          <Field
            label={text.until}
            id="until"
            name="until"
            type="datetime-local"
            value={preview?.until ?? ''}
            help={text.untilHelp}
          />
        </div>
        <Choice
          label={text.which}
          id="which"
          name="status"
          value={preview?.status ?? 'failed'}
          options={[
            { value: 'failed', label: text.notDelivered },
            { value: 'all', label: text.everything },
          ]}
        />
        {preview === null || preview.matched === null ? null : (
          <p class="alert notice good" role="status">
            {text.matched(preview.matched)}
          </p>
        )}
        <div class="actions">
          <button type="submit" class="btn" data-variant="outline" name="do" value="preview">
            {text.preview}
          </button>
          {preview !== null && (preview.matched ?? 0) > 0 ? (
            <button type="submit" class="btn" name="do" value="send">
              {text.sendMatched(preview.matched ?? 0)}
            </button>
          ) : null}
        </div>
      </Form>
    </Card>
  );
}

/** Verifies the signature of a received delivery. */
function VerifyCard({ frame, path, check }: { frame: Frame; path: string; check: VerifiedBody | null }) {
  return (
    <Card title={text.verify}>
      <Form frame={frame} to={`${path}/verify`} class="fields">
        {Object.entries(text.signatureHeaders).map(([name, label]) => (
          <Field
            key={name}
            label={label}
            help={text.fromHeader(name)}
            id={name}
            name={name}
            required
            maxLength={1_000}
            value={check?.headers[name] ?? ''}
          />
        ))}
        <TextArea label={text.verifyBody} id="verify-body" name="body" required value={check?.body ?? ''} />
        {check === null ? null : (
          <p class={`alert notice ${check.good ? 'good' : 'bad'}`} role="status">
            {check.text}
          </p>
        )}
        <div class="actions">
          <button type="submit" class="btn" data-variant="outline">
            {text.verifyButton}
          </button>
        </div>
      </Form>
    </Card>
  );
}
