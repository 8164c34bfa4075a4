import type { AuditEntry } from '../../domain/audit.ts';
import { Form } from '../parts/fields.tsx';
import { inZone } from '../parts/list.tsx';
import { Card, None, Time } from '../parts/parts.tsx';
import { Secret } from '../parts/copied.tsx';
import { Table } from '../parts/table.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import type { ShownAuditFilter } from './audit-filter.ts';
import { AuditCard } from './audit.tsx';
import { browserOf } from './browser-name.ts';
import { type InvitationLine, type MemberLine, MembersCard } from './members.tsx';
import { OwnSignIn, type PasskeyLine } from '../sign-in/own-sign-in-page.tsx';

const text = texts.team;

export interface SessionLine {
  id: string;
  memberId: string;
  memberName: string;
  address: string | null;
  userAgent: string | null;
  seenAt: Date;
}

/** A new invitation: its link, shown once, and the invited person. */
export interface NewInvitation {
  link: string;
  name: string;
  /** The address to which the link is mailed; null if the inviting member passes it on. */
  mailedTo: string | null;
}

/** Members, the own sign-in methods, sessions and the audit log. */
export function TeamPage({
  frame,
  self,
  sessionId,
  members,
  invitations,
  invitation,
  provider,
  mails,
  sessions,
  passkeys,
  audit,
  endpointUrls,
  auditFilter,
  older,
}: {
  frame: Frame;
  /** Id of the signed-in member. */
  self: string;
  sessionId: string;
  members: readonly MemberLine[];
  invitations: readonly InvitationLine[];
  invitation: NewInvitation | null;
  /** Name of the identity provider, if one is configured. */
  provider: string | null;
  /** Whether the merchant has a mail server in this environment. */
  mails: boolean;
  sessions: readonly SessionLine[];
  passkeys: readonly PasskeyLine[];
  audit: readonly AuditEntry[] | null;
  /** The URLs of the endpoints of this environment, by id. */
  endpointUrls: Readonly<Record<string, string>>;
  auditFilter: ShownAuditFilter;
  older: string | null;
}) {
  const hasEmail = members.some(({ id, email }) => id === self && email !== null);
  return (
    <>
      {invitation === null ? null : (
        <Secret label={invitationLabel(invitation)} value={invitation.link} testId="invitation" />
      )}
      <MembersCard
        frame={frame}
        self={self}
        members={members}
        invitations={invitations}
        provider={provider}
        mails={mails}
      />
      <OwnSignIn frame={frame} passkeys={passkeys} provider={hasEmail ? provider : null} />
      <SessionsCard frame={frame} self={self} sessionId={sessionId} sessions={sessions} />
      {audit === null ? null : (
        <AuditCard
          frame={frame}
          entries={audit}
          endpointUrls={endpointUrls}
          filter={auditFilter}
          members={members}
          older={older}
        />
      )}
    </>
  );
}

const invitationLabel = ({ name, mailedTo }: NewInvitation): string =>
  mailedTo === null ? text.invitationLink(name) : text.invitationMailed(mailedTo);

function SessionsCard({
  frame,
  self,
  sessionId,
  sessions,
}: {
  frame: Frame;
  self: string;
  sessionId: string;
  sessions: readonly SessionLine[];
}) {
  const manages = frame.may('team');
  return (
    <Card title={text.sessions}>
      <Table
        label={text.sessions}
        rows={sessions}
        rowKey={({ id }) => id}
        columns={[
          {
            head: text.member,
            cell: ({ id, memberName }) => (id === sessionId ? text.thisBrowser(memberName) : memberName),
          },
          { head: text.browser, cell: ({ userAgent }) => browserOf(userAgent) },
          { head: text.address, cell: ({ address }) => address ?? <None /> },
          { ...inZone(text.lastActive, frame), cell: ({ seenAt }) => <Time at={seenAt} frame={frame} /> },
          {
            head: '',
            end: true,
            cell: ({ id, memberId }) =>
              id !== sessionId && (manages || memberId === self) ? (
                <Form frame={frame} to={`${frame.base}/team/sessions/${id}/end`}>
                  <button type="submit" class="btn" data-variant="outline">
                    {texts.common.signOut}
                  </button>
                </Form>
              ) : null,
          },
        ]}
      />
    </Card>
  );
}
