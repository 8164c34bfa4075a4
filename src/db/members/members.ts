import { uuidv7 } from 'uuidv7';
import type { BeforeAfter, By } from '../../domain/audit.ts';
import type { Member, Role } from '../../domain/members.ts';
import { recordChange } from '../server/audit.ts';
import { inTransaction, type Database, type Queryable } from '../server/database.ts';
import { endOtherAccess } from './sign-in-tries.ts';

const memberColumns = `id, merchant_id AS "merchantId", name, role`;

/** A member as the team page lists them. */
export interface TeamMember extends Member {
  login: string | null;
  /** The address for mailed sign-in links, and by which an identity provider signs the member in. */
  email: string | null;
  passkeys: number;
  createdAt: Date;
  lastSeenAt: Date | null;
}

/** The maximum number of members of one merchant. */
export const maxMembers = 100;

/** Returns the members of a merchant, owners first, without removed members. */
export async function listMembers(database: Queryable, merchantId: string): Promise<TeamMember[]> {
  const { rows } = await database.query<TeamMember>(
    `SELECT m.id, m.merchant_id AS "merchantId", m.name, m.role, m.login, m.email, m.created_at AS "createdAt",
       m.last_seen_at AS "lastSeenAt",
       (SELECT count(*)::int FROM member_passkeys p WHERE p.member_id = m.id) AS passkeys
     FROM members m WHERE m.merchant_id = $1 AND m.removed_at IS NULL
     ORDER BY array_position(ARRAY['owner', 'developer', 'support', 'readOnly'], m.role), m.created_at LIMIT ${maxMembers}`,
    [merchantId],
  );
  return rows;
}

/** Returns the merchant's member, or null; also null for a removed member. */
export async function findMember(
  database: Queryable,
  merchantId: string,
  id: string,
): Promise<Member | null> {
  const { rows } = await database.query<Member>(
    `SELECT ${memberColumns} FROM members WHERE id = $1 AND merchant_id = $2 AND removed_at IS NULL`,
    [id, merchantId],
  );
  return rows[0] ?? null;
}

/** Writes a change of a member to the audit log. Must be the last statement of the change's transaction. */
export const recordMember = (
  transaction: Queryable,
  member: Pick<Member, 'id' | 'merchantId'>,
  action: string,
  { before, after }: BeforeAfter,
  by: By,
): Promise<void> =>
  recordChange(transaction, {
    ...by,
    merchantId: member.merchantId,
    environment: null,
    action,
    subject: { type: 'member', id: member.id },
    before,
    after,
  });

/**
 * Locks a merchant's members until the commit, so that each change counts the members that the previous one
 * left.
 */
export async function lockMembers(transaction: Queryable, merchantId: string): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`members ${merchantId}`]);
}

/**
 * Adds a member, in the caller's transaction; null when the merchant has the maximum number of members. An
 * address that another member of the merchant has is not stored.
 */
export async function insertMember(
  transaction: Queryable,
  member: { merchantId: string; name: string; role: Role; email?: string | null; at: Date },
): Promise<Member | null> {
  await lockMembers(transaction, member.merchantId);
  const { rows } = await transaction.query<Member>(
    `INSERT INTO members (id, merchant_id, name, role, created_at, email)
     SELECT $1, $2, $3, $4, $5, CASE WHEN NOT EXISTS (
       SELECT FROM members WHERE email = $6 AND merchant_id = $2 AND removed_at IS NULL) THEN $6 END
     WHERE (SELECT count(*) FROM members WHERE merchant_id = $2 AND removed_at IS NULL) < ${maxMembers}
     RETURNING ${memberColumns}`,
    [uuidv7(), member.merchantId, member.name, member.role, member.at, member.email ?? null],
  );
  return rows[0] ?? null;
}

/**
 * Returns the merchant's first owner, and creates one when there is none; null for an unknown merchant.
 * Throws when the merchant has the maximum number of members and no owner.
 */
export async function ownerOf(transaction: Queryable, merchantId: string, by: By): Promise<Member | null> {
  await lockMembers(transaction, merchantId);
  const merchant = await transaction.query('SELECT FROM merchants WHERE id = $1', [merchantId]);
  if (merchant.rowCount !== 1) return null;
  const { rows } = await transaction.query<Member>(
    `SELECT ${memberColumns} FROM members WHERE merchant_id = $1 AND role = 'owner' AND removed_at IS NULL
     ORDER BY created_at LIMIT 1`,
    [merchantId],
  );
  if (rows[0]) return rows[0];
  const owner = await insertMember(transaction, { merchantId, name: 'Owner', role: 'owner', at: by.at });
  if (!owner) throw new Error('the merchant has members and no owner');
  await recordMember(
    transaction,
    owner,
    'member.added',
    { before: null, after: { name: owner.name, role: owner.role } },
    by,
  );
  return owner;
}

/**
 * Changes a member's role, or removes the member (null), and ends their sessions except `sessionId`. Returns
 * `lastOwner` when the merchant would have no owner left.
 */
export async function changeMember(
  database: Database,
  merchantId: string,
  id: string,
  role: Role | null,
  { sessionId = null, ...by }: By & { sessionId?: string | null },
): Promise<'changed' | 'unknown' | 'lastOwner'> {
  return inTransaction(database, async (transaction) => {
    await lockMembers(transaction, merchantId);
    const member = await findMember(transaction, merchantId, id);
    if (!member) return 'unknown';
    if (member.role === role) return 'changed';
    const owners = await transaction.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM members
       WHERE merchant_id = $1 AND role = 'owner' AND removed_at IS NULL AND id <> $2`,
      [merchantId, id],
    );
    if (member.role === 'owner' && owners.rows[0]?.count === 0) return 'lastOwner';
    const before = { name: member.name, role: member.role };
    if (role === null) {
      await transaction.query('UPDATE members SET removed_at = $2 WHERE id = $1', [id, by.at]);
      await endOtherAccess(transaction, id, null);
      await recordMember(transaction, member, 'member.removed', { before, after: null }, by);
    } else {
      await transaction.query('UPDATE members SET role = $2 WHERE id = $1', [id, role]);
      await endOtherAccess(transaction, id, sessionId);
      await recordMember(
        transaction,
        member,
        'member.roleChanged',
        { before, after: { name: member.name, role } },
        by,
      );
    }
    return 'changed';
  });
}
