import type { FastifyRequest } from 'fastify';
import { uuidv7 } from 'uuidv7';
import type { Keyring } from '../../crypto/keyring.ts';
import { hashPurposes, sealContext } from '../../crypto/seal-contexts.ts';
import { randomUrlSecret } from '../../crypto/secrets.ts';
import { mailEnvironmentOf } from '../../db/mail/mail-settings.ts';
import { findMembersByEmail } from '../../db/members/member-emails.ts';
import { createMailedLink, type LinkMail } from '../../db/members/sign-in-links.ts';
import type { Database } from '../../db/server/database.ts';
import { canonicalEmail } from '../../domain/members.ts';
import { callerAddress } from '../../http/request.ts';
import type { LinkContent } from '../../mail/notices.ts';

export interface MailedLinkDeps {
  database: Database;
  keyring: Keyring;
  /** Epoch ms. */
  now: () => number;
  dashboardUrl: string;
}

/**
 * Returns the mail that carries a link, with the merchant's mail server: that of live before that of sandbox.
 * Null if there is none.
 */
export async function linkMailOf(
  { database, keyring }: Pick<MailedLinkDeps, 'database' | 'keyring'>,
  merchantId: string,
  recipient: string,
  content: LinkContent,
): Promise<LinkMail | null> {
  const environment = await mailEnvironmentOf(database, merchantId);
  if (environment === null) return null;
  const id = uuidv7();
  const contentSealed = keyring.seal(JSON.stringify(content), sealContext.mailContent(id));
  return { id, environment, recipient, contentSealed };
}

/**
 * Mails a sign-in link to each member with this address whose merchant has a mail server. Runs in the
 * background, so that the answer is the same and as fast for an address that no member has.
 */
export function mailSignInLinks(deps: MailedLinkDeps, request: FastifyRequest, given: string): void {
  const email = canonicalEmail(given);
  if (email === null) return;
  mailLinks(deps, callerAddress(request), email).catch((error: unknown) =>
    request.log.warn({ err: error }, 'a sign-in link could not be mailed'),
  );
}

async function mailLinks(deps: MailedLinkDeps, address: string, email: string): Promise<void> {
  const { database, keyring } = deps;
  for (const member of await findMembersByEmail(database, email)) {
    const token = randomUrlSecret();
    const content = { url: `${deps.dashboardUrl}/dashboard/link/${token}`, invitedBy: null };
    const mail = await linkMailOf(deps, member.merchantId, email, content);
    if (mail === null) continue;
    const tokenHash = keyring.lookupHash(hashPurposes.mailedLink, token);
    const actor = { kind: 'member', id: member.id, name: member.name, address } as const;
    await createMailedLink(database, member, { tokenHash, mail }, { actor, at: new Date(deps.now()) });
  }
}
