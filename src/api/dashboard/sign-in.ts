import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { signInPage } from '../../dashboard/pages/sign-in.tsx';
import { messagePage } from '../../dashboard/pages/message.tsx';
import type { Notice } from '../../dashboard/view.ts';
import { endSession } from '../../db/member-sessions.ts';
import { followLink } from '../../db/sign-in-links.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { sendHtml } from '../pages/page-reply.ts';
import { newSession, setSessionCookie, visitorToken } from './session-cookie.ts';
import { dashboardPolicy } from './visit.ts';

/** Returns the address of the sign-in page that leads back to `url` afterwards. */
export const signInPath = (url: string): string =>
  url === '/dashboard/sandbox' ? '/dashboard/sign-in' : `/dashboard/sign-in?to=${encodeURIComponent(url)}`;

/** Returns a place of the dashboard to lead to; its start for anything else. */
export const safePlace = (to: string | null | undefined): string =>
  /^\/dashboard\/(sandbox|live)(\/[\w./-]*)?(\?[\w=&%.+-]*)?$/.test(to ?? '') && !to?.includes('//')
    ? (to ?? '')
    : '/dashboard/sandbox';

/** Sends the page of whoever is not signed in. */
export function sendSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  page: { to: string; notice: Notice | null; status?: number },
): FastifyReply {
  const html = signInPage({ csrf: visitorToken(request, reply), to: page.to, notice: page.notice });
  return sendHtml(request, reply, page.status ?? 200, html, dashboardPolicy);
}

/** How one gets in. */
export function registerSignIn(dashboard: FastifyInstance, deps: ApiDeps): void {
  dashboard.get('/sign-in', async (request, reply) => {
    const { to, done } = request.query as { to?: unknown; done?: unknown };
    const place = safePlace(typeof to === 'string' ? to : null);
    if (request.member !== null) return reply.redirect(place, 303);
    const notice: Notice | null =
      done === 'signedOut' ? { kind: 'good', text: 'You are signed out of this browser.' } : null;
    return sendSignIn(request, reply, { to: place, notice });
  });
  dashboard.get('/link/:token', followSignInLink(deps));
}

/**
 * GET /dashboard/link/{token}: signs in once. Not for what only looks ahead: a browser that fetches a page
 * before it is asked for would use the link up.
 */
const followSignInLink = (deps: ApiDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const { token } = request.params as { token: string };
  const ahead = `${String(request.headers['sec-purpose'])} ${String(request.headers['purpose'])}`;
  if (ahead.includes('prefetch')) return reply.status(503).send();
  const decision = await deps.limiter.take([{ name: 'failures', subject: `link:${request.ip}` }]);
  if (decision?.admitted === false) {
    throw new Refusal('rate_limited', { retryAfterSeconds: decision.retryAfterSeconds });
  }
  const { secret, session } = newSession(deps, request, 'link');
  const hashes = /^[\w-]{43}$/.test(token) ? deps.keyring.lookupHashes(hashPurposes.signInLink, token) : [];
  const member = hashes.length === 0 ? null : await followLink(deps.database, hashes, session);
  if (!member) {
    const text = 'It was used already, or is older than a day. Whoever runs this service makes another one.';
    return sendHtml(request, reply, 410, messagePage('This link is over', text), dashboardPolicy);
  }
  await endFormer(deps, request);
  return setSessionCookie(reply, secret).redirect('/dashboard/sandbox', 303);
};

/** Ends the session this browser had: it is never taken over by the new one. */
export async function endFormer(deps: ApiDeps, request: FastifyRequest): Promise<void> {
  const { member: former } = request;
  if (former === null) return;
  const { id, merchantId, name } = former.member;
  const actor = { kind: 'member', id, name, address: request.ip } as const;
  await endSession(deps.database, merchantId, former.id, { actor, at: new Date(deps.now()) });
}
