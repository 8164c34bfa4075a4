import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { sealContext } from '../../crypto/seal-contexts.ts';
import { chooseMerchantPage } from './page.tsx';
import { messagePage } from '../parts/message-page.tsx';
import { findMembersByEmail } from '../../db/members/member-emails.ts';
import { canonicalEmail, type Member } from '../../domain/members.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { ProviderIdentity } from '../../db/members/member-identities.ts';
import type { Queryable } from '../../db/server/database.ts';
import { rawQuery } from '../../http/request.ts';
import { sendHtml } from '../../http/html-reply.ts';
import { logFailedSignIn, type SignInFailure } from './failed-sign-in.ts';
import {
  type Identity,
  type IdentityProvider,
  IdentityRefused,
  type PendingSignIn,
} from './identity-provider.ts';
import { safeRedirectPath } from '../parts/safe-redirect-path.ts';
import { hostCookieRules, visitorToken } from './session-cookie.ts';
import { texts } from '../texts/en.ts';
import { type Clock, dashboardPolicy } from '../visit.ts';

const text = texts.signIn;

/**
 * The encrypted values with which one sign-in is checked. The server stores nothing for a sign-in that has
 * only begun.
 */
const oidcCookie = '__Host-dashboard-oidc';
/** The time that a visitor has at the provider, or for choosing a merchant, in ms. */
const maxAgeMs = 10 * 60_000;
/** Longest return path, because cookies are limited in size. */
const maxPathLength = 500;

/** The content of the cookie between two steps of a sign-in. */
type Step =
  | { kind: 'pending'; pending: PendingSignIn; to: string; at: number }
  /** The identity belongs to several members; the visitor chooses one. */
  | {
      kind: 'chosen';
      memberIds: string[];
      email: string;
      identity: ProviderIdentity;
      confirmedAt: number;
      to: string;
      at: number;
    };

/** Signs in the member of an identity; null when the member is bound to another identity. */
export type SignInNamed = (
  request: FastifyRequest,
  reply: FastifyReply,
  who: { member: Member; identity: ProviderIdentity; confirmedAt: Date; to: string },
) => Promise<FastifyReply | null>;

export interface OidcDeps extends Clock {
  database: Queryable;
  keyring: Keyring;
  /** Null if there is none. */
  identityProvider: IdentityProvider | null;
}

/**
 * Registers the sign-in with an identity provider, if one is configured. docs/dashboard.md, "With an identity
 * provider".
 */
export function registerOidc(
  dashboard: FastifyInstance,
  deps: OidcDeps,
  {
    limitAttempts,
    signIn,
  }: { limitAttempts: (request: FastifyRequest) => Promise<void>; signIn: SignInNamed },
): void {
  const { identityProvider: provider } = deps;
  if (provider === null) return;
  const steps = createSteps(deps);
  const failed = (
    request: FastifyRequest,
    reason: SignInFailure,
    name?: string,
    memberId: string | null = null,
  ): void => logFailedSignIn(deps, request, 'identityProvider', { failed: reason, memberId, name });
  const refuseStep = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    failed(request, 'begun elsewhere, or too long ago');
    return sendRefused(request, reply);
  };
  const enter = async (...[request, reply, who]: Parameters<SignInNamed>): Promise<FastifyReply> => {
    const entered = await signIn(request, reply, who);
    if (entered !== null) return entered;
    failed(request, 'another identity is bound', undefined, who.member.id);
    return sendRefused(request, reply);
  };
  const refuseMember = (request: FastifyRequest, reply: FastifyReply, address: string): FastifyReply => {
    failed(request, 'no member has the address', address);
    return sendUnknownMember(request, reply);
  };
  const checkToken: preHandlerHookHandler = (request, reply, done) =>
    dashboard.csrfProtection(request, reply, done);

  dashboard.get('/sign-in/oidc', async (request, reply) => {
    await limitAttempts(request);
    const { to, again } = request.query as { to?: unknown; again?: unknown };
    try {
      const { url, pending } = await provider.begin(again === '1');
      const path = safeRedirectPath(typeof to === 'string' && to.length <= maxPathLength ? to : null);
      return steps.store(reply, { kind: 'pending', pending, to: path, at: deps.now() }).redirect(url, 303);
    } catch (error) {
      return sendProviderUnavailable(request, reply, error);
    }
  });

  dashboard.get('/sign-in/oidc/callback', async (request, reply) => {
    await limitAttempts(request);
    const step = steps.take(request, reply);
    if (step?.kind !== 'pending') return refuseStep(request, reply);
    let identity: Identity;
    try {
      identity = await provider.finish(step.pending, rawQuery(request));
    } catch (error) {
      if (!(error instanceof IdentityRefused)) return sendProviderUnavailable(request, reply, error);
      request.log.info({ err: error }, 'a sign-in at the identity provider failed');
      failed(request, 'refused by the identity provider');
      return sendRefused(request, reply);
    }
    const email = canonicalEmail(identity.email);
    const members = email === null ? [] : await findMembersByEmail(deps.database, email);
    const to = step.pending.again ? confirmedPath(step.to) : step.to;
    // If the provider names no instant, the sign-in there may be old, so sensitive actions require a
    // confirmation.
    const confirmedAt = Math.min(identity.authenticatedAt?.getTime() ?? 0, deps.now());
    const former = request.member?.member.id;
    const own = members.find(({ id }) => id === former);
    const [only] = own ? [own] : members;
    if (!only || email === null) return refuseMember(request, reply, email ?? '');
    if (own || members.length === 1) {
      return enter(request, reply, { member: only, identity, confirmedAt: new Date(confirmedAt), to });
    }
    steps.store(reply, {
      kind: 'chosen',
      memberIds: members.map(({ id }) => id),
      email,
      identity: { issuer: identity.issuer, subject: identity.subject },
      confirmedAt,
      to,
      at: deps.now(),
    });
    const html = chooseMerchantPage({ csrf: visitorToken(request, reply), members });
    return sendHtml(request, reply, 200, html, dashboardPolicy);
  });

  dashboard.post('/sign-in/oidc/choose', { preHandler: checkToken }, async (request, reply) => {
    await limitAttempts(request);
    const step = steps.take(request, reply);
    const wanted = request.form?.get('member') ?? '';
    if (step?.kind !== 'chosen' || !step.memberIds.includes(wanted)) return refuseStep(request, reply);
    // Read again, because an address may have been removed from a member meanwhile.
    const members = await findMembersByEmail(deps.database, step.email);
    const member = members.find(({ id }) => id === wanted);
    if (!member) return refuseMember(request, reply, step.email);
    const confirmedAt = new Date(step.confirmedAt);
    return enter(request, reply, { member, identity: step.identity, confirmedAt, to: step.to });
  });
}

const confirmedPath = (to: string): string => `${to}${to.includes('?') ? '&' : '?'}done=confirmed`;

/** Stores the values of a sign-in in the browser, encrypted, until its next step deletes them. */
function createSteps({ keyring, now }: Pick<OidcDeps, 'keyring' | 'now'>) {
  const context = sealContext.identitySignIn();
  return {
    store: (reply: FastifyReply, step: Step): FastifyReply =>
      reply.setCookie(oidcCookie, keyring.seal(JSON.stringify(step), context).toString('base64url'), {
        ...hostCookieRules,
        maxAge: maxAgeMs / 1000,
      }),
    take: (request: FastifyRequest, reply: FastifyReply): Step | null => {
      const sealed = request.cookies[oidcCookie];
      void reply.clearCookie(oidcCookie, hostCookieRules);
      if (sealed === undefined || !/^[\w-]{1,4000}$/.test(sealed)) return null;
      try {
        const step = JSON.parse(keyring.open(Buffer.from(sealed, 'base64url'), context)) as Step;
        return now() - step.at < maxAgeMs ? step : null;
      } catch {
        return null;
      }
    },
  };
}

/** The state, nonce, issuer or address is wrong; only the log names which. */
const sendRefused = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendHtml(
    request,
    reply,
    403,
    messagePage(text.rejectedTitle, text.rejectedText, 'signIn'),
    dashboardPolicy,
  );

const sendUnknownMember = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendHtml(request, reply, 403, messagePage(text.unknownTitle, text.unknownText, 'signIn'), dashboardPolicy);

function sendProviderUnavailable(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  request.log.warn({ err: error }, 'the identity provider does not answer');
  void reply.header('Retry-After', '5');
  return sendHtml(
    request,
    reply,
    503,
    messagePage(text.providerUnavailableTitle, text.providerUnavailableText, 'signIn'),
    dashboardPolicy,
  );
}
