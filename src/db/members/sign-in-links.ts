import type { By } from '../../domain/audit.ts';
import { mailedLinkMs } from '../../domain/mail.ts';
import { linkMs, type Member, type Role } from '../../domain/members.ts';
import { insertLinkMail } from '../mail/mails.ts';
import { inTransaction, type Database, type Queryable } from '../server/database.ts';
import { findMember, insertMember, lockMembers, ownerOf, recordMember } from './members.ts';
import { requiresIdentityProvider } from './member-identities.ts';
import { type NewSession, insertSession } from './member-sessions.ts';

/** Creates a link that signs the merchant's owner in once; null for an unknown merchant. */
export async function createOwnerLink(
  database: Database,
  merchantId: string,
  tokenHash: Buffer,
  by: By,
): Promise<Member | null> {
  return inTransaction(database, async (transaction) => {
    const owner = await ownerOf(transaction, merchantId, by);
    if (!owner) return null;
    await insertLink(
      transaction,
      { tokenHash, merchantId, memberId: owner.id, role: null, name: null, email: null },
      by,
    );
    await recordMember(
      transaction,
      owner,
      'member.linkCreated',
      { before: null, after: { name: owner.name } },
      by,
    );
    return owner;
  });
}

/** A mail with a link, to be sent to its member. */
export type LinkMail = Omit<Parameters<typeof insertLinkMail>[1], 'kind' | 'merchantId'>;

/** The shortest time between two mailed links of a member, in ms, so that no visitor can flood a mailbox. */
const linkMailEveryMs = 60_000;

/**
 * Creates a link that signs a member in once, within 15 minutes, and its mail. Does nothing when the member
 * received one within the last minute.
 */
export async function createMailedLink(
  database: Database,
  { id, merchantId, name }: Member,
  { tokenHash, mail }: { tokenHash: Buffer; mail: LinkMail },
  by: By,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    await lockMembers(transaction, merchantId);
    const { rows } = await transaction.query(
      `SELECT FROM sign_in_links WHERE merchant_id = $1 AND member_id = $2 AND created_by = $3 AND created_at > $4
       LIMIT 1`,
      [merchantId, id, by.actor.name, new Date(by.at.getTime() - linkMailEveryMs)],
    );
    if (rows.length > 0) return;
    const link = { tokenHash, merchantId, memberId: id, role: null, name: null, email: null };
    await insertLink(transaction, link, by, mailedLinkMs);
    await insertLinkMail(transaction, { ...mail, merchantId, kind: 'signInLink' });
    const change = { before: null, after: { name } };
    await recordMember(transaction, { id, merchantId }, 'member.linkMailed', change, by);
  });
}

/** Stores a link, and deletes the merchant's expired links. Must run inside a transaction. */
export async function insertLink(
  transaction: Queryable,
  link: {
    tokenHash: Buffer;
    merchantId: string;
    memberId: string | null;
    role: Role | null;
    name: string | null;
    email: string | null;
  },
  by: By,
  validMs: number = linkMs,
): Promise<void> {
  await transaction.query('DELETE FROM sign_in_links WHERE merchant_id = $1 AND expires_at <= $2', [
    link.merchantId,
    by.at,
  ]);
  await transaction.query(
    `INSERT INTO sign_in_links (token_hash, merchant_id, member_id, role, name, created_by, created_at, expires_at, email)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      link.tokenHash,
      link.merchantId,
      link.memberId,
      link.role,
      link.name,
      by.actor.name,
      by.at,
      new Date(by.at.getTime() + validMs),
      link.email,
    ],
  );
}

/**
 * Uses a link and signs the browser in, in one transaction: of two concurrent uses only one is signed in. An
 * invitation creates its member. Returns null when the link is unknown, was used or has expired, or when its
 * member was removed. Returns `teamFull` when the team has no room for the invited member; the invitation
 * can then be used later. A link of `mailedHashes` proves only access to the mailbox: a member with a
 * passkey or a password still has to confirm sensitive actions. `providerOnly`: the merchant's members must
 * sign in at the identity provider. Then only an operator's link signs in, and an invitation just creates
 * its member. ADR 0075.
 */
export async function redeemLink(
  database: Database,
  { tokenHashes, mailedHashes }: { tokenHashes: Buffer[]; mailedHashes: Buffer[] },
  session: NewSession,
): Promise<Member | 'providerOnly' | 'teamFull' | null> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{
      merchantId: string;
      memberId: string | null;
      role: Role | null;
      name: string | null;
      email: string | null;
      tokenHash: Buffer;
    }>(
      `UPDATE sign_in_links SET used_at = $2
       WHERE token_hash = ANY($1::bytea[]) AND used_at IS NULL AND expires_at > $2
       RETURNING merchant_id AS "merchantId", member_id AS "memberId", role, name, email, token_hash AS "tokenHash"`,
      [[...tokenHashes, ...mailedHashes], session.at],
    );
    const [link] = rows;
    if (!link) return null;
    const { merchantId, memberId, role, name, email } = link;
    const member =
      memberId === null
        ? await insertMember(transaction, {
            merchantId,
            name: name ?? 'Member',
            role: role ?? 'readOnly',
            email,
            at: session.at,
          })
        : await findMember(transaction, merchantId, memberId);
    if (!member && memberId === null) {
      await transaction.query('UPDATE sign_in_links SET used_at = NULL WHERE token_hash = $1', [
        link.tokenHash,
      ]);
      return 'teamFull';
    }
    if (!member) return null;
    if (memberId === null) {
      const actor = { kind: 'member', id: member.id, name: member.name, address: session.address } as const;
      const after = { name: member.name, role: member.role };
      await recordMember(
        transaction,
        member,
        'member.joined',
        { before: null, after },
        { actor, at: session.at },
      );
    }
    const isMailed = mailedHashes.some((hash) => hash.equals(link.tokenHash));
    const isOperators = memberId !== null && !isMailed;
    if (!isOperators && (await requiresIdentityProvider(transaction, merchantId))) return 'providerOnly';
    const isConfirmed = !isMailed || !(await hasFactor(transaction, member.id));
    await insertSession(
      transaction,
      member,
      isConfirmed ? session : { ...session, confirmedAt: new Date(0) },
    );
    return member;
  });
}

/** Returns whether the member has a passkey or a password to confirm with. */
async function hasFactor(transaction: Queryable, memberId: string): Promise<boolean> {
  const { rows } = await transaction.query<{ has: boolean }>(
    `SELECT login IS NOT NULL OR EXISTS (SELECT FROM member_passkeys p WHERE p.member_id = m.id) AS has
     FROM members m WHERE id = $1`,
    [memberId],
  );
  return rows[0]?.has === true;
}

/**
 * Returns the member that a link would sign in, and the merchant, without using the link; for an invitation
 * there is no member yet. Returns null when the link is unknown, was used or has expired.
 */
export async function memberOfLink(
  database: Queryable,
  tokenHashes: Buffer[],
  now: Date,
): Promise<{ memberId: string | null; merchantName: string } | null> {
  const { rows } = await database.query<{ memberId: string | null; merchantName: string }>(
    `SELECT l.member_id AS "memberId", m.name AS "merchantName"
     FROM sign_in_links l JOIN merchants m ON m.id = l.merchant_id
     WHERE l.token_hash = ANY($1::bytea[]) AND l.used_at IS NULL AND l.expires_at > $2`,
    [tokenHashes, now],
  );
  return rows[0] ?? null;
}
