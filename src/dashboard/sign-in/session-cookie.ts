import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { randomUrlSecret } from '../../crypto/secrets.ts';
import {
  findSession,
  type NewSession,
  type Session,
  touchSession,
} from '../../db/members/member-sessions.ts';
import { longestSessionMs } from '../../domain/members.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Database } from '../../db/server/database.ts';
import { callerAddress } from '../../http/request.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of the signed-in member, on pages of the dashboard. */
    member: Session | null;
    /** The secret from which the tokens of this browser's forms are derived; the CSRF protection reads it. */
    session: { _csrf?: string };
    /** The fields of a submitted form. */
    form: URLSearchParams | null;
    /** Whether the page is read from archived rows. ADR 0078. */
    isArchived: boolean;
  }
}

/** The browser sends it to this host only, over TLS (or to localhost), and no script can read it. */
const sessionCookie = '__Host-dashboard';
/** The cookie of a visitor who is not signed in. The tokens of the sign-in forms derive from it. */
const visitorCookie = '__Host-dashboard-visitor';
/**
 * Lax: a link in a message may open the dashboard. Forms of other sites are refused because they lack a
 * token.
 */
export const hostCookieRules = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' } as const;

/** How often the use of a session is stored, in ms. */
const touchEveryMs = 60_000;

export interface SessionDeps {
  database: Database;
  keyring: Keyring;
  /** Epoch ms. */
  now: () => number;
}

/** Loads the session of the signed-in member. Throws when the database is unavailable. */
export const loadSession =
  (deps: SessionDeps) =>
  async (request: FastifyRequest): Promise<void> => {
    const secret = request.cookies[sessionCookie];
    const now = new Date(deps.now());
    // A value that cannot be a session's secret is not looked up.
    const hashes = /^[\w-]{43}$/.test(secret ?? '')
      ? deps.keyring.lookupHashes(hashPurposes.memberSession, secret ?? '')
      : [];
    request.member = hashes.length === 0 ? null : await findSession(deps.database, hashes, now);
    const visitor = request.cookies[visitorCookie];
    const csrf = request.member?.csrfSecret ?? (/^[\w-]{10,64}$/.test(visitor ?? '') ? visitor : undefined);
    request.session = csrf === undefined ? {} : { _csrf: csrf };
    if (request.member && now.getTime() - request.member.seenAt.getTime() > touchEveryMs) {
      await touchSession(deps.database, request.member.id, now);
    }
  };

/** Returns a new secret for a session's cookie, and the hash by which the session is found. */
export function sessionSecret({ keyring }: { keyring: Keyring }): { secret: string; secretHash: Buffer } {
  const secret = randomUrlSecret();
  return { secret, secretHash: keyring.lookupHash(hashPurposes.memberSession, secret) };
}

/** Returns a new session of this browser and the secret of its cookie. */
export function newSession(
  deps: Pick<SessionDeps, 'keyring' | 'now'>,
  request: FastifyRequest,
  means: NewSession['means'],
): { secret: string; session: NewSession } {
  const { secret, secretHash } = sessionSecret(deps);
  const session: NewSession = {
    secretHash,
    csrfSecret: randomBytes(18).toString('base64url'),
    address: callerAddress(request),
    userAgent: request.headers['user-agent']?.slice(0, 255) ?? null,
    means,
    at: new Date(deps.now()),
  };
  return { secret, session };
}

/** Sets the cookie of a session. */
export const setSessionCookie = (reply: FastifyReply, secret: string): FastifyReply =>
  reply
    .setCookie(sessionCookie, secret, { ...hostCookieRules, maxAge: longestSessionMs / 1000 })
    .clearCookie(visitorCookie, hostCookieRules);

/** Clears the cookie of a session. */
export const clearSessionCookie = (reply: FastifyReply): FastifyReply =>
  reply.clearCookie(sessionCookie, hostCookieRules);

/** Returns the token for a form without a signed-in member, and sets the cookie it belongs to. */
export function visitorToken(request: FastifyRequest, reply: FastifyReply): string {
  const token = reply.generateCsrf();
  const { _csrf: secret } = request.session;
  if (request.member === null && secret !== undefined) {
    void reply.setCookie(visitorCookie, secret, { ...hostCookieRules, maxAge: 3_600 });
  }
  return token;
}
