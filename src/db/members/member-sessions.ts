import { uuidv7 } from 'uuidv7';
import type { Actor } from '../../domain/audit.ts';
import type { Environment } from '../../domain/statuses.ts';
import { idleSessionMs, longestSessionMs, type Member } from '../../domain/members.ts';
import { recordChange } from '../server/audit.ts';
import { inTransaction, type Database, type Queryable } from '../server/database.ts';

/** A signed-in browser with its member. */
export interface Session {
  id: string;
  csrfSecret: string;
  confirmedAt: Date;
  seenAt: Date;
  member: Member;
  merchantName: string;
  merchantActive: boolean;
  /**
   * Names of the members as whom a stranger tries to sign in: of all members for an owner, of the member
   * alone for others. Null: none.
   */
  attacked: string | null;
  /** The time zone in which each environment's times are shown. */
  timeZones: Readonly<Partial<Record<Environment, string>>>;
}

/** A browser to sign in. */
export interface NewSession {
  secretHash: Buffer;
  csrfSecret: string;
  address: string | null;
  userAgent: string | null;
  /** The means by which the member authenticated. */
  means: 'link' | 'passkey' | 'password' | 'identityProvider';
  /** When the member authenticated, if that was earlier than now. */
  confirmedAt?: Date;
  at: Date;
}

/** The maximum number of sessions of one member; beyond it the oldest is ended. */
const maxSessions = 20;

/**
 * Signs a browser in, in the caller's transaction. It always creates a new session, so that a session id from
 * before the sign-in is useless. When there are too many sessions, the longest unused ones are ended.
 */
export async function insertSession(
  transaction: Queryable,
  member: Member,
  session: NewSession,
): Promise<void> {
  const id = uuidv7();
  const { at } = session;
  await transaction.query(
    'DELETE FROM member_sessions WHERE member_id = $1 AND (expires_at <= $2 OR seen_at <= $3)',
    [member.id, at, new Date(at.getTime() - idleSessionMs)],
  );
  await transaction.query(
    `DELETE FROM member_sessions WHERE id IN (
       SELECT id FROM member_sessions WHERE member_id = $1 ORDER BY seen_at DESC OFFSET ${maxSessions - 1})`,
    [member.id],
  );
  await transaction.query(
    `INSERT INTO member_sessions (id, secret_hash, member_id, csrf_secret, address, user_agent, created_at, seen_at,
       confirmed_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $9, $8)`,
    [
      id,
      session.secretHash,
      member.id,
      session.csrfSecret,
      session.address,
      session.userAgent,
      at,
      new Date(at.getTime() + longestSessionMs),
      session.confirmedAt ?? at,
    ],
  );
  await transaction.query('UPDATE members SET last_seen_at = $2 WHERE id = $1', [member.id, at]);
  const actor: Actor = { kind: 'member', id: member.id, name: member.name, address: session.address };
  await recordChange(transaction, {
    actor,
    at,
    merchantId: member.merchantId,
    environment: null,
    action: 'session.started',
    subject: { type: 'session', id },
    before: null,
    after: { means: session.means, userAgent: session.userAgent },
  });
}

/** Returns the session that has one of these keyed hashes, unless it has ended. */
export async function findSession(
  database: Queryable,
  secretHashes: Buffer[],
  now: Date,
): Promise<Session | null> {
  const { rows } = await database.query<Omit<Session, 'member'> & Member & { memberId: string }>(
    `SELECT s.id, s.csrf_secret AS "csrfSecret", s.confirmed_at AS "confirmedAt", s.seen_at AS "seenAt",
       m.id AS "memberId", m.merchant_id AS "merchantId", m.name, m.role, c.name AS "merchantName",
       c.status = 'active' AS "merchantActive",
       (SELECT string_agg(o.name, ', ') FROM (SELECT o.name FROM members o WHERE o.merchant_id = m.merchant_id
         AND o.attacked_since IS NOT NULL AND o.removed_at IS NULL AND (o.id = m.id OR m.role = 'owner')
         ORDER BY o.attacked_since LIMIT 5) o) AS attacked,
       (SELECT coalesce(json_object_agg(t.environment, t.time_zone), '{}') FROM merchant_settings t
        WHERE t.merchant_id = c.id) AS "timeZones"
     FROM member_sessions s JOIN members m ON m.id = s.member_id JOIN merchants c ON c.id = m.merchant_id
     WHERE s.secret_hash = ANY($1::bytea[]) AND s.expires_at > $2 AND s.seen_at > $3 AND m.removed_at IS NULL`,
    [secretHashes, now, new Date(now.getTime() - idleSessionMs)],
  );
  const [row] = rows;
  if (!row) return null;
  const { memberId, merchantId, name, role, ...session } = row;
  return { ...session, member: { id: memberId, merchantId, name, role } };
}

/** Stores when a session was last used. */
export async function touchSession(database: Queryable, id: string, at: Date): Promise<void> {
  await database.query('UPDATE member_sessions SET seen_at = greatest(seen_at, $2) WHERE id = $1', [id, at]);
}

/** A session as its member and the owners see it. */
export interface SessionRow {
  id: string;
  memberId: string;
  memberName: string;
  address: string | null;
  userAgent: string | null;
  createdAt: Date;
  seenAt: Date;
}

/** Returns the sessions of a merchant's members, most recently used first. */
export async function listSessions(
  database: Queryable,
  merchantId: string,
  now: Date,
): Promise<SessionRow[]> {
  const { rows } = await database.query<SessionRow>(
    `SELECT s.id, m.id AS "memberId", m.name AS "memberName", s.address, s.user_agent AS "userAgent",
       s.created_at AS "createdAt", s.seen_at AS "seenAt"
     FROM member_sessions s JOIN members m ON m.id = s.member_id
     WHERE m.merchant_id = $1 AND m.removed_at IS NULL AND s.expires_at > $2 AND s.seen_at > $3
     ORDER BY s.seen_at DESC LIMIT 200`,
    [merchantId, now, new Date(now.getTime() - idleSessionMs)],
  );
  return rows;
}

/** Returns the session of a merchant's member by its id, or null. */
export async function findSessionOf(
  database: Queryable,
  merchantId: string,
  id: string,
): Promise<{ id: string; memberId: string } | null> {
  const { rows } = await database.query<{ id: string; memberId: string }>(
    `SELECT s.id, m.id AS "memberId" FROM member_sessions s JOIN members m ON m.id = s.member_id
     WHERE s.id = $1 AND m.merchant_id = $2`,
    [id, merchantId],
  );
  return rows[0] ?? null;
}

/** Ends a session permanently, so that its cookie is refused. */
export async function endSession(
  database: Database,
  merchantId: string,
  id: string,
  by: { actor: Actor; at: Date },
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    const { rowCount } = await transaction.query('DELETE FROM member_sessions WHERE id = $1', [id]);
    if (rowCount === 0) return;
    await recordChange(transaction, {
      ...by,
      merchantId,
      environment: null,
      action: 'session.ended',
      subject: { type: 'session', id },
      before: null,
      after: null,
    });
  });
}
