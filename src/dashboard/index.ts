import fastifyCookie from '@fastify/cookie';
import fastifyCsrf from '@fastify/csrf-protection';
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  preHandlerHookHandler,
} from 'fastify';
import { dashboardAssets } from './parts/assets.ts';
import { disabledPage, messagePage } from './parts/message-page.tsx';
import { sections } from './parts/view.ts';
import { Refusal, refusals } from '../domain/refusals.ts';
import { type Environment, environments } from '../domain/statuses.ts';
import type { TenantReads } from '../db/server/tenant-reads.ts';
import { bodyLimits } from '../http/body-limits.ts';
import { sendAsset, sendHtml } from '../http/html-reply.ts';
import { readForm } from './parts/form.ts';
import { isOwn } from './parts/ownership.ts';
import type { DashboardRoute } from './route.ts';
import { type RouteDeps, dashboardRoutes } from './routes.ts';
import { loadSession, visitorToken } from './sign-in/session-cookie.ts';
import { type SignInDeps, registerSignIn, signInPath } from './sign-in/handlers.ts';
import { type Clock, dashboardPolicy, isFresh, visitOf } from './visit.ts';

export type DashboardDeps = RouteDeps & SignInDeps;

/** The merchant's own pages, for whoever is signed in. docs/dashboard.md. */
export function registerDashboard(app: FastifyInstance, deps: DashboardDeps): void {
  for (const asset of Object.values(dashboardAssets)) app.get(asset.path, sendAsset(asset));
  void app.register(
    async (dashboard) => {
      await dashboard.register(fastifyCookie);
      dashboard.decorateRequest('member', null);
      dashboard.decorateRequest('form', null);
      dashboard.decorateRequest('session');
      await dashboard.register(fastifyCsrf, {
        sessionPlugin: '@fastify/session',
        getToken: (request) => request.form?.get('csrf') ?? undefined,
        logLevel: 'debug',
      });
      dashboard.setErrorHandler(showError);
      dashboard.addHook('onRequest', loadSession(deps));
      dashboard.addHook('preHandler', async (request) => {
        if (request.method === 'POST') request.form = await readForm(request);
      });
      dashboard.get('', (_request, reply) => reply.redirect('/dashboard/sandbox', 303));
      registerSignIn(dashboard, deps);
      for (const route of dashboardRoutes(deps)) addRoute(dashboard, deps, route);
      // A route like any other: what matches none is answered in JSON.
      dashboard.get('/*', (_request, reply) => sendMessagePage(reply, 404));
    },
    { prefix: '/dashboard' },
  );
}

/**
 * One page or action: who is signed in, whose the thing is that the path names, and only then is a form read;
 * whether it is ours, what the role may do, how fresh the sign-in is; in this order, and only then what it is
 * about.
 */
function addRoute(
  dashboard: FastifyInstance,
  deps: Clock & { tenants: TenantReads },
  route: DashboardRoute,
): void {
  const posts = route.method === 'POST';
  const checkToken: preHandlerHookHandler = (request, reply, done) =>
    dashboard.csrfProtection(request, reply, done);
  dashboard.route({
    method: route.method,
    url: `/:environment${route.path}`,
    bodyLimit: route.takesLong ? bodyLimits.evidence : bodyLimits.usual,
    // Before the body, which a stranger could make long.
    onRequest: async (request, reply) => admit(deps, route, request, reply),
    preHandler: [
      ...(posts ? [checkToken] : []),
      async (request, reply) => authorize(deps, route, request, reply),
    ],
    handler: (request, reply) =>
      route.handle(visitOf(deps, request, reply, sessionOf(request), environmentOf(request))),
  });
}

async function admit(
  { tenants }: { tenants: TenantReads },
  route: DashboardRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const { environment: place = '', id, eventId } = request.params as Record<string, string | undefined>;
  const environment = environments.find((name) => name === place);
  if (environment === undefined) {
    // An address without the environment opens in sandbox.
    const isSection = route.path === '' && sections.some((name) => name === place);
    return isSection ? reply.redirect(`/dashboard/sandbox/${place}`, 303) : sendMessagePage(reply, 404);
  }
  const session = request.member;
  if (session === null) {
    if (route.method === 'GET') return reply.redirect(signInPath(request.raw.url ?? ''), 303);
    return sendMessagePage(reply, 401, 'You are signed out', 'Nothing was changed. Sign in and try again.');
  }
  if (!session.merchantActive && route.permission !== 'own') {
    const { member, merchantName } = session;
    const html = disabledPage({
      csrf: visitorToken(request, reply),
      base: `/dashboard/${environment}`,
      memberName: member.name,
      merchantName,
    });
    return sendHtml(request, reply, 403, html, dashboardPolicy);
  }
  if (route.sandboxOnly && environment !== 'sandbox') return sendMessagePage(reply, 404);
  const tenant = { merchantId: session.member.merchantId, environment };
  const { owns, ownsEvent } = route;
  if (owns === undefined && ownsEvent === undefined) return undefined;
  const owned = await tenants.read(
    tenant,
    async (database) =>
      (owns === undefined || (await isOwn(database, tenant, owns, id ?? ''))) &&
      (ownsEvent === undefined || (await isOwn(database, tenant, 'event', eventId ?? ''))),
  );
  return owned ? undefined : sendMessagePage(reply, 404);
}

async function authorize(
  deps: Clock,
  route: DashboardRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const visit = visitOf(deps, request, reply, sessionOf(request), environmentOf(request));
  if (!visit.frame.may(route.permission)) {
    return sendMessagePage(reply, 403, 'Not yours to do', 'Your role does not allow this. Ask an owner.');
  }
  if (route.fresh && !isFresh(deps, visit)) {
    const back = route.method === 'GET' ? (request.raw.url ?? '') : refererPath(request, visit.frame.base);
    return reply.redirect(`${visit.frame.base}/confirm?to=${encodeURIComponent(back)}`, 303);
  }
  return undefined;
}

/** Where a form was, as far as the browser says; the start of the dashboard otherwise. */
function refererPath(request: FastifyRequest, base: string): string {
  const { referer } = request.headers;
  if (referer === undefined || !URL.canParse(referer)) return base;
  const { pathname, searchParams } = new URL(referer);
  if (!pathname.startsWith(`${base}/`)) return base;
  // Back to what was asked there, not to what had been said there.
  searchParams.delete('done');
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams.toString()}`;
}

function sessionOf(request: FastifyRequest) {
  if (request.member === null) throw new Refusal('unauthorized');
  return request.member;
}

function environmentOf(request: FastifyRequest): Environment {
  const { environment } = request.params as { environment?: string };
  return environment === 'live' ? 'live' : 'sandbox';
}

/** Sends a page that says one thing. */
export function sendMessagePage(
  reply: FastifyReply,
  status: number,
  title = 'There is nothing here',
  text = 'The address leads nowhere, or to something that is not yours.',
): FastifyReply {
  return sendHtml(reply.request, reply, status, messagePage(title, text), dashboardPolicy);
}

/** A clear page for whatever goes wrong; it never tells more than that. */
function showError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof Refusal) {
    return sendMessagePage(reply, refusals[error.code].status, 'That did not work', error.message);
  }
  const { code, statusCode = 500 } = error;
  if (code?.startsWith('FST_CSRF')) {
    return sendMessagePage(
      reply,
      403,
      'The form could not be taken',
      'It is too old, or does not come from this page. Nothing was changed: go back, reload and try again.',
    );
  }
  if (statusCode < 500) {
    return sendMessagePage(reply, statusCode, 'That did not work', 'The request could not be read.');
  }
  request.log.warn({ err: error, route: request.routeOptions.url }, 'a page could not be shown');
  void reply.header('Retry-After', '5');
  return sendMessagePage(
    reply,
    503,
    'Something is away',
    'The dashboard cannot reach what it needs. Try again in a moment; payments go on by themselves.',
  );
}
