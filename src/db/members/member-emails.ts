import type { By } from '../../domain/audit.ts';
import type { Member } from '../../domain/members.ts';
import { inTransaction, type Database, type Queryable } from '../server/database.ts';
import { findMember, recordMember } from './members.ts';
import { endOtherAccess } from './sign-in-tries.ts';

/** A member who signs in with an e-mail address, with their merchant. */
export interface NamedMember extends Member {
  merchantName: string;
}

/** The most merchants that a member can choose from when several use the same address. */
const maxMerchants = 20;

/** Returns the members with this address (in lower case), ordered by the names of their merchants. */
export async function findMembersByEmail(database: Queryable, email: string): Promise<NamedMember[]> {
  const { rows } = await database.query<NamedMember>(
    `SELECT m.id, m.merchant_id AS "merchantId", m.name, m.role, c.name AS "merchantName"
     FROM members m JOIN merchants c ON c.id = m.merchant_id
     WHERE m.email = $1 AND m.removed_at IS NULL
     ORDER BY c.name, m.id LIMIT ${maxMerchants}`,
    [email],
  );
  return rows;
}

/** Returns the address that a member signs in with; null when the member has none. */
export async function findMemberEmail(database: Queryable, memberId: string): Promise<string | null> {
  const { rows } = await database.query<{ email: string | null }>(
    'SELECT email FROM members WHERE id = $1 AND removed_at IS NULL',
    [memberId],
  );
  return rows[0]?.email ?? null;
}

/**
 * Sets the address that a member signs in with (in lower case), or removes it (null). Ends the member's
 * sessions except `sessionId`. The next sign-in at the identity provider binds a new identity. Returns
 * `taken` when another member of the merchant has the address, `unknown` when there is no such member.
 */
export async function setMemberEmail(
  database: Database,
  merchantId: string,
  id: string,
  email: string | null,
  { sessionId = null, ...by }: By & { sessionId?: string | null },
): Promise<'set' | 'unknown' | 'taken'> {
  try {
    return await inTransaction(database, async (transaction) => {
      const member = await findMember(transaction, merchantId, id);
      if (!member) return 'unknown';
      const { rows } = await transaction.query<{ before: string | null }>(
        `UPDATE members m SET email = $2, identity_issuer = NULL, identity_subject = NULL
         FROM (SELECT id, email FROM members WHERE id = $1 FOR UPDATE) o
         WHERE m.id = o.id AND m.email IS DISTINCT FROM $2 RETURNING o.email AS before`,
        [id, email],
      );
      const [changed] = rows;
      if (changed) {
        await endOtherAccess(transaction, id, sessionId);
        const before = { name: member.name, email: changed.before };
        await recordMember(
          transaction,
          member,
          'member.emailChanged',
          { before, after: { name: member.name, email } },
          by,
        );
      }
      return 'set';
    });
  } catch (error) {
    if ((error as { constraint?: unknown }).constraint === 'members_by_email') return 'taken';
    throw error;
  }
}
