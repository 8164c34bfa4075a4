import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { MailFault } from '../db/mail/mails.ts';
import type { MailProblem, MailServer } from '../domain/mail.ts';
import { loopbackAddresses } from '../webhooks/addresses.ts';
import { type EgressRules, isAllowedAddress } from '../webhooks/endpoint-url.ts';

/** The time limit of each step, in ms. It also applies to a server that sends a byte now and then. */
export interface MailTimeouts {
  connectMs: number;
  loginMs: number;
  sendMs: number;
}

/** Together they are shorter than the lease of a mail. */
const usualTimeouts: MailTimeouts = { connectMs: 12_000, loginMs: 10_000, sendMs: 25_000 };

/** Longer than any reply of a mail server, in bytes. */
const maxReplyBytes = 16 * 1024;

/** Thrown when a mail server refuses a step or fails. The message quotes no text of the server. */
export class MailFailure extends Error {
  readonly fault: MailFault;
  /** False if the server may accept the same mail later. */
  readonly isFinal: boolean;

  constructor(problem: MailProblem, replyCode: number | null = null, isFinal = false) {
    super(`mail server: ${problem}${replyCode === null ? '' : ` ${replyCode}`}`);
    this.name = 'MailFailure';
    this.fault = { problem, replyCode };
    this.isFinal = isFinal;
  }
}

export interface MailSession {
  /** Sends one message. Throws MailFailure. */
  send(envelope: { from: string; to: string }, message: Buffer): Promise<void>;
  /** Ends the transaction that the server refused. Throws MailFailure. */
  reset(): Promise<void>;
  close(): void;
}

export interface MailConnectOptions {
  rules: EgressRules;
  timeouts?: Partial<MailTimeouts>;
  /** For tests: replaces the resolution of names. */
  lookup?: (host: string) => Promise<readonly string[]>;
}

/**
 * Connects to a mail server and signs in. The name is resolved here, and the connection goes to the address
 * that was checked. TLS with a valid certificate for the name is required, except for loopback where it is
 * allowed. Throws MailFailure.
 */
export async function openMailSession(server: MailServer, options: MailConnectOptions): Promise<MailSession> {
  const times = { ...usualTimeouts, ...options.timeouts };
  const address = await addressOf(server.host, options, times.connectMs);
  const isLoopback = loopbackAddresses.includes(address);
  const connection = new SMTPConnection({
    host: address,
    port: server.port,
    secure: server.secure,
    requireTLS: !server.secure && !isLoopback,
    ignoreTLS: !server.secure && isLoopback,
    tls: isIP(server.host) === 0 ? { servername: server.host } : {},
    name: 'localhost',
    connectionTimeout: times.connectMs,
    greetingTimeout: times.connectMs,
    socketTimeout: Math.max(times.connectMs, times.loginMs, times.sendMs),
    socketCloseTimeout: 1_000,
    maxResponseSize: maxReplyBytes,
  });
  let failed: ((error: unknown) => void) | null = null;
  let isOver = false;
  const close = (): void => {
    isOver = true;
    connection.close();
  };
  // A fault between two steps is reported by the next step.
  connection.on('error', (error: unknown) => failed?.(error));
  connection.on('end', () => failed?.(new MailFailure('unavailable')));

  const step = (ms: number, begin: (done: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (error?: unknown): void => {
        clearTimeout(timer);
        failed = null;
        if (error) reject(failureOf(error));
        else resolve();
      };
      const timer = setTimeout(() => {
        end(new MailFailure('timeout'));
        close();
      }, ms);
      failed = end;
      if (isOver) end(new MailFailure('unavailable'));
      else begin(end);
    });

  try {
    await step(times.connectMs, (done) => connection.connect(done));
    const { login } = server;
    if (login !== null) {
      await step(times.loginMs, (done) => connection.login({ user: login.user, pass: login.password }, done));
    }
  } catch (error) {
    close();
    throw error;
  }
  return {
    send: ({ from, to }, message) =>
      step(times.sendMs, (done) => connection.send({ from, to: [to] }, message, done)),
    reset: () => step(times.loginMs, (done) => connection.reset(done)),
    close() {
      if (isOver) return;
      isOver = true;
      // Ends the session; the socket is closed after a second at most.
      connection.quit();
      setTimeout(() => connection.close(), 1_000).unref();
    },
  };
}

/** Refuses a name if any one of its addresses is refused, as webhooks do. */
async function addressOf(
  host: string,
  { rules, lookup }: MailConnectOptions,
  timeoutMs: number,
): Promise<string> {
  const resolve =
    lookup ?? (async (name) => (await systemLookup(name, { all: true })).map((one) => one.address));
  const found = isIP(host) === 0 ? await inTime(resolve(host), timeoutMs) : [host];
  const [first] = found;
  if (first === undefined) throw new MailFailure('dns');
  if (found.some((address) => !isAllowedAddress(address, rules))) throw new MailFailure('address');
  return first;
}

async function inTime(found: Promise<readonly string[]>, timeoutMs: number): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new MailFailure('dns')), timeoutMs);
  });
  try {
    return await Promise.race([found, late]);
  } catch {
    throw new MailFailure('dns');
  } finally {
    clearTimeout(timer);
  }
}

/** Read by its shape, because errors of Node and of the library have no common class. */
interface SmtpError {
  code?: string;
  originalCode?: string;
  command?: string;
  responseCode?: number;
  message?: string;
  rejectedErrors?: SmtpError[];
}

function failureOf(error: unknown): MailFailure {
  if (error instanceof MailFailure) return error;
  const given = (typeof error === 'object' && error !== null ? error : {}) as SmtpError;
  const refused = given.rejectedErrors?.[0] ?? given;
  const { code = '', command = '', responseCode } = refused;
  const reply = typeof responseCode === 'number' ? responseCode : null;
  const isFinal = reply !== null && reply >= 500;
  // With this code the server closes the connection, whatever the command was.
  if (reply === 421) return new MailFailure('unavailable', reply);
  if (code === 'EAUTH') return new MailFailure('login', reply);
  if (code === 'EENVELOPE' && command === 'MAIL FROM') return new MailFailure('sender', reply);
  if (code === 'EENVELOPE') return new MailFailure('recipient', reply, isFinal);
  if (code === 'EMESSAGE' || command === 'DATA') return new MailFailure('content', reply, isFinal);
  return new MailFailure(problemOf(given), reply);
}

function problemOf({ code = '', originalCode = '', message = '' }: SmtpError): MailProblem {
  const codes = `${code} ${originalCode}`;
  if (/\bETLS\b|CERT|SSL|SELF_SIGNED|UNABLE_TO|ERR_TLS/.test(codes)) return 'tls';
  if (/\bcertificate\b|\bSSL\b|\bTLS\b/i.test(message) && code !== 'EPROTOCOL') return 'tls';
  if (/ETIMEDOUT/.test(codes)) return 'timeout';
  if (/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/.test(codes)) return 'connect';
  if (/EPROTOCOL|EMAXLEN|ERESPONSE/.test(codes)) return 'protocol';
  return 'unavailable';
}
