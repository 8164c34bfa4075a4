import { type Role, roles } from '../../domain/members.ts';
import { Confirmation, ConfirmLink, isRequested } from '../parts/confirmation.tsx';
import { labelOf } from '../parts/format.ts';
import { Choice, Field, Form } from '../parts/fields.tsx';
import { Card, type Column, Table, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';

export interface MemberLine {
  id: string;
  name: string;
  role: Role;
  email: string | null;
  passkeys: number;
  lastSeenAt: Date | null;
}

export interface InvitationLine {
  id: string;
  name: string;
  role: Role;
  createdBy: string;
  expiresAt: Date;
}

const roleWords: Readonly<Record<Role, string>> = {
  owner: 'everything, members included',
  developer: 'keys, webhooks, settings, sandbox',
  support: 'refunds, disputes, sending webhooks again',
  readOnly: 'reading',
};
const roleOptions = roles.map((value) => ({ value, label: `${labelOf(value)}: ${roleWords[value]}` }));

/** Who is in the team, who is invited, and the form that invites. */
export function MembersCard({
  frame,
  self,
  members,
  invitations,
  provider,
}: {
  frame: Frame;
  /** Id of who looks. */
  self: string;
  members: readonly MemberLine[];
  invitations: readonly InvitationLine[];
  /** Name of the identity provider, where one is set up. */
  provider: string | null;
}) {
  const manages = frame.may('team');
  const path = `${frame.base}/team`;
  return (
    <Card title="Members">
      {manages ? (
        <MemberConfirmation
          frame={frame}
          members={members.filter(({ id }) => id !== self)}
          invitations={invitations}
        />
      ) : null}
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
                        {labelOf(value)}
                      </option>
                    ))}
                  </select>
                  <button type="submit" class="quiet">
                    Change
                  </button>
                </Form>
              ) : (
                labelOf(role)
              ),
          },
          ...(provider === null ? [] : [emailColumn(frame, manages)]),
          { head: 'Passkeys', cell: ({ passkeys: many }) => many },
          { head: 'Last seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} frame={frame} /> },
          {
            head: '',
            end: true,
            cell: ({ id, name }) =>
              manages && id !== self ? (
                <ConfirmLink path={path} act="remove-member" id={id} label={`Remove ${name}`} danger>
                  Remove
                </ConfirmLink>
              ) : null,
          },
        ]}
      />
      {manages ? (
        <details>
          <summary class="button">Invite somebody</summary>
          <Form frame={frame} to={`${frame.base}/team/invitations`} class="row">
            <Field label="Name" id="invite-name" name="name" required maxLength={80} autocomplete="off" />
            {provider === null ? null : (
              <Field
                label="E-mail address"
                id="invite-email"
                name="email"
                type="email"
                maxLength={320}
                autocomplete="off"
                help={`Optional: lets them in by ${provider}.`}
              />
            )}
            <Choice label="Role" id="invite-role" name="role" value="readOnly" options={roleOptions} />
            <button type="submit">Make a link</button>
          </Form>
        </details>
      ) : null}
      {invitations.length === 0 ? null : (
        <Table
          label="Open invitations"
          rows={invitations}
          rowKey={({ id }) => id}
          columns={[
            { head: 'Invited', cell: ({ name }) => name },
            { head: 'Role', cell: ({ role }) => labelOf(role) },
            { head: 'By', cell: ({ createdBy }) => createdBy },
            { head: 'Until', cell: ({ expiresAt }) => <Time at={expiresAt} frame={frame} /> },
            {
              head: '',
              end: true,
              cell: ({ id, name }) => (
                <ConfirmLink
                  path={path}
                  act="cancel-invitation"
                  id={id}
                  label={`Cancel the invitation of ${name}`}
                  danger
                  testId="invitation-cancel"
                >
                  Cancel
                </ConfirmLink>
              ),
            },
          ]}
        />
      )}
    </Card>
  );
}

/** Asks before somebody is out, or cannot come in. */
function MemberConfirmation({
  frame,
  members,
  invitations,
}: {
  frame: Frame;
  members: readonly MemberLine[];
  invitations: readonly InvitationLine[];
}) {
  const path = `${frame.base}/team`;
  const member = members.find(({ id }) => isRequested(frame, 'remove-member', id));
  if (member !== undefined) {
    return (
      <Confirmation
        frame={frame}
        question={`Remove ${member.name}?`}
        to={`${path}/${member.id}/remove`}
        yes={`Yes, remove ${member.name}`}
        back={path}
      >
        {member.name} is signed out everywhere at once, and comes in again only by a new invitation. What they
        did stays in the audit log.
      </Confirmation>
    );
  }
  const invitation = invitations.find(({ id }) => isRequested(frame, 'cancel-invitation', id));
  if (invitation === undefined) return null;
  return (
    <Confirmation
      frame={frame}
      question={`Cancel the invitation of ${invitation.name}?`}
      to={`${path}/invitations/${invitation.id}/cancel`}
      yes="Yes, cancel the invitation"
      back={path}
    >
      The link that was sent leads nowhere any more. You can invite {invitation.name} again.
    </Confirmation>
  );
}

/** The address by which the identity provider signs a member in. */
const emailColumn = (frame: Frame, manages: boolean): Column<MemberLine> => ({
  head: 'E-mail',
  cell: ({ id, name, email }) =>
    manages ? (
      <Form frame={frame} to={`${frame.base}/team/${id}/email`} class="actions">
        <input
          type="email"
          name="email"
          maxLength={320}
          autocomplete="off"
          aria-label={`E-mail address of ${name}`}
          value={email ?? ''}
        />
        <button type="submit" class="quiet">
          Save
        </button>
      </Form>
    ) : (
      (email ?? <span class="none">–</span>)
    ),
});
