import type { By } from '../../domain/audit.ts';
import type { Member } from '../../domain/members.ts';
import { recordChange } from '../server/audit.ts';
import { inTransaction, type Database, type Queryable } from '../server/database.ts';
import { type NewSession, insertSession } from './member-sessions.ts';
import { lockMembers, recordMember } from './members.ts';
import { endOtherAccess } from './sign-in-tries.ts';

/**
 * A person at an identity provider: the provider's address, and the provider's unchanging id of the person.
 */
export interface ProviderIdentity {
  issuer: string;
  subject: string;
}

/**
 * Signs a browser in with an identity of the provider. The first identity is bound to the member and ends all
 * other access: sessions, links and challenges. Returns false, without signing in, when the member is bound
 * to another identity or was removed, so that an address which the provider reassigned to another person
 * gives no access. ADR 0075.
 */
export async function startIdentitySession(
  database: Database,
  member: Member,
  { issuer, subject }: ProviderIdentity,
  session: NewSession,
): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ issuer: string | null; subject: string | null }>(
      `SELECT identity_issuer AS issuer, identity_subject AS subject FROM members
       WHERE id = $1 AND removed_at IS NULL FOR NO KEY UPDATE`,
      [member.id],
    );
    const [bound] = rows;
    if (!bound) return false;
    if (bound.subject === null) {
      await transaction.query(
        'UPDATE members SET identity_issuer = $2, identity_subject = $3 WHERE id = $1',
        [member.id, issuer, subject],
      );
      await endOtherAccess(transaction, member.id, null);
      const actor = { kind: 'member', id: member.id, name: member.name, address: session.address } as const;
      const change = { before: null, after: { name: member.name, issuer } };
      await recordMember(transaction, member, 'member.identityBound', change, { actor, at: session.at });
    } else if (bound.issuer !== issuer || bound.subject !== subject) {
      return false;
    }
    await insertSession(transaction, member, session);
    return true;
  });
}

/**
 * Signs a browser in with the member's own passkey or password. Returns false, without signing in, when the
 * merchant's members must sign in at the identity provider. ADR 0075.
 */
export async function startOwnSession(
  database: Database,
  member: Member,
  session: NewSession,
): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    await lockMembers(transaction, member.merchantId);
    if (await requiresIdentityProvider(transaction, member.merchantId)) return false;
    await insertSession(transaction, member, session);
    return true;
  });
}

/** Returns whether the merchant's members must sign in at the identity provider. */
export async function requiresIdentityProvider(database: Queryable, merchantId: string): Promise<boolean> {
  const { rows } = await database.query<{ required: boolean }>(
    'SELECT requires_identity_provider AS required FROM merchants WHERE id = $1',
    [merchantId],
  );
  return rows[0]?.required === true;
}

/**
 * Sets whether a merchant's members must sign in at the identity provider. When it becomes required, the
 * sessions, links and challenges of all members end. Returns `unknown` for an unknown merchant. Returns
 * `noOwner`, and changes nothing, when no owner has the address by which the provider would sign them in.
 */
export async function requireIdentityProvider(
  database: Database,
  merchantId: string,
  required: boolean,
  by: By,
): Promise<'set' | 'unknown' | 'noOwner'> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ before: boolean; owners: number }>(
      `SELECT c.requires_identity_provider AS before,
         (SELECT count(*)::int FROM members m WHERE m.merchant_id = c.id AND m.role = 'owner'
          AND m.email IS NOT NULL AND m.removed_at IS NULL) AS owners
       FROM merchants c WHERE c.id = $1 FOR NO KEY UPDATE OF c`,
      [merchantId],
    );
    const [known] = rows;
    if (!known) return 'unknown';
    if (required && known.owners === 0) return 'noOwner';
    if (known.before === required) return 'set';
    await transaction.query('UPDATE merchants SET requires_identity_provider = $2 WHERE id = $1', [
      merchantId,
      required,
    ]);
    if (required) {
      // Runs before the lock of members, because following a link takes the locks in this order too.
      await transaction.query('DELETE FROM sign_in_links WHERE merchant_id = $1 AND used_at IS NULL', [
        merchantId,
      ]);
      await lockMembers(transaction, merchantId);
      const members = await transaction.query<{ id: string }>(
        'SELECT id FROM members WHERE merchant_id = $1 AND removed_at IS NULL',
        [merchantId],
      );
      for (const { id } of members.rows) await endOtherAccess(transaction, id, null);
    }
    await recordChange(transaction, {
      ...by,
      merchantId,
      environment: null,
      action: 'merchant.signInChanged',
      subject: { type: 'merchant', id: merchantId },
      before: { requiresIdentityProvider: known.before },
      after: { requiresIdentityProvider: required },
    });
    return 'set';
  });
}
