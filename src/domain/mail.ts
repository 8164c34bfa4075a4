import { isEmail } from './text.ts';

/** The kinds of mail. The first goes to the customer, the others to members of the merchant. */
export const mailKinds = ['receipt', 'invitation', 'signInLink', 'dispute', 'endpoint'] as const;
export type MailKind = (typeof mailKinds)[number];

/** Why a mail could not be sent, in one word. */
export const mailProblems = [
  // Problems of the server, which delay all its mails.
  'address',
  'dns',
  'connect',
  'tls',
  'timeout',
  'protocol',
  'login',
  'sender',
  'unavailable',
  // Problems of one mail.
  'recipient',
  'content',
  'gone',
  'tooOld',
  'removed',
] as const;
export type MailProblem = (typeof mailProblems)[number];

/** The problems of one mail, after which the server still sends others. */
const messageProblems: readonly MailProblem[] = ['recipient', 'content', 'gone', 'tooOld', 'removed'];
export const isMessageProblem = (problem: MailProblem): boolean => messageProblems.includes(problem);

/** The events of disputes that members are notified of. */
export const mailedDisputeEvents = [
  'dispute.created',
  'dispute.evidenceDueSoon',
  'dispute.won',
  'dispute.lost',
] as const;

/** A mail that cannot be sent for this long is put aside, in hours. */
export const giveUpHours = 24;
/** How long a sign-in link that was sent by mail can be used, in ms. */
export const mailedLinkMs = 15 * 60_000;

/** The longest wait for the next try, in ms. With the sweep's interval it stays below 90 s. */
const longestWaitMs = 75_000;

/** Returns the wait before the next try after so many failures, at least one, in ms. */
export const waitAfterMs = (failures: number): number =>
  Math.min(longestWaitMs, 10_000 * 2 ** Math.min(10, failures - 1));

/**
 * The most tries of a mail that the server refuses: few when the server reports a final refusal, more when it
 * asks for a later try.
 */
export const maxTries = { final: 5, later: 40 } as const;

/**
 * Returns whether a mail can be addressed to the text: an e-mail address without characters that have a
 * meaning in headers and SMTP commands.
 */
export const isMailable = (text: string): boolean => isEmail(text) && !/["(),:;<>[\\\]]/.test(text);

/** The parts of the URL of a merchant's mail server. */
export interface MailServer {
  host: string;
  port: number;
  /** Whether TLS begins with the first byte; otherwise STARTTLS is used. */
  secure: boolean;
  /** Null: the server needs no login. */
  login: { user: string; password: string } | null;
}

export type MailServerResult = { ok: true; server: MailServer } | { ok: false; reason: string };

const usualPorts = { 'smtp:': 587, 'smtps:': 465 } as const;

/** Returns the mail server of a URL such as `smtp://user:password@host:587`. `reason` completes "url …". */
export function parseMailUrl(raw: string): MailServerResult {
  const refused = (reason: string): MailServerResult => ({ ok: false, reason });
  if (raw.length > 2_048) return refused('must be at most 2048 characters long');
  let url: URL;
  try {
    url = new URL(raw);
  } catch {
    return refused('must be a URL such as smtp://user:password@mail.example:587');
  }
  const { protocol, hostname } = url;
  if (protocol !== 'smtp:' && protocol !== 'smtps:') return refused('must begin with smtp:// or smtps://');
  if (url.search !== '' || url.hash !== '' || !['', '/'].includes(url.pathname)) {
    return refused('must end after the port');
  }
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (!/^(?:[a-z0-9._-]+|[0-9a-f:.]+)$/.test(host) || host.length > 255) {
    return refused('must have a valid host');
  }
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === null || password === null) {
    return refused('must have every special sign of user and password percent-encoded');
  }
  if ((user === '') !== (password === '')) return refused('must have both a user and a password, or neither');
  return {
    ok: true,
    server: {
      host,
      port: url.port === '' ? usualPorts[protocol] : Number(url.port),
      secure: protocol === 'smtps:',
      login: user === '' ? null : { user, password },
    },
  };
}

function decoded(text: string): string | null {
  try {
    const plain = decodeURIComponent(text);
    return /\p{Control}/u.test(plain) ? null : plain;
  } catch {
    return null;
  }
}
