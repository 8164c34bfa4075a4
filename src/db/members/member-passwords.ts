import type { By } from '../../domain/audit.ts';
import type { Member } from '../../domain/members.ts';
import { inTransaction, type Database, type Queryable } from '../server/database.ts';
import { recordMember } from './members.ts';
import { endOtherAccess } from './sign-in-tries.ts';

/**
 * The credentials of a member who signs in with a password: its hash and the sealed secret of the second
 * factor.
 */
export interface StoredPassword {
  member: Member;
  login: string;
  passwordHash: string;
  totpSealed: Buffer;
}

const columns = `id, merchant_id AS "merchantId", name, role, login, password_hash AS "passwordHash",
  totp_sealed AS "totpSealed"`;

type PasswordRow = Member & Omit<StoredPassword, 'member'>;

const passwordOf = (row: PasswordRow | undefined): StoredPassword | null => {
  if (!row) return null;
  const { login, passwordHash, totpSealed, ...member } = row;
  return { member, login, passwordHash, totpSealed };
};

/** Returns the credentials that belong to a sign-in name; null when there are none. */
export async function findPasswordByLogin(
  database: Queryable,
  login: string,
): Promise<StoredPassword | null> {
  const { rows } = await database.query<PasswordRow>(
    `SELECT ${columns} FROM members
     WHERE login = $1 AND removed_at IS NULL AND password_hash IS NOT NULL AND totp_sealed IS NOT NULL`,
    [login],
  );
  return passwordOf(rows[0]);
}

/** Returns a member's own credentials; null when there are none. */
export async function findPassword(database: Queryable, memberId: string): Promise<StoredPassword | null> {
  const { rows } = await database.query<PasswordRow>(
    `SELECT ${columns} FROM members
     WHERE id = $1 AND removed_at IS NULL AND password_hash IS NOT NULL AND totp_sealed IS NOT NULL`,
    [memberId],
  );
  return passwordOf(rows[0]);
}

/** Marks a code's time step as used; false when this step or a later one was used before. */
export async function takeCodeStep(database: Queryable, memberId: string, step: number): Promise<boolean> {
  const { rowCount } = await database.query(
    'UPDATE members SET totp_step = $2 WHERE id = $1 AND (totp_step IS NULL OR totp_step < $2)',
    [memberId, step],
  );
  return rowCount === 1;
}

/** Marks a recovery code as used; false when the member has no such code. */
export async function takeRecoveryCode(
  database: Queryable,
  memberId: string,
  codeHash: Buffer,
  at: Date,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `UPDATE member_recovery_codes SET used_at = $3
     WHERE member_id = $1 AND code_hash = $2 AND used_at IS NULL`,
    [memberId, codeHash, at],
  );
  return rowCount === 1;
}

/**
 * Sets a member's password, second factor and recovery codes, deletes the former ones, and ends the member's
 * sessions except `sessionId`. Returns false when another member has the sign-in name.
 */
export async function setPassword(
  database: Database,
  member: Member,
  password: { login: string; passwordHash: string; totpSealed: Buffer; step: number; codeHashes: Buffer[] },
  { sessionId, ...by }: By & { sessionId: string },
): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    const { rowCount } = await transaction.query(
      `UPDATE members SET login = $2, password_hash = $3, totp_sealed = $4, totp_step = $5
       WHERE id = $1 AND NOT EXISTS (
         SELECT FROM members o WHERE o.login = $2 AND o.id <> $1 AND o.removed_at IS NULL)`,
      [member.id, password.login, password.passwordHash, password.totpSealed, password.step],
    );
    if (rowCount !== 1) return false;
    await transaction.query('DELETE FROM member_recovery_codes WHERE member_id = $1', [member.id]);
    await transaction.query(
      'INSERT INTO member_recovery_codes (member_id, code_hash) SELECT $1, unnest($2::bytea[])',
      [member.id, password.codeHashes],
    );
    await endOtherAccess(transaction, member.id, sessionId);
    await recordMember(
      transaction,
      member,
      'member.passwordSet',
      { before: null, after: { login: password.login } },
      by,
    );
    return true;
  });
}
