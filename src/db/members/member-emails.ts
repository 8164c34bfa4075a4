import type { By } from '../../domain/audit.ts';
import type { Member } from '../../domain/members.ts';
import { inTransaction, type Database, type Queryable } from '../server/database.ts';
import { findMember, recordMember } from './members.ts';

/** A member whom an address signs in, and where. */
export interface NamedMember extends Member {
  merchantName: string;
}

/** Most merchants that a person with one address chooses from when signing in. */
const mostMerchants = 20;

/** Returns the members of this address, in lower case, by the names of their merchants. */
export async function findMembersByEmail(database: Queryable, email: string): Promise<NamedMember[]> {
  const { rows } = await database.query<NamedMember>(
    `SELECT m.id, m.merchant_id AS "merchantId", m.name, m.role, c.name AS "merchantName"
     FROM members m JOIN merchants c ON c.id = m.merchant_id
     WHERE m.email = $1 AND m.removed_at IS NULL
     ORDER BY c.name, m.id LIMIT ${mostMerchants}`,
    [email],
  );
  return rows;
}

/** Returns the address that signs a member in; null for none. */
export async function findMemberEmail(database: Queryable, memberId: string): Promise<string | null> {
  const { rows } = await database.query<{ email: string | null }>(
    'SELECT email FROM members WHERE id = $1 AND removed_at IS NULL',
    [memberId],
  );
  return rows[0]?.email ?? null;
}

/**
 * Gives a member the address that signs them in, in lower case, or none (null). `taken` where another member
 * of the merchant has it.
 */
export async function setMemberEmail(
  database: Database,
  merchantId: string,
  id: string,
  email: string | null,
  by: By,
): Promise<'set' | 'unknown' | 'taken'> {
  try {
    return await inTransaction(database, async (transaction) => {
      const member = await findMember(transaction, merchantId, id);
      if (!member) return 'unknown';
      const { rows } = await transaction.query<{ before: string | null }>(
        `UPDATE members m SET email = $2 FROM (SELECT id, email FROM members WHERE id = $1 FOR UPDATE) o
         WHERE m.id = o.id AND m.email IS DISTINCT FROM $2 RETURNING o.email AS before`,
        [id, email],
      );
      const [changed] = rows;
      if (changed) {
        const before = { name: member.name, email: changed.before };
        await recordMember(
          transaction,
          member,
          'member.emailChanged',
          before,
          { name: member.name, email },
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
