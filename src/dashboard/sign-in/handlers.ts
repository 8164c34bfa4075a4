import { isIP } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { followLinkPage, signInPage } from './page.tsx';
import { messagePage } from '../parts/message-page.tsx';
import type { Notice } from '../parts/view.ts';
import { endSession } from '../../db/members/member-sessions.ts';
import {
  type ProviderIdentity,
  startIdentitySession,
  startOwnSession,
} from '../../db/members/member-identities.ts';
import { findPassword } from '../../db/members/member-passwords.ts';
import { listPasskeys } from '../../db/members/passkeys.ts';
import { redeemLink, memberOfLink } from '../../db/members/sign-in-links.ts';
import type { Member } from '../../domain/members.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { RateLimiter } from '../../operations/rate-limits.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Database } from '../../db/server/database.ts';
import { callerAddress, clientKey } from '../../http/request.ts';
import { sendHtml } from '../../http/html-reply.ts';
import { logFailedSignIn, type SignInMeans } from './failed-sign-in.ts';
import { isMailUsed } from '../../db/mail/mail-settings.ts';
import { knownDevice, laneOf, rememberDevice } from './known-device.ts';
import { type MailedLinkDeps, mailSignInLinks } from './mailed-link.ts';
import { type OidcDeps, registerOidc } from './oidc-sign-in.ts';
import { type PasskeyDeps, requestOptions, verifyPasskey } from './passkeys.ts';
import { type PasswordDeps, verifySignIn } from './passwords.ts';
import { firstPasskeyPath } from './own-sign-in-page.tsx';
import { safeRedirectPath } from '../parts/safe-redirect-path.ts';
import { type SessionDeps, newSession, setSessionCookie, visitorToken } from './session-cookie.ts';
import { refuseSignIn, takeRefusal, refusedSignInText } from './refused-sign-in-text.ts';
import { texts } from '../texts/en.ts';
import { dashboardPolicy } from '../visit.ts';

const text = texts.signIn;

/** Returns the address of the sign-in page. It leads back to `url` if that is a page of the dashboard. */
export const signInPath = (url: string): string => {
  const to = safeRedirectPath(url);
  return to === '/dashboard/sandbox'
    ? '/dashboard/sign-in'
    : `/dashboard/sign-in?to=${encodeURIComponent(to)}`;
};

/** Sends the sign-in page. */
function sendSignIn(
  { identityProvider }: { identityProvider: { name: string } | null },
  request: FastifyRequest,
  reply: FastifyReply,
  page: { to: string; notice: Notice | null; status?: number; login?: string; mails: boolean },
): FastifyReply {
  const { to, notice, login = null, mails } = page;
  const provider = identityProvider?.name ?? null;
  const html = signInPage({ csrf: visitorToken(request, reply), to, notice, login, provider, mails });
  return sendHtml(request, reply, page.status ?? 200, html, dashboardPolicy);
}

interface AttemptLimitDeps {
  keyring: Keyring;
  limiter: RateLimiter;
}

interface SignInPageDeps extends SessionDeps, AttemptLimitDeps {
  identityProvider: OidcDeps['identityProvider'];
}

export type SignInDeps = SignInPageDeps & MailedLinkDeps & PasswordDeps & PasskeyDeps & OidcDeps;

/** Registers the sign-in methods. */
export function registerSignIn(dashboard: FastifyInstance, deps: SignInDeps): void {
  dashboard.get('/sign-in', async (request, reply) => {
    const { to, done } = request.query as { to?: unknown; done?: unknown };
    const path = safeRedirectPath(typeof to === 'string' ? to : null);
    if (request.member !== null) return reply.redirect(path, 303);
    const mails = await isMailUsed(deps.database);
    const refused = takeRefusal(deps, request, reply);
    if (refused !== null) {
      const why = refusedSignInText(deps, refused);
      return sendSignIn(deps, request, reply, {
        to: path,
        mails,
        ...why,
        ...(refused.login === null ? {} : { login: refused.login }),
      });
    }
    const notice: Notice | null = done === 'signedOut' ? { kind: 'good', text: text.signedOut } : null;
    const sent: Notice | null = done === 'linkSent' ? { kind: 'good', text: text.linkSent } : null;
    return sendSignIn(deps, request, reply, { to: path, mails, notice: notice ?? sent });
  });
  dashboard.get('/sign-in/options', async (request) => {
    await limitAttempts(deps, request, 'passkey');
    return requestOptions(deps, null);
  });
  const checkToken: preHandlerHookHandler = (request, reply, done) =>
    dashboard.csrfProtection(request, reply, done);
  dashboard.get('/link/:token', openSignInLink(deps));
  dashboard.post('/link/:token', { preHandler: checkToken }, followSignInLink(deps));
  dashboard.post('/sign-in/link', { preHandler: checkToken }, async (request, reply) => {
    await limitAttempts(deps, request, 'link');
    mailSignInLinks(deps, request, request.form?.get('email') ?? '');
    return reply.redirect('/dashboard/sign-in?done=linkSent', 303);
  });
  dashboard.post('/sign-in/passkey', { preHandler: checkToken }, signInByPasskey(deps));
  dashboard.post('/sign-in', { preHandler: checkToken }, signInByPassword(deps));
  registerOidc(dashboard, deps, {
    limitAttempts: (request) => limitAttempts(deps, request, 'identityProvider'),
    signIn: (request, reply, who) => signInByIdentity(deps, request, reply, who),
  });
}

/** Limits the sign-in attempts of an IP address. Refuses: rate_limited. */
async function limitAttempts(
  deps: AttemptLimitDeps,
  request: FastifyRequest,
  means: SignInMeans,
): Promise<void> {
  const subject = `dashboard:${clientKey(callerAddress(request))}`;
  const decision = await deps.limiter.take([{ name: 'failures', subject }]);
  if (decision?.admitted === false) {
    logFailedSignIn(deps, request, means, { failed: 'too many tries', memberId: null });
    throw new Refusal('rate_limited', { retryAfterSeconds: decision.retryAfterSeconds });
  }
}

/** POST /dashboard/sign-in/passkey: signs in the member whose passkey signed the challenge. */
const signInByPasskey =
  (deps: SignInPageDeps & PasskeyDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
    await limitAttempts(deps, request, 'passkey');
    const to = safeRedirectPath(request.form?.get('to'));
    const signer = await verifyPasskey(deps, null, request.form?.get('credential') ?? '');
    if ('failed' in signer) {
      logFailedSignIn(deps, request, 'passkey', signer);
      return refuseSignIn(deps, reply, { to, means: 'passkey', login: null });
    }
    return signInAlone(deps, request, reply, { ...signer, means: 'passkey', to });
  };

/** POST /dashboard/sign-in: checks the password and second factor. Only the log shows which was wrong. */
const signInByPassword =
  (deps: SignInPageDeps & PasswordDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
    await limitAttempts(deps, request, 'password');
    const field = (name: string): string => request.form?.get(name) ?? '';
    const to = safeRedirectPath(field('to'));
    const typed = { password: field('password'), code: field('code') };
    const device = knownDevice(deps, request);
    const signer = await verifySignIn(deps, field('login'), typed, {
      laneOf: (memberId) => laneOf(device, request, memberId),
      isKnownBrowser: device !== null,
      address: callerAddress(request),
    });
    if ('failed' in signer) {
      logFailedSignIn(deps, request, 'password', signer);
      return refuseSignIn(deps, reply, { to, means: 'password', login: field('login').slice(0, 255) });
    }
    return signInAlone(deps, request, reply, { ...signer, means: 'password', to });
  };

/** Signs a member in with a passkey or password, unless the merchant requires the identity provider. */
async function signInAlone(
  deps: SessionDeps & { keyring: Keyring },
  request: FastifyRequest,
  reply: FastifyReply,
  { member, means, to }: { member: Member; means: 'passkey' | 'password'; to: string },
): Promise<FastifyReply> {
  const { secret, session } = newSession(deps, request, means);
  if (!(await startOwnSession(deps.database, member, session))) {
    const failed = 'the identity provider is required';
    logFailedSignIn(deps, request, means, { failed, memberId: member.id });
    return refuseSignIn(deps, reply, { to, means: 'providerOnly', login: null });
  }
  return enter(deps, request, reply, { member, secret, to });
}

/** Signs a member in with the provider's identity; null when the member is bound to another one. */
async function signInByIdentity(
  deps: SessionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    member,
    identity,
    confirmedAt,
    to,
  }: { member: Member; identity: ProviderIdentity; confirmedAt: Date; to: string },
): Promise<FastifyReply | null> {
  const { secret, session } = newSession(deps, request, 'identityProvider');
  const entered = await startIdentitySession(deps.database, member, identity, { ...session, confirmedAt });
  return entered ? enter(deps, request, reply, { member, secret, to }) : null;
}

async function enter(
  deps: SessionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { member, secret, to }: { member: Member; secret: string; to: string },
): Promise<FastifyReply> {
  await endPreviousSession(deps, request);
  rememberDevice(deps, reply, member.id);
  return setSessionCookie(reply, secret).redirect(to, 303);
}

/**
 * Returns the possible hashes of a link's token: of a link that was passed on, and of one that was mailed.
 */
const linkHashes = ({ keyring }: { keyring: Keyring }, token: string) => ({
  tokenHashes: keyring.lookupHashes(hashPurposes.signInLink, token),
  mailedHashes: keyring.lookupHashes(hashPurposes.mailedLink, token),
});

const linkSecret = /^[\w-]{43}$/;

/**
 * GET /dashboard/link/{token}: signs in once. Refuses prefetches, because they would use up the link. A
 * visitor who is signed in as another member, or who comes from another website, has to confirm first, so
 * that no website can sign its visitors in to an attacker's account.
 */
const openSignInLink = (deps: LinkDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const { token } = request.params as { token: string };
  const ahead = `${String(request.headers['sec-purpose'])} ${String(request.headers['purpose'])}`;
  if (ahead.includes('prefetch')) return reply.status(503).send();
  const { member: visitor } = request;
  const site = request.headers['sec-fetch-site'];
  const isFromOtherSite = site === 'cross-site' || site === 'same-site';
  if ((visitor === null && !isFromOtherSite) || !linkSecret.test(token)) {
    return followSignInLink(deps)(request, reply);
  }
  const { tokenHashes, mailedHashes } = linkHashes(deps, token);
  const all = [...tokenHashes, ...mailedHashes];
  const link = await memberOfLink(deps.database, all, new Date(deps.now()));
  if (link === null || link.memberId === visitor?.member.id) return followSignInLink(deps)(request, reply);
  const signedIn = visitor && { memberName: visitor.member.name, merchantName: visitor.merchantName };
  const csrf = visitorToken(request, reply);
  const html = followLinkPage({ csrf, token, signedIn, leadsTo: link.merchantName });
  return sendHtml(request, reply, 200, html, dashboardPolicy);
};

/** POST /dashboard/link/{token}: follows the link after its confirmation. */
const followSignInLink = (deps: LinkDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const { token } = request.params as { token: string };
  await limitAttempts(deps, request, 'link');
  const { secret, session } = newSession(deps, request, 'link');
  const isLink = linkSecret.test(token);
  const member = isLink ? await redeemLink(deps.database, linkHashes(deps, token), session) : null;
  if (!member) {
    logFailedSignIn(deps, request, 'link', { failed: 'link unknown, used or over', memberId: null });
    return sendHtml(
      request,
      reply,
      410,
      messagePage(text.linkExpiredTitle, text.linkExpiredText, request.member ? 'dashboard' : 'signIn'),
      dashboardPolicy,
    );
  }
  if (member === 'teamFull') {
    logFailedSignIn(deps, request, 'link', { failed: 'the team is full', memberId: null });
    const html = messagePage(text.teamFullTitle, text.teamFullText, request.member ? 'dashboard' : 'signIn');
    return sendHtml(request, reply, 409, html, dashboardPolicy);
  }
  if (member === 'providerOnly') {
    logFailedSignIn(deps, request, 'link', {
      failed: 'the identity provider is required',
      memberId: null,
    });
    return refuseSignIn(deps, reply, { to: '/dashboard/sandbox', means: 'providerOnly', login: null });
  }
  const isNudged = await lacksFactor(deps, member);
  const to = isNudged ? `/dashboard/sandbox${firstPasskeyPath}` : '/dashboard/sandbox';
  return enter(deps, request, reply, { member, secret, to });
};

/** Whether the member has neither passkey nor password, and can add a passkey at this host. */
async function lacksFactor(
  { database, identityProvider, dashboardUrl }: LinkDeps,
  { id }: Member,
): Promise<boolean> {
  // Passkeys belong to a host name. Members with an identity provider sign in there.
  if (identityProvider !== null || isIP(new URL(dashboardUrl).hostname.replaceAll(/[[\]]/g, '')) !== 0)
    return false;
  const [passkeys, password] = await Promise.all([listPasskeys(database, id), findPassword(database, id)]);
  return passkeys.length === 0 && password === null;
}

type LinkDeps = SessionDeps &
  AttemptLimitDeps &
  Pick<SignInPageDeps, 'identityProvider'> &
  Pick<PasskeyDeps, 'dashboardUrl'>;

/** Ends the browser's previous session. */
async function endPreviousSession(
  deps: { database: Database; now: () => number },
  request: FastifyRequest,
): Promise<void> {
  const { member: former } = request;
  if (former === null) return;
  const { id, merchantId, name } = former.member;
  const actor = { kind: 'member', id, name, address: callerAddress(request) } as const;
  await endSession(deps.database, merchantId, former.id, { actor, at: new Date(deps.now()) });
}
