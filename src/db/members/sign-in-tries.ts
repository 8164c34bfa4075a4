import type { Member } from '../../domain/members.ts';
import { recordChange } from '../server/audit.ts';
import { type Database, inTransaction, type Queryable } from '../server/database.ts';

/** A group in which a member's wrong tries are counted. ADR 0054. */
export interface TryLane {
  name: string;
  /** Wrong tries before the first wait. */
  free: number;
  /** The longest wait, in seconds. */
  maxSeconds: number;
}

/** All networks together. This slows guessing from many addresses, but never locks a member out. */
export const everyNetwork: TryLane = { name: 'all', free: 30, maxSeconds: 4 };

/** The number of wrong tries from unknown browsers after which a member counts as attacked. */
const attackedAfter = 5;

/**
 * Counts a try in a lane before the password is verified, so that concurrent tries are serialized. Returns
 * the number of tries that count now; null while the lane has to wait. The wait starts at one second and
 * doubles each time; one try is forgotten every five minutes.
 */
export async function takeTry(
  database: Queryable,
  memberId: string,
  { name, free, maxSeconds }: TryLane,
  now: Date,
): Promise<number | null> {
  const { rows } = await database.query<{ failed: number }>(
    `INSERT INTO member_tries AS t (member_id, lane, failed, tried_at) VALUES ($1, $2, 1, $5)
     ON CONFLICT (member_id, lane) DO UPDATE SET tried_at = $5,
       failed = greatest(0, t.failed - floor(extract(epoch FROM $5 - t.tried_at) / 300)::integer) + 1,
       try_after = CASE
         WHEN greatest(0, t.failed - floor(extract(epoch FROM $5 - t.tried_at) / 300)::integer) < $3 - 1 THEN NULL
         ELSE $5 + interval '1 second' * least($4::float8, 2 ^ least(20, greatest(0, t.failed
           - floor(extract(epoch FROM $5 - t.tried_at) / 300)::integer) - $3 + 1)) END
     WHERE t.try_after IS NULL OR t.try_after <= $5
     RETURNING failed`,
    [memberId, name, free, maxSeconds, now],
  );
  return rows[0]?.failed ?? null;
}

/** Deletes the tries of these lanes after the member signed in. */
export async function deleteTries(database: Queryable, memberId: string, lanes: string[]): Promise<void> {
  await database.query('DELETE FROM member_tries WHERE member_id = $1 AND lane = ANY ($2)', [
    memberId,
    lanes,
  ]);
}

/**
 * Records that a stranger tries to sign in as a member, once there are many wrong tries. The audit log gets
 * `signIn.attacked`, and the member and the owners are warned.
 */
export async function recordAttack(
  database: Database,
  member: Member,
  tries: number,
  { address, at }: { address: string; at: Date },
): Promise<void> {
  if (tries < attackedAfter) return;
  await inTransaction(database, async (transaction) => {
    const { rowCount } = await transaction.query(
      'UPDATE members SET attacked_since = $2 WHERE id = $1 AND attacked_since IS NULL',
      [member.id, at],
    );
    if (rowCount !== 1) return;
    await recordChange(transaction, {
      actor: { kind: 'service', id: null, name: 'service', address },
      at,
      merchantId: member.merchantId,
      environment: null,
      action: 'signIn.attacked',
      subject: { type: 'member', id: member.id },
      before: null,
      after: { tries },
    });
  });
}

/** Ends the warnings shown to a member: their own, and for an owner those of all members. */
export async function endWarnings(database: Queryable, { id, merchantId, role }: Member): Promise<void> {
  await database.query(
    'UPDATE members SET attacked_since = NULL WHERE merchant_id = $1 AND (id = $2 OR $3) AND attacked_since IS NOT NULL',
    [merchantId, id, role === 'owner'],
  );
}

/**
 * Ends the access that a former password, factor or role gave, in the transaction that changes it: the
 * member's other sessions, open sign-in links and passkey challenges. `keep` is the session that makes the
 * change, if it is the member's own.
 */
export async function endOtherAccess(
  transaction: Queryable,
  memberId: string,
  keep: string | null,
): Promise<void> {
  await transaction.query('DELETE FROM member_sessions WHERE member_id = $1 AND id IS DISTINCT FROM $2', [
    memberId,
    keep,
  ]);
  await transaction.query('DELETE FROM sign_in_links WHERE member_id = $1 AND used_at IS NULL', [memberId]);
  await transaction.query('DELETE FROM passkey_challenges WHERE member_id = $1', [memberId]);
}
