import { sealContext } from '../crypto/seal-contexts.ts';
import type { Keyring } from '../crypto/keyring.ts';
import {
  loadDisputeEvent,
  loadEndpointFacts,
  loadMailSender,
  loadReceiptFacts,
  type MailSender,
} from '../db/mail/mail-contents.ts';
import {
  type LeasedMail,
  leaseMail,
  type MailFault,
  setAsideOldMails,
  recordMailRefused,
  recordMailSent,
  recordServerFailed,
  recordServerWorked,
  releaseMail,
} from '../db/mail/mails.ts';
import type { Tenant } from '../db/payments/payments.ts';
import type { Database } from '../db/server/database.ts';
import { isMailable, isMessageProblem, maxTries, waitAfterMs } from '../domain/mail.ts';
import { openMailServer, type OpenedMailServer } from './mail-server.ts';
import { composeMessage, type MailText } from './message.tsx';
import { disputeText, endpointText, type LinkContent, linkText } from './notices.ts';
import { receiptText } from './receipt.ts';
import { MailFailure, type MailConnectOptions, type MailSession, openMailSession } from './smtp.ts';

/** The maximum number of mails in one session. */
const mailsOfSession = 50;

export interface SendMailsDeps {
  database: Database;
  keyring: Keyring;
  connect: MailConnectOptions;
  dashboardUrl: string;
}

/** The result of a session. `failures`: failed sessions in a row; 0 if this one worked. */
export interface SentMails {
  sent: number;
  aside: number;
  failures: number;
  fault: MailFault | null;
  /** Whether the previous sessions had failed. */
  recovered: boolean;
}

/**
 * Sends a merchant's waiting mails, at most 50, over one connection. Each mail is leased right before it is
 * sent, so that two processes do not send it at the same time. A server that fails is tried again later, and
 * its mails stay in the outbox. A mail that the server refuses does not block the others. `going` is called
 * before each mail and returns whether to continue.
 */
export async function sendMails(
  deps: SendMailsDeps,
  tenant: Tenant,
  going: () => boolean,
): Promise<SentMails> {
  const { database } = deps;
  const result: SentMails = { sent: 0, aside: 0, failures: 0, fault: null, recovered: false };
  result.aside += await setAsideOldMails(database, tenant);
  const opened = await openMailServer(database, deps.keyring, tenant);
  if (opened === null) return result;
  let session: MailSession | null = null;
  try {
    session = await openMailSession(opened.server, deps.connect);
    const sender = await loadMailSender(database, tenant);
    for (let count = 0; count < mailsOfSession && going(); count += 1) {
      const mail = await leaseMail(database, tenant);
      if (mail === null) break;
      const outcome = await sendOne(deps, { session, opened, sender }, mail);
      result[outcome === 'sent' ? 'sent' : 'aside'] += outcome === 'later' ? 0 : 1;
    }
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    result.fault = error.fault;
  } finally {
    session?.close();
  }
  if (result.fault === null) {
    result.recovered = await recordServerWorked(database, tenant, result.sent > 0);
  } else {
    result.failures = await recordServerFailed(database, tenant, result.fault, waitAfterMs);
  }
  return result;
}

interface OpenSession {
  session: MailSession;
  opened: OpenedMailServer;
  sender: MailSender;
}

/**
 * Sends one mail and records the result. Throws MailFailure if the server fails; the mail then stays in the
 * outbox.
 */
async function sendOne(
  deps: SendMailsDeps,
  { session, opened, sender }: OpenSession,
  mail: LeasedMail,
): Promise<'sent' | 'later' | 'aside'> {
  const { database } = deps;
  const written = await writeMail(deps, sender, mail);
  if (written === null || !isMailable(written.to)) {
    const problem = written === null ? 'gone' : 'recipient';
    await recordMailRefused(database, mail, { problem, replyCode: null }, null);
    return 'aside';
  }
  const { to, text } = written;
  const message = await composeMessage(
    {
      id: mail.id,
      createdAt: mail.createdAt,
      fromName: sender.merchantName,
      from: opened.from,
      to,
      replyTo: sender.supportEmail,
    },
    text,
  );
  try {
    await session.send({ from: opened.from, to }, message);
  } catch (error) {
    if (error instanceof MailFailure && isMessageProblem(error.fault.problem)) {
      const allowed = error.isFinal ? maxTries.final : maxTries.later;
      const waitMs = mail.tries >= allowed ? null : waitAfterMs(mail.tries);
      await recordMailRefused(database, mail, error.fault, waitMs);
      await session.reset();
      return waitMs === null ? 'aside' : 'later';
    }
    await releaseMail(database, mail);
    throw error;
  }
  await recordMailSent(database, mail);
  return 'sent';
}

/** Returns the recipient and content of a mail; null if the object it is about no longer exists. */
async function writeMail(
  { database, keyring, dashboardUrl }: SendMailsDeps,
  sender: MailSender,
  mail: LeasedMail,
): Promise<{ to: string; text: MailText } | null> {
  const { kind, environment, recipient } = mail;
  const merchant = sender.merchantName;
  const of = { merchant, environment, base: `${dashboardUrl}/dashboard/${environment}` };
  if (kind === 'receipt') {
    const payment = await loadReceiptFacts(database, mail.paymentId ?? '');
    if (payment?.email == null) return null;
    return { to: payment.email, text: receiptText(payment, sender, environment) };
  }
  if (recipient === null) return null;
  if (kind === 'dispute') {
    const event = await loadDisputeEvent(database, mail.eventId ?? '');
    const text = event && disputeText(event, of);
    return text && { to: recipient, text };
  }
  if (kind === 'endpoint') {
    const id = mail.endpointId ?? '';
    const endpoint = await loadEndpointFacts(database, id);
    return endpoint && { to: recipient, text: endpointText({ ...endpoint, id }, of) };
  }
  if (mail.contentSealed === null) return null;
  const content = keyring.open(mail.contentSealed, sealContext.mailContent(mail.id));
  return { to: recipient, text: linkText(JSON.parse(content) as LinkContent, merchant) };
}
