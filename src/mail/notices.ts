import type { DisputeEventFacts, EndpointFacts } from '../db/mail/mail-contents.ts';
import { mailedDisputeEvents } from '../domain/mail.ts';
import { formatMoney } from '../domain/money.ts';
import type { Environment } from '../domain/statuses.ts';
import type { MailText } from './message.tsx';
import { notices as text } from './messages/notices.ts';

/** The facts that every notice needs. */
interface NoticeOf {
  merchant: string;
  environment: Environment;
  /** Address of the dashboard in the environment. */
  base: string;
}

const blank = {
  language: 'en',
  mark: null,
  lines: [],
  facts: [],
  link: null,
  after: [],
} satisfies Partial<MailText>;

const instant = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Returns the notice of a dispute's event; null for an event of another type. */
export function disputeText(event: DisputeEventFacts, of: NoticeOf): MailText | null {
  const type = mailedDisputeEvents.find((known) => known === event.type);
  if (type === undefined) return null;
  const amount = formatMoney(event.amountCents, 'USD');
  const { subject, text: body } = text.disputes[type];
  const isOpen = type === 'dispute.created' || type === 'dispute.evidenceDueSoon';
  return {
    ...blank,
    subject: subject(amount),
    title: subject(amount),
    mark: of.environment === 'sandbox' ? text.sandbox : null,
    paragraphs: [body(amount, of.merchant)],
    facts: [
      [text.payment, event.reference],
      [text.amount, amount],
      [text.reason, event.reason],
      ...(isOpen ? [[text.respondBy, instant(new Date(event.evidenceDueAt))] as const] : []),
    ],
    link: { label: text.openDispute, url: `${of.base}/disputes/${event.disputeId}` },
    after: [text.because(of.merchant)],
  };
}

/** Returns the notice of an endpoint that is failing or was disabled for failing. */
export function endpointText(endpoint: EndpointFacts & { id: string }, of: NoticeOf): MailText {
  const isDisabled = endpoint.status === 'disabled';
  const { failingSince } = endpoint;
  return {
    ...blank,
    subject: isDisabled ? text.disabledSubject : text.failingSubject,
    title: isDisabled ? text.disabledSubject : text.failingSubject,
    mark: of.environment === 'sandbox' ? text.sandbox : null,
    paragraphs: [isDisabled ? text.disabledText(of.merchant) : text.failingText(of.merchant)],
    facts: [
      // The URL without its query, which may hold a secret of the receiver.
      [text.endpoint, endpoint.url.split('?')[0] ?? ''],
      ...(failingSince === null ? [] : [[text.failingSince, instant(failingSince)] as const]),
    ],
    link: { label: text.openEndpoint, url: `${of.base}/webhooks/${endpoint.id}` },
    after: [text.because(of.merchant)],
  };
}

/** The sealed content of a mail with a link. */
export interface LinkContent {
  url: string;
  /** The inviting member; null for a sign-in link. */
  invitedBy: string | null;
}

/** Returns the mail with an invitation or a sign-in link. */
export function linkText({ url, invitedBy }: LinkContent, merchant: string): MailText {
  const isInvitation = invitedBy !== null;
  const subject = isInvitation ? text.invitationSubject(merchant) : text.signInSubject(merchant);
  return {
    ...blank,
    subject,
    title: subject,
    paragraphs: [isInvitation ? text.invitationText(invitedBy, merchant) : text.signInText(merchant)],
    link: { label: isInvitation ? text.acceptInvitation : text.signIn, url },
    after: [isInvitation ? text.invitationAfter : text.signInAfter],
  };
}

/** Returns the test mail, which shows that a server works. */
export const testText = (merchant: string): MailText => ({
  ...blank,
  subject: text.testSubject(merchant),
  title: text.testTitle,
  paragraphs: [text.testText(merchant)],
});
