import { uuidv7 } from 'uuidv7';
import type { Keyring } from '../crypto/keyring.ts';
import { loadMailSender } from '../db/mail/mail-contents.ts';
import type { MailFault } from '../db/mail/mails.ts';
import type { Tenant } from '../db/payments/payments.ts';
import type { Queryable } from '../db/server/database.ts';
import { openMailServer } from './mail-server.ts';
import { composeMessage } from './message.tsx';
import { testText } from './notices.ts';
import { MailFailure, type MailConnectOptions, openMailSession } from './smtp.ts';

/** Shorter than usual, because a person waits for the result. */
const timeouts = { connectMs: 6_000, loginMs: 6_000, sendMs: 8_000 };

/**
 * Sends a test mail over the tenant's server at once. Returns null if the server accepted it, the fault if it
 * did not, and `unset` if there is no server. Changes nothing.
 */
export async function sendTestMail(
  deps: { database: Queryable; keyring: Keyring; connect: MailConnectOptions; now: () => number },
  tenant: Tenant,
  to: string,
): Promise<MailFault | 'unset' | null> {
  const opened = await openMailServer(deps.database, deps.keyring, tenant);
  if (opened === null) return 'unset';
  const { merchantName } = await loadMailSender(deps.database, tenant);
  const { from } = opened;
  const message = await composeMessage(
    { id: uuidv7(), createdAt: new Date(deps.now()), fromName: merchantName, from, to, replyTo: null },
    testText(merchantName),
  );
  try {
    const session = await openMailSession(opened.server, { timeouts, ...deps.connect });
    try {
      await session.send({ from, to }, message);
    } finally {
      session.close();
    }
    return null;
  } catch (error) {
    if (error instanceof MailFailure) return error.fault;
    throw error;
  }
}
