import type { By } from '../../domain/audit.ts';
import type { Member } from '../../domain/members.ts';
import { recordChange } from '../server/audit.ts';
import { inTransaction, type Database, type Queryable } from '../server/database.ts';
import { endOtherAccess } from './sign-in-tries.ts';

/** How long a challenge is accepted, in ms. */
const challengeMs = 5 * 60_000;
/** The maximum number of passkeys of one member. */
export const maxPasskeys = 10;

/**
 * Stores a challenge for this member, in place of the previous one, until it is used. A null member is a
 * browser that is not signed in.
 */
export async function storeChallenge(
  database: Queryable,
  challenge: string,
  memberId: string | null,
  now: Date,
): Promise<void> {
  await database.query(
    `WITH over AS (DELETE FROM passkey_challenges WHERE expires_at <= $3 OR member_id = $2)
     INSERT INTO passkey_challenges (challenge, member_id, expires_at) VALUES ($1, $2, $4)`,
    [challenge, memberId, now, new Date(now.getTime() + challengeMs)],
  );
}

/** Marks a challenge as used; false when it belongs to another member, was used before or has expired. */
export async function takeChallenge(
  database: Queryable,
  challenge: string,
  memberId: string | null,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `DELETE FROM passkey_challenges
     WHERE challenge = $1 AND member_id IS NOT DISTINCT FROM $2::uuid AND expires_at > $3`,
    [challenge, memberId, now],
  );
  return rowCount === 1;
}

/** A passkey as its member sees it. */
export interface PasskeyRow {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** Returns a member's passkeys, newest first. */
export async function listPasskeys(database: Queryable, memberId: string): Promise<PasskeyRow[]> {
  const { rows } = await database.query<PasskeyRow>(
    `SELECT id, name, created_at AS "createdAt", last_used_at AS "lastUsedAt" FROM member_passkeys
     WHERE member_id = $1 ORDER BY created_at DESC LIMIT ${maxPasskeys}`,
    [memberId],
  );
  return rows;
}

/** A passkey with the public key that verifies its signatures. */
export interface StoredPasskey {
  id: string;
  publicKey: Buffer;
  counter: number;
  transports: string[];
}

const recordPasskey = (
  transaction: Queryable,
  member: Member,
  action: string,
  name: string,
  by: By,
): Promise<void> =>
  recordChange(transaction, {
    ...by,
    merchantId: member.merchantId,
    environment: null,
    action,
    subject: { type: 'member', id: member.id },
    before: null,
    after: { name },
  });

/** Adds a passkey of a member; false when the member has too many, or when it is already stored. */
export async function insertPasskey(
  database: Database,
  member: Member,
  passkey: StoredPasskey & { name: string },
  by: By,
): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    await transaction.query('SELECT FROM members WHERE id = $1 FOR NO KEY UPDATE', [member.id]);
    const { rowCount } = await transaction.query(
      `INSERT INTO member_passkeys (id, member_id, public_key, counter, transports, name, created_at)
       SELECT $1, $2, $3, $4, $5, $6, $7
       WHERE (SELECT count(*) FROM member_passkeys WHERE member_id = $2) < ${maxPasskeys}
       ON CONFLICT (id) DO NOTHING`,
      [passkey.id, member.id, passkey.publicKey, passkey.counter, passkey.transports, passkey.name, by.at],
    );
    if (rowCount !== 1) return false;
    await recordPasskey(transaction, member, 'member.passkeyAdded', passkey.name, by);
    return true;
  });
}

/** Removes a member's own passkey, and ends the member's sessions except `sessionId`. */
export async function removePasskey(
  database: Database,
  member: Member,
  id: string,
  { sessionId, ...by }: By & { sessionId: string },
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ name: string }>(
      'DELETE FROM member_passkeys WHERE id = $1 AND member_id = $2 RETURNING name',
      [id, member.id],
    );
    if (!rows[0]) return;
    await endOtherAccess(transaction, member.id, sessionId);
    await recordPasskey(transaction, member, 'member.passkeyRemoved', rows[0].name, by);
  });
}

/** Returns a passkey with the member that it signs in; null for an unknown passkey or a removed member. */
export async function findPasskey(
  database: Queryable,
  id: string,
): Promise<{ passkey: StoredPasskey; member: Member } | null> {
  const { rows } = await database.query<StoredPasskey & Omit<Member, 'id'> & { memberId: string }>(
    `SELECT p.id, p.public_key AS "publicKey", p.counter, p.transports, m.id AS "memberId",
       m.merchant_id AS "merchantId", m.name, m.role
     FROM member_passkeys p JOIN members m ON m.id = p.member_id
     WHERE p.id = $1 AND m.removed_at IS NULL`,
    [id],
  );
  const [row] = rows;
  if (!row) return null;
  const { memberId, merchantId, name, role, ...passkey } = row;
  return { passkey, member: { id: memberId, merchantId, name, role } };
}

/**
 * Stores a passkey's new counter. Returns false when the counter did not rise, which reveals a copied
 * passkey.
 */
export async function recordPasskeyUse(
  database: Queryable,
  id: string,
  counter: number,
  at: Date,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE member_passkeys SET counter = $2, last_used_at = $3 WHERE id = $1 AND (counter < $2 OR $2 = 0)`,
    [id, counter, at],
  );
  return rowCount === 1;
}

/**
 * Records that a session's member authenticated again, and gives the session a new secret, so that the former
 * secret is refused.
 */
export async function confirmSession(
  database: Queryable,
  sessionId: string,
  secretHash: Buffer,
  at: Date,
): Promise<void> {
  await database.query('UPDATE member_sessions SET confirmed_at = $2, secret_hash = $3 WHERE id = $1', [
    sessionId,
    at,
    secretHash,
  ]);
}
