import { grantableScopes } from '../../domain/members.ts';
import { type Scope, scopes } from '../../domain/scopes.ts';
import { Confirmation, ConfirmLink, isRequested } from '../parts/confirmation.tsx';
import { Checkbox, Field, Form, typedValuesOf } from '../parts/fields.tsx';
import { distance, money } from '../parts/format.ts';
import { inZone } from '../parts/list.tsx';
import { Card, Empty, Status, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.developers;

/** An API key without its secret. */
export interface KeyLine {
  id: string;
  name: string;
  /** Null: a full key. */
  scopes: Scope[] | null;
  refundCapCents: number | null;
  allowFrom: string[] | null;
  lastUsedFrom: string | null;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/** The keys of the environment, and the form for a new one. */
export function KeysCard({ frame, keys }: { frame: Frame; keys: readonly KeyLine[] }) {
  const manages = frame.may('keys');
  const usable = keys.filter((key) => isUsable(key, frame));
  const ending = usable.find((key) => ['roll', 'revoke'].some((act) => isRequested(frame, act, key.id)));
  return (
    <Card title={text.keys}>
      {manages ? (
        <Form frame={frame} to={`${frame.base}/developers/keys`} class="row">
          <Field
            label={text.keyName}
            id="key-name"
            name="name"
            required
            maxLength={80}
            placeholder={text.keyPlaceholder}
            autocomplete="off"
            data-testid="key-name"
          />
          <button type="submit" class="btn" data-testid="key-create">
            {text.createKey}
          </button>
          <KeyLimits frame={frame} />
        </Form>
      ) : null}
      {manages && ending !== undefined ? <KeyConfirmation apiKey={ending} frame={frame} /> : null}
      {keys.length === 0 ? (
        <Empty>{text.noKeys(frame.environment)}</Empty>
      ) : (
        <KeyTable frame={frame} keys={keys} />
      )}
      {manages && usable.length > 0 ? <small class="help">{text.keysHelp}</small> : null}
    </Card>
  );
}

/** The restrictions of a new key; without any it is a full key. */
function KeyLimits({ frame }: { frame: Frame }) {
  const typed = typedValuesOf(frame, `${frame.base}/developers/keys`);
  const limits = ['scopes', 'refundCap', 'allowFrom'];
  return (
    <details open={limits.some((name) => (typed?.get(name) ?? '') !== '')}>
      <summary>{text.limits}</summary>
      <small class="help">{text.limitsHelp}</small>
      <fieldset>
        <legend>{text.scopes}</legend>
        {(grantableScopes(frame.role) ?? scopes).map((scope) => (
          <Checkbox
            key={scope}
            name="scopes"
            value={scope}
            checked={typed?.getAll('scopes').includes(scope)}
            data-testid={`scope-${scope}`}
          >
            {text.scopeNames[scope]}
          </Checkbox>
        ))}
      </fieldset>
      <Field
        label={text.refundCap}
        help={text.refundCapHelp}
        id="refund-cap"
        name="refundCap"
        inputMode="decimal"
        placeholder="500.00"
      />
      <Field
        label={text.allowFrom}
        help={text.allowFromHelp}
        id="allow-from"
        name="allowFrom"
        placeholder="10.0.0.0/8, 192.0.2.7"
      />
    </details>
  );
}

function KeyTable({ frame, keys }: { frame: Frame; keys: readonly KeyLine[] }) {
  return (
    <Table
      label={text.keys}
      rows={keys}
      rowKey={({ id }) => id}
      columns={[
        { head: text.name, cell: ({ id, name }) => <span id={id}>{name}</span> },
        { head: text.key, cell: ({ id }) => <code>{shortKey(id, frame)}</code> },
        { head: text.mayDo, cell: (key) => <KeyScope apiKey={key} /> },
        { head: texts.common.status, cell: (key) => <KeyStatus apiKey={key} frame={frame} /> },
        {
          ...inZone(text.lastUsed, frame),
          cell: ({ lastUsedAt, lastUsedFrom }) => (
            <>
              <Time at={lastUsedAt} frame={frame} />
              {lastUsedFrom === null ? null : (
                <>
                  <br />
                  <small class="quiet-text">{text.usedFrom(lastUsedFrom)}</small>
                </>
              )}
            </>
          ),
        },
        { ...inZone(text.created, frame), cell: ({ createdAt }) => <Time at={createdAt} frame={frame} /> },
        {
          head: '',
          end: true,
          cell: (key) =>
            frame.may('keys') && isUsable(key, frame) ? <KeyActions apiKey={key} frame={frame} /> : null,
        },
      ]}
    />
  );
}

function KeyActions({ apiKey: { id, name }, frame }: { apiKey: KeyLine; frame: Frame }) {
  const path = `${frame.base}/developers`;
  return (
    <div class="actions">
      <ConfirmLink path={path} act="roll" id={id} label={text.rollLabel(name)}>
        {text.roll}
      </ConfirmLink>
      <ConfirmLink path={path} act="revoke" id={id} label={text.revokeLabel(name)} danger testId="key-revoke">
        {text.revoke}
      </ConfirmLink>
    </div>
  );
}

/** Returns a key without its secret part. */
const shortKey = (id: string, { environment }: Frame): string => `cps_${environment}_${id}_…`;

/** Confirms that a key is to be revoked or rolled. */
function KeyConfirmation({ apiKey, frame }: { apiKey: KeyLine; frame: Frame }) {
  const { id, name, lastUsedAt } = apiKey;
  const path = `${frame.base}/developers`;
  const revokes = isRequested(frame, 'revoke', id);
  const facts = {
    key: <code>{shortKey(id, frame)}</code>,
    use: lastUsedAt === null ? text.neverUsed : text.usedLast(distance(lastUsedAt, frame.nowMs)),
  };
  return (
    <Confirmation
      frame={frame}
      question={revokes ? text.revokeQuestion(name) : text.rollQuestion(name)}
      to={`${path}/keys/${id}/${revokes ? 'revoke' : 'roll'}`}
      yes={revokes ? text.revokeConfirm : text.rollConfirm}
      back={path}
      danger={revokes}
    >
      {revokes ? withMarkup(text.revokeText, facts) : withMarkup(text.rollText, facts)}
    </Confirmation>
  );
}

/** The scopes of a key, its daily refund cap and the addresses that may use it. */
function KeyScope({ apiKey: { scopes: held, refundCapCents, allowFrom } }: { apiKey: KeyLine }) {
  return (
    <>
      {held === null ? text.everything : held.map((scope) => text.scopeNames[scope]).join(', ')}
      {refundCapCents === null ? null : (
        <small class="quiet-text"> {text.cappedAt(money(refundCapCents))}</small>
      )}
      {allowFrom === null ? null : <small class="quiet-text"> {text.onlyFrom(allowFrom.join(', '))}</small>}
    </>
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
        {withMarkup(text.expires, { time: <Time at={apiKey.expiresAt} frame={frame} /> })}
      </small>
    </>
  );
}
