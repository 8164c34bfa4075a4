import type { AuditEntry } from '../../domain/audit.ts';
import { Form } from '../parts/fields.tsx';
import { Card, Secret, Table, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { AuditCard } from './audit.tsx';
import { type InvitationLine, type MemberLine, MembersCard } from './members.tsx';
import { OwnSignIn, type PasskeyLine } from '../sign-in/own-sign-in-page.tsx';

export interface SessionLine {
  id: string;
  memberId: string;
  memberName: string;
  address: string | null;
  userAgent: string | null;
  seenAt: Date;
}

/** Members, how one signs in, who is signed in, and who changed what. */
export function TeamPage({
  frame,
  self,
  sessionId,
  members,
  invitations,
  invitation,
  provider,
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
  /** Name of the identity provider, where one is set up. */
  provider: string | null;
  sessions: readonly SessionLine[];
  passkeys: readonly PasskeyLine[];
  audit: readonly AuditEntry[] | null;
  older: string | null;
}) {
  const knows = members.some(({ id, email }) => id === self && email !== null);
  return (
    <>
      {invitation === null ? null : (
        <Secret
          label="Invitation. Send this link yourself: it works once, for a day."
          value={invitation}
          testId="invitation"
        />
      )}
      <MembersCard
        frame={frame}
        self={self}
        members={members}
        invitations={invitations}
        provider={provider}
      />
      <OwnSignIn frame={frame} passkeys={passkeys} provider={knows ? provider : null} />
      <SessionsCard frame={frame} self={self} sessionId={sessionId} sessions={sessions} />
      {audit === null ? null : <AuditCard frame={frame} entries={audit} older={older} />}
    </>
  );
}

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
    <Card title="Signed in now">
      <Table
        label="Sessions"
        rows={sessions}
        rowKey={({ id }) => id}
        columns={[
          {
            head: 'Who',
            cell: ({ id, memberName }) => (id === sessionId ? `${memberName} (this browser)` : memberName),
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
  );
}

/** A browser's name, as far as it says. */
function browserOf(userAgent: string | null): string {
  const found = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent ?? '')?.[1];
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera' };
  return found === undefined ? 'Unknown' : (names[found] ?? found);
}
