import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { followLinkPage, signInPage } from './page.tsx';
import { messagePage } from '../parts/message-page.tsx';
import type { Notice } from '../parts/view.ts';
import { endSession, type NewSession } from '../../db/members/member-sessions.ts';
import { startSession } from '../../db/members/passkeys.ts';
import { followLink, memberOfLink } from '../../db/members/sign-in-links.ts';
import type { Member } from '../../domain/members.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { RateLimiter } from '../../operations/rate-limits.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Database } from '../../db/server/database.ts';
import { callerAddress, countedAs } from '../../http/request.ts';
import { sendHtml } from '../../http/html-reply.ts';
import { logFailedSignIn, type SignInMeans } from './failed-sign-in.ts';
import { type OidcDeps, registerOidc } from './oidc-sign-in.ts';
import { type PasskeyDeps, requestOptions, verifyPasskey } from './passkeys.ts';
import { type PasswordDeps, verifySignIn } from './passwords.ts';
import { formError, wrongPassword } from '../parts/form-error.ts';
import { safeRedirectPath } from '../parts/safe-redirect-path.ts';
import { type SessionDeps, newSession, setSessionCookie, visitorToken } from './session-cookie.ts';
import { dashboardPolicy } from '../visit.ts';

/** Returns the address of the sign-in page that leads back to `url` afterwards. */
export const signInPath = (url: string): string =>
  url === '/dashboard/sandbox' ? '/dashboard/sign-in' : `/dashboard/sign-in?to=${encodeURIComponent(url)}`;

/** Sends the page of whoever is not signed in. */
function sendSignIn(
  { identityProvider }: { identityProvider: { name: string } | null },
  request: FastifyRequest,
  reply: FastifyReply,
  page: { to: string; notice: Notice | null; status?: number; login?: string },
): FastifyReply {
  const { to, notice, login = null } = page;
  const provider = identityProvider?.name ?? null;
  const html = signInPage({ csrf: visitorToken(request, reply), to, notice, login, provider });
  return sendHtml(request, reply, page.status ?? 200, html, dashboardPolicy);
}

interface AttemptLimitDeps {
  keyring: Keyring;
  limiter: RateLimiter;
}

interface SignInPageDeps extends SessionDeps, AttemptLimitDeps {
  identityProvider: OidcDeps['identityProvider'];
}

export type SignInDeps = SignInPageDeps & PasswordDeps & PasskeyDeps & OidcDeps;

/** How one gets in. */
export function registerSignIn(dashboard: FastifyInstance, deps: SignInDeps): void {
  dashboard.get('/sign-in', async (request, reply) => {
    const { to, done } = request.query as { to?: unknown; done?: unknown };
    const place = safeRedirectPath(typeof to === 'string' ? to : null);
    if (request.member !== null) return reply.redirect(place, 303);
    const notice: Notice | null =
      done === 'signedOut' ? { kind: 'good', text: 'You are signed out of this browser.' } : null;
    return sendSignIn(deps, request, reply, { to: place, notice });
  });
  dashboard.get('/sign-in/options', async (request) => {
    await limitAttempts(deps, request, 'passkey');
    return requestOptions(deps, null);
  });
  const checkToken: preHandlerHookHandler = (request, reply, done) =>
    dashboard.csrfProtection(request, reply, done);
  dashboard.get('/link/:token', openSignInLink(deps));
  dashboard.post('/link/:token', { preHandler: checkToken }, followSignInLink(deps));
  dashboard.post('/sign-in/passkey', { preHandler: checkToken }, signInByPasskey(deps));
  dashboard.post('/sign-in', { preHandler: checkToken }, signInByPassword(deps));
  registerOidc(dashboard, deps, {
    limitAttempts: (request) => limitAttempts(deps, request, 'identityProvider'),
    signIn: (request, reply, who) => signIn(deps, request, reply, { ...who, means: 'identityProvider' }),
  });
}

/** Limits how often one address tries to get in. Refuses: rate_limited. */
async function limitAttempts(
  deps: AttemptLimitDeps,
  request: FastifyRequest,
  means: SignInMeans,
): Promise<void> {
  const subject = `dashboard:${countedAs(callerAddress(request))}`;
  const decision = await deps.limiter.take([{ name: 'failures', subject }]);
  if (decision?.admitted === false) {
    logFailedSignIn(deps, request, means, { failed: 'too many tries', memberId: null });
    throw new Refusal('rate_limited', { retryAfterSeconds: decision.retryAfterSeconds });
  }
}

/** POST /dashboard/sign-in/passkey: whoever holds one of a member's passkeys is that member. */
const signInByPasskey =
  (deps: SignInPageDeps & PasskeyDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
    await limitAttempts(deps, request, 'passkey');
    const to = safeRedirectPath(request.form?.get('to'));
    const signer = await verifyPasskey(deps, null, request.form?.get('credential') ?? '');
    if ('failed' in signer) {
      logFailedSignIn(deps, request, 'passkey', signer);
      return sendSignIn(deps, request, reply, {
        to,
        ...formError(
          'that passkey did not work. Passkeys need JavaScript, and a browser that has them.',
          403,
        ),
      });
    }
    return signIn(deps, request, reply, { ...signer, means: 'passkey', to });
  };

/** POST /dashboard/sign-in: password and second factor. What was wrong is not told, but to operators. */
const signInByPassword =
  (deps: SignInPageDeps & PasswordDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
    await limitAttempts(deps, request, 'password');
    const text = (name: string): string => request.form?.get(name) ?? '';
    const to = safeRedirectPath(text('to'));
    const typed = { password: text('password'), code: text('code') };
    const signer = await verifySignIn(deps, text('login'), typed);
    if ('failed' in signer) {
      logFailedSignIn(deps, request, 'password', signer);
      return sendSignIn(deps, request, reply, { to, ...wrongPassword, login: text('login') });
    }
    return signIn(deps, request, reply, { ...signer, means: 'password', to });
  };

async function signIn(
  deps: SessionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    member,
    means,
    to,
    confirmedAt,
  }: {
    member: Member;
    means: Exclude<NewSession['means'], 'link'>;
    to: string;
    /** When the member showed who they are; now unless given. */
    confirmedAt?: Date;
  },
) {
  const { secret, session } = newSession(deps, request, means);
  await startSession(deps.database, member, { ...session, ...(confirmedAt && { confirmedAt }) });
  await endFormer(deps, request);
  return setSessionCookie(reply, secret).redirect(to, 303);
}

const linkSecret = /^[\w-]{43}$/;

/**
 * GET /dashboard/link/{token}: signs in once. Not for what only looks ahead: a browser that fetches a page
 * before it is asked for would use the link up. Whoever is signed in as somebody else, and whoever comes from
 * another site's page, is asked first, so that no page leads anybody into a stranger's session unasked.
 */
const openSignInLink =
  (deps: SessionDeps & AttemptLimitDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { token } = request.params as { token: string };
    const ahead = `${String(request.headers['sec-purpose'])} ${String(request.headers['purpose'])}`;
    if (ahead.includes('prefetch')) return reply.status(503).send();
    const { member: visitor } = request;
    const site = request.headers['sec-fetch-site'];
    const isLedHere = site === 'cross-site' || site === 'same-site';
    if ((visitor === null && !isLedHere) || !linkSecret.test(token)) {
      return followSignInLink(deps)(request, reply);
    }
    const hashes = deps.keyring.lookupHashes(hashPurposes.signInLink, token);
    const link = await memberOfLink(deps.database, hashes, new Date(deps.now()));
    if (link === null || link.memberId === visitor?.member.id) return followSignInLink(deps)(request, reply);
    const signedIn = visitor && { memberName: visitor.member.name, merchantName: visitor.merchantName };
    const csrf = visitorToken(request, reply);
    const html = followLinkPage({ csrf, token, signedIn, leadsTo: link.merchantName });
    return sendHtml(request, reply, 200, html, dashboardPolicy);
  };

/** POST /dashboard/link/{token}: whoever is signed in follows it all the same. */
const followSignInLink =
  (deps: SessionDeps & AttemptLimitDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { token } = request.params as { token: string };
    await limitAttempts(deps, request, 'link');
    const { secret, session } = newSession(deps, request, 'link');
    const hashes = linkSecret.test(token) ? deps.keyring.lookupHashes(hashPurposes.signInLink, token) : [];
    const member = hashes.length === 0 ? null : await followLink(deps.database, hashes, session);
    if (!member) {
      logFailedSignIn(deps, request, 'link', { failed: 'link unknown, used or over', memberId: null });
      const text =
        'It was used already, or is older than a day. Whoever runs this service makes another one.';
      return sendHtml(
        request,
        reply,
        410,
        messagePage('This link is over', text, request.member ? 'dashboard' : 'signIn'),
        dashboardPolicy,
      );
    }
    await endFormer(deps, request);
    return setSessionCookie(reply, secret).redirect('/dashboard/sandbox', 303);
  };

/** Ends the session this browser had: it is never taken over by the new one. */
async function endFormer(
  deps: { database: Database; now: () => number },
  request: FastifyRequest,
): Promise<void> {
  const { member: former } = request;
  if (former === null) return;
  const { id, merchantId, name } = former.member;
  const actor = { kind: 'member', id, name, address: callerAddress(request) } as const;
  await endSession(deps.database, merchantId, former.id, { actor, at: new Date(deps.now()) });
}
