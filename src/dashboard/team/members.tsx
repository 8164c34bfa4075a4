import { type Role, roles } from '../../domain/members.ts';
import { Confirmation, ConfirmLink, isRequested } from '../parts/confirmation.tsx';
import { labelOf } from '../parts/format.ts';
import { Choice, Field, Form, typedValuesOf } from '../parts/fields.tsx';
import { inZone } from '../parts/list.tsx';
import { Card, None, Time } from '../parts/parts.tsx';
import { type Column, Table } from '../parts/table.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.team;

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

const roleOptions = roles.map((value) => ({ value, label: text.roleOptions[value] }));

/** The members, the open invitations, and the form that invites. */
export function MembersCard({
  frame,
  self,
  members,
  invitations,
  provider,
  mails,
}: {
  frame: Frame;
  /** Id of the signed-in member. */
  self: string;
  members: readonly MemberLine[];
  invitations: readonly InvitationLine[];
  /** Name of the identity provider, if one is configured. */
  provider: string | null;
  /** Whether the merchant has a mail server. */
  mails: boolean;
}) {
  const manages = frame.may('team');
  const addressHelp = provider === null ? text.inviteEmailMailed : text.inviteEmailHelp(provider);
  const withAddress = mails || provider !== null;
  return (
    <Card title={text.members}>
      {manages ? (
        <MemberConfirmation
          frame={frame}
          members={members.filter(({ id }) => id !== self)}
          invitations={invitations}
        />
      ) : null}
      <MemberTable frame={frame} self={self} members={members} withAddress={withAddress} />
      {manages ? <InvitationForm frame={frame} addressHelp={withAddress ? addressHelp : null} /> : null}
      {invitations.length === 0 ? null : <InvitationTable frame={frame} invitations={invitations} />}
    </Card>
  );
}

function MemberTable({
  frame,
  self,
  members,
  withAddress,
}: {
  frame: Frame;
  self: string;
  members: readonly MemberLine[];
  withAddress: boolean;
}) {
  const manages = frame.may('team');
  return (
    <Table
      label={text.members}
      rows={members}
      rowKey={({ id }) => id}
      columns={[
        { head: text.name, cell: ({ id, name }) => (id === self ? text.you(name) : name) },
        {
          head: text.role,
          cell: (member) =>
            manages && member.id !== self ? <RoleForm frame={frame} member={member} /> : labelOf(member.role),
        },
        ...(withAddress ? [emailColumn(frame, manages)] : []),
        { head: text.passkeys, cell: ({ passkeys: many }) => many },
        {
          ...inZone(text.lastActive, frame),
          cell: ({ lastSeenAt }) => <Time at={lastSeenAt} frame={frame} />,
        },
        {
          head: '',
          end: true,
          cell: ({ id, name }) =>
            manages && id !== self ? (
              <ConfirmLink
                path={`${frame.base}/team`}
                act="remove-member"
                id={id}
                label={text.removeLabel(name)}
                danger
              >
                {text.remove}
              </ConfirmLink>
            ) : null,
        },
      ]}
    />
  );
}

const RoleForm = ({ frame, member: { id, name, role } }: { frame: Frame; member: MemberLine }) => (
  <Form frame={frame} to={`${frame.base}/team/${id}/role`} class="actions">
    <select class="select" name="role" aria-label={text.roleLabel(name)}>
      {roles.map((value) => (
        <option key={value} value={value} selected={value === role}>
          {labelOf(value)}
        </option>
      ))}
    </select>
    <button type="submit" class="btn" data-variant="outline">
      {text.change}
    </button>
  </Form>
);

function InvitationForm({ frame, addressHelp }: { frame: Frame; addressHelp: string | null }) {
  const to = `${frame.base}/team/invitations`;
  return (
    <details open={typedValuesOf(frame, to) !== null}>
      <summary class="btn">{text.invite}</summary>
      <Form frame={frame} to={to} class="row">
        <Field label={text.name} id="invite-name" name="name" required maxLength={80} autocomplete="off" />
        {addressHelp === null ? null : (
          <Field
            label={text.inviteEmail}
            id="invite-email"
            name="email"
            type="email"
            maxLength={320}
            autocomplete="off"
            help={addressHelp}
          />
        )}
        <Choice label={text.role} id="invite-role" name="role" value="readOnly" options={roleOptions} />
        <button type="submit" class="btn">
          {text.createLink}
        </button>
      </Form>
    </details>
  );
}

function InvitationTable({ frame, invitations }: { frame: Frame; invitations: readonly InvitationLine[] }) {
  return (
    <Table
      label={text.openInvitations}
      rows={invitations}
      rowKey={({ id }) => id}
      columns={[
        { head: text.invited, cell: ({ name }) => name },
        { head: text.role, cell: ({ role }) => labelOf(role) },
        { head: text.invitedBy, cell: ({ createdBy }) => createdBy },
        { ...inZone(text.expires, frame), cell: ({ expiresAt }) => <Time at={expiresAt} frame={frame} /> },
        {
          head: '',
          end: true,
          cell: ({ id, name }) => (
            <ConfirmLink
              path={`${frame.base}/team`}
              act="cancel-invitation"
              id={id}
              label={text.cancelInvitationLabel(name)}
              danger
              testId="invitation-cancel"
            >
              {texts.common.cancel}
            </ConfirmLink>
          ),
        },
      ]}
    />
  );
}

/** Confirms that a member is to be removed or an invitation canceled. */
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
        question={text.removeQuestion(member.name)}
        to={`${path}/${member.id}/remove`}
        yes={text.removeLabel(member.name)}
        back={path}
      >
        {text.removeText(member.name)}
      </Confirmation>
    );
  }
  const invitation = invitations.find(({ id }) => isRequested(frame, 'cancel-invitation', id));
  if (invitation === undefined) return null;
  return (
    <Confirmation
      frame={frame}
      question={text.cancelInvitationQuestion(invitation.name)}
      to={`${path}/invitations/${invitation.id}/cancel`}
      yes={text.cancelInvitationConfirm}
      back={path}
    >
      {text.cancelInvitationText(invitation.name)}
    </Confirmation>
  );
}

/** The column of the e-mail addresses: for the identity provider, and for mails to members. */
const emailColumn = (frame: Frame, manages: boolean): Column<MemberLine> => ({
  head: text.email,
  cell: ({ id, name, email }) =>
    manages ? (
      <Form frame={frame} to={`${frame.base}/team/${id}/email`} class="actions">
        <Field
          label={text.emailLabel(name)}
          isLabelHidden
          id={`email-${id}`}
          type="email"
          name="email"
          maxLength={320}
          autocomplete="off"
          value={email ?? ''}
        />
        <button type="submit" class="btn" data-variant="outline">
          {texts.common.save}
        </button>
      </Form>
    ) : (
      (email ?? <None />)
    ),
});
