import type { mailedDisputeEvents } from '../../domain/mail.ts';

type DisputeEvent = (typeof mailedDisputeEvents)[number];

interface DisputeNotice {
  subject: (amount: string) => string;
  text: (amount: string, merchant: string) => string;
}

/** The notices to members, in the language of the dashboard. */
export const notices = {
  sandbox: 'Sandbox: this is about test payments. No money moved.',
  amount: 'Amount',
  reason: 'Reason',
  respondBy: 'Respond by',
  payment: 'Payment',
  openDispute: 'Open the dispute',
  disputes: {
    'dispute.created': {
      subject: (amount) => `New dispute: ${amount}`,
      text: (amount, merchant) =>
        `A customer of ${merchant} disputed a payment of ${amount}. Submit your evidence or accept the dispute.`,
    },
    'dispute.evidenceDueSoon': {
      subject: (amount) => `The deadline of a dispute is close: ${amount}`,
      text: (amount, merchant) =>
        `The time to respond to a dispute of ${amount} at ${merchant} ends soon. Submit your evidence or accept the dispute.`,
    },
    'dispute.won': {
      subject: (amount) => `Dispute won: ${amount}`,
      text: (amount, merchant) => `The payment network decided for ${merchant}. You keep ${amount}.`,
    },
    'dispute.lost': {
      subject: (amount) => `Dispute lost: ${amount}`,
      text: (amount, merchant) =>
        `The dispute at ${merchant} was decided for the customer, who keeps ${amount}.`,
    },
  } satisfies Record<DisputeEvent, DisputeNotice>,

  endpoint: 'Endpoint',
  failingSince: 'Failing since',
  openEndpoint: 'Open the endpoint',
  failingSubject: 'A webhook endpoint is failing',
  failingText: (merchant: string) =>
    `No webhook reached an endpoint of ${merchant} for an hour. Deliveries are tried again. After five days without a success the endpoint is disabled.`,
  disabledSubject: 'A webhook endpoint was disabled',
  disabledText: (merchant: string) =>
    `An endpoint of ${merchant} failed for too long, or answered that it is gone. It receives no more webhooks until you enable it again.`,

  invitationSubject: (merchant: string) => `Join the dashboard of ${merchant}`,
  invitationText: (invitedBy: string, merchant: string) =>
    `${invitedBy} invited you to the dashboard of ${merchant}.`,
  acceptInvitation: 'Accept the invitation',
  invitationAfter:
    'The link works once and expires in 24 hours. If you did not expect it, ignore this e-mail.',

  signInSubject: (merchant: string) => `Sign in to the dashboard of ${merchant}`,
  signInText: (merchant: string) => `Use this link to sign in to the dashboard of ${merchant}.`,
  signIn: 'Sign in',
  signInAfter:
    'The link works once and expires in 15 minutes. If you did not ask for it, ignore this e-mail.',

  testSubject: (merchant: string) => `Test e-mail of ${merchant}`,
  testTitle: 'It works',
  testText: (merchant: string) => `${merchant} can send e-mail through this server.`,

  because: (merchant: string) => `You receive this e-mail because you are a member of ${merchant}.`,
} as const;
