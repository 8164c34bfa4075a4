import type { By } from '../../domain/audit.ts';
import type { Role } from '../../domain/members.ts';
import { insertLinkMail } from '../mail/mails.ts';
import { inTransaction, type Database, type Queryable } from '../server/database.ts';
import { lockMembers, recordMember } from './members.ts';
import { type LinkMail, insertLink } from './sign-in-links.ts';

/** The maximum number of open invitations of one merchant. */
export const maxInvitations = 50;

/**
 * Creates an invitation: a link that creates a new member with this role. Returns false when the merchant has
 * the maximum number of open invitations.
 */
export async function createInvitation(
  database: Database,
  invitation: {
    tokenHash: Buffer;
    merchantId: string;
    role: Role;
    name: string;
    email: string | null;
    /** The mail with the link; without it the inviting member passes the link on. */
    mail?: LinkMail | null;
  },
  by: By,
): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    const { merchantId, name, role, email } = invitation;
    await lockMembers(transaction, merchantId);
    const open = await transaction.query(
      `SELECT FROM sign_in_links
       WHERE merchant_id = $1 AND role IS NOT NULL AND used_at IS NULL AND expires_at > $2
       LIMIT ${maxInvitations}`,
      [merchantId, by.at],
    );
    if (open.rows.length >= maxInvitations) return false;
    await insertLink(transaction, { ...invitation, memberId: null }, by);
    if (invitation.mail) {
      await insertLinkMail(transaction, { ...invitation.mail, merchantId, kind: 'invitation' });
    }
    const after = { name, role, ...(email === null ? {} : { email }) };
    await recordMember(transaction, { id: name, merchantId }, 'member.invited', { before: null, after }, by);
    return true;
  });
}

/** An open invitation, whose link was not used yet. */
export interface Invitation {
  id: string;
  name: string;
  role: Role;
  createdBy: string;
  expiresAt: Date;
}

/** Returns a merchant's open invitations, newest first. */
export async function listInvitations(
  database: Queryable,
  merchantId: string,
  now: Date,
): Promise<Invitation[]> {
  const { rows } = await database.query<Invitation>(
    `SELECT id, name, role, created_by AS "createdBy", expires_at AS "expiresAt" FROM sign_in_links
     WHERE merchant_id = $1 AND role IS NOT NULL AND used_at IS NULL AND expires_at > $2
     ORDER BY created_at DESC LIMIT ${maxInvitations}`,
    [merchantId, now],
  );
  return rows;
}

/**
 * Cancels an open invitation, so that its link is refused. Returns null when it is not open or belongs to
 * another merchant.
 */
export async function cancelInvitation(
  database: Database,
  merchantId: string,
  id: string,
  by: By,
): Promise<{ name: string } | null> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ name: string; role: Role }>(
      `DELETE FROM sign_in_links
       WHERE id = $1 AND merchant_id = $2 AND role IS NOT NULL AND used_at IS NULL RETURNING name, role`,
      [id, merchantId],
    );
    const [canceled] = rows;
    if (!canceled) return null;
    const { name, role } = canceled;
    const member = { id: name, merchantId };
    await recordMember(
      transaction,
      member,
      'member.invitationCanceled',
      { before: { name, role }, after: null },
      by,
    );
    return { name };
  });
}

/** Returns the merchant's open invitation, or null. */
export async function findInvitation(
  database: Queryable,
  merchantId: string,
  id: string,
): Promise<{ id: string } | null> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT id FROM sign_in_links
     WHERE id = $1 AND merchant_id = $2 AND role IS NOT NULL AND used_at IS NULL`,
    [id, merchantId],
  );
  return rows[0] ?? null;
}
