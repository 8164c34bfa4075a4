import type { AuditEntry } from '../../domain/audit.ts';
import { type Role, roles } from '../../domain/members.ts';
import { words } from '../format.ts';
import { Card, Choice, Empty, Field, Form, Pager, Secret, Table, Time } from '../parts.tsx';
import type { Frame } from '../view.ts';

export interface MemberLine {
  id: string;
  name: string;
  role: Role;
  passkeys: number;
  lastSeenAt: Date | null;
}

export interface InvitationLine {
  name: string;
  role: Role;
  createdBy: string;
  expiresAt: Date;
}

export interface SessionLine {
  id: string;
  memberId: string;
  memberName: string;
  address: string | null;
  userAgent: string | null;
  seenAt: Date;
}

export interface PasskeyLine {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

const roleWords: Readonly<Record<Role, string>> = {
  owner: 'everything, members included',
  developer: 'keys, webhooks, settings, sandbox',
  support: 'refunds, disputes, sending webhooks again',
  readOnly: 'reading',
};
const roleOptions = roles.map((value) => ({ value, label: `${words(value)}: ${roleWords[value]}` }));

export function TeamPage({
  frame,
  self,
  sessionId,
  members,
  invitations,
  invitation,
  sessions,
  passkeys,
  audit,
  older,
}: {
  frame: Frame;
  /** Id of who looks. */
  self: string;
  sessionId: string;
  members: readonly MemberLine[];
  invitations: readonly InvitationLine[];
  /** The link that was just made. */
  invitation: string | null;
  sessions: readonly SessionLine[];
  passkeys: readonly PasskeyLine[];
  audit: readonly AuditEntry[] | null;
  older: string | null;
}) {
  const manages = frame.may('team');
  return (
    <>
      {invitation === null ? null : (
        <Secret
          label="Invitation. Send this link yourself: it works once, for a day."
          value={invitation}
          testId="invitation"
        />
      )}
      <Card title="Members">
        <Table
          label="Members"
          rows={members}
          rowKey={({ id }) => id}
          columns={[
            { head: 'Name', cell: ({ id, name }) => (id === self ? `${name} (you)` : name) },
            {
              head: 'Role',
              cell: ({ id, role, name }) =>
                manages && id !== self ? (
                  <Form frame={frame} to={`${frame.base}/team/${id}/role`} class="actions">
                    <select name="role" aria-label={`Role of ${name}`}>
                      {roles.map((value) => (
                        <option key={value} value={value} selected={value === role}>
                          {words(value)}
                        </option>
                      ))}
                    </select>
                    <button type="submit" class="quiet">
                      Change
                    </button>
                  </Form>
                ) : (
                  words(role)
                ),
            },
            { head: 'Passkeys', cell: ({ passkeys: many }) => many },
            { head: 'Last seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} frame={frame} /> },
            {
              head: '',
              end: true,
              cell: ({ id }) =>
                manages && id !== self ? (
                  <Form frame={frame} to={`${frame.base}/team/${id}/remove`}>
                    <button type="submit" class="danger">
                      Remove
                    </button>
                  </Form>
                ) : null,
            },
          ]}
        />
        {manages ? (
          <details>
            <summary class="button">Invite somebody</summary>
            <Form frame={frame} to={`${frame.base}/team/invitations`} class="row">
              <Field label="Name" id="invite-name" name="name" required maxLength={80} autocomplete="off" />
              <Choice label="Role" id="invite-role" name="role" value="readOnly" options={roleOptions} />
              <button type="submit">Make a link</button>
            </Form>
          </details>
        ) : null}
        {invitations.length === 0 ? null : (
          <Table
            label="Open invitations"
            rows={invitations}
            rowKey={({ name, expiresAt }) => name + expiresAt.toISOString()}
            columns={[
              { head: 'Invited', cell: ({ name }) => name },
              { head: 'Role', cell: ({ role }) => words(role) },
              { head: 'By', cell: ({ createdBy }) => createdBy },
              { head: 'Until', cell: ({ expiresAt }) => <Time at={expiresAt} frame={frame} /> },
            ]}
          />
        )}
      </Card>
      <div class="columns">
        <OwnSignIn frame={frame} passkeys={passkeys} />
        <Card title="Signed in now">
          <Table
            label="Sessions"
            rows={sessions}
            rowKey={({ id }) => id}
            columns={[
              {
                head: 'Who',
                cell: ({ id, memberName }) =>
                  id === sessionId ? `${memberName} (this browser)` : memberName,
              },
              { head: 'With', cell: ({ userAgent }) => browserOf(userAgent) },
              { head: 'From', cell: ({ address }) => address ?? '–' },
              { head: 'Last seen', cell: ({ seenAt }) => <Time at={seenAt} frame={frame} /> },
              {
                head: '',
                end: true,
                cell: ({ id, memberId }) =>
                  id !== sessionId && (manages || memberId === self) ? (
                    <Form frame={frame} to={`${frame.base}/team/sessions/${id}/end`}>
                      <button type="submit" class="quiet">
                        Sign out
                      </button>
                    </Form>
                  ) : null,
              },
            ]}
          />
        </Card>
      </div>
      {audit === null ? null : (
        <Card title="Audit log">
          {audit.length === 0 ? (
            <Empty>Nothing was changed yet. Each change is an entry here, for ever.</Empty>
          ) : (
            <AuditTable frame={frame} entries={audit} />
          )}
          <Pager before={null} after={older} />
        </Card>
      )}
    </>
  );
}

function OwnSignIn({ frame, passkeys }: { frame: Frame; passkeys: readonly PasskeyLine[] }) {
  return (
    <Card title="How you sign in">
      {passkeys.length === 0 ? (
        <p class="quiet-text">
          Add a passkey now: without one, or a password, only another link lets you in once you are signed
          out.
        </p>
      ) : (
        <Table
          label="Passkeys"
          rows={passkeys}
          rowKey={({ id }) => id}
          columns={[
            { head: 'Passkey', cell: ({ name }) => name },
            { head: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} frame={frame} /> },
            {
              head: '',
              end: true,
              cell: ({ id }) => (
                <Form frame={frame} to={`${frame.base}/team/passkeys/remove`}>
                  <input type="hidden" name="id" value={id} />
                  <button type="submit" class="quiet">
                    Remove
                  </button>
                </Form>
              ),
            },
          ]}
        />
      )}
      <Form
        frame={frame}
        to={`${frame.base}/team/passkeys`}
        class="row"
        data-passkey="create"
        data-options={`${frame.base}/team/passkeys/options`}
      >
        <input type="hidden" name="credential" value="" />
        <Field
          label="Name of the new passkey"
          id="passkey-name"
          name="name"
          maxLength={80}
          placeholder="Laptop"
        />
        <button type="submit" data-testid="passkey-add">
          Add a passkey
        </button>
      </Form>
      <p>
        <a href={`${frame.base}/team/password`}>Set a password with an authenticator app</a>
      </p>
    </Card>
  );
}

/** A browser's name, as far as it says. */
function browserOf(userAgent: string | null): string {
  const found = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent ?? '')?.[1];
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera' };
  return found === undefined ? 'Unknown' : (names[found] ?? found);
}

export function AuditTable({ frame, entries }: { frame: Frame; entries: readonly AuditEntry[] }) {
  return (
    <Table
      label="Audit log"
      testId="audit-row"
      rows={entries}
      rowKey={({ sequence }) => String(sequence)}
      columns={[
        { head: 'When', cell: ({ at }) => <Time at={at} frame={frame} /> },
        {
          head: 'Who',
          cell: ({ actor }) => (
            <>
              {actor.kind === 'apiKey' ? `API key ${actor.name}` : actor.name}
              <br />
              <small class="quiet-text">{actor.address ?? ''}</small>
            </>
          ),
        },
        {
          head: 'What',
          cell: ({ action, environment }) => (
            <>
              {words(action)}
              <br />
              <small class="quiet-text">
                {environment === null ? 'Both environments' : words(environment)}
              </small>
            </>
          ),
        },
        { head: 'Before and after', cell: (entry) => <Changes entry={entry} /> },
      ]}
    />
  );
}

function Changes({ entry }: { entry: AuditEntry }) {
  const names = [...new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])];
  const text = (value: unknown): string =>
    value === null || value === undefined
      ? 'none'
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
  if (names.length === 0) return <code>{entry.subject.id.slice(0, 40)}</code>;
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <small>
            <span class="quiet-text">{words(name)}:</span>{' '}
            {entry.before !== null && name in entry.before ? `${text(entry.before[name])} → ` : ''}
            {entry.after !== null && name in entry.after ? text(entry.after[name]) : 'none'}
          </small>
        </li>
      ))}
    </ul>
  );
}
