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
import { moveBackOfTenant } from '../db/payments/archive.ts';
import type { Queryable } from '../db/server/database.ts';
import { readingArchive, type TenantReads } from '../db/server/tenant-reads.ts';
import { bodyLimits } from '../http/body-limits.ts';
import { sendAsset, sendHtml } from '../http/html-reply.ts';
import { isUuid } from '../http/request.ts';
import { readForm } from './parts/form.ts';
import { refusalText } from './parts/form-error.ts';
import { belongsToTenant } from './parts/ownership.ts';
import { safeRedirectPath } from './parts/safe-redirect-path.ts';
import { refererPath } from './parts/referer-path.ts';
import {
  confirmPathOfForm,
  type StoredPagesDeps,
  redirectToAnswer,
  sendStoredAnswer,
} from './stored-pages.ts';
import { texts } from './texts/en.ts';
import type { DashboardRoute, Owned } from './route.ts';
import { type RouteDeps, dashboardRoutes } from './routes.ts';
import { loadSession, visitorToken } from './sign-in/session-cookie.ts';
import { type SignInDeps, registerSignIn, signInPath } from './sign-in/handlers.ts';
import { type Clock, dashboardPolicy, isFresh, type Visit, visitOf } from './visit.ts';

/** Retry-After when a page cannot be shown, in seconds. */
const unavailableRetrySeconds = 5;

export type DashboardDeps = RouteDeps & SignInDeps;

/** Registers the merchants' pages and the sign-in. docs/dashboard.md. */
export function registerDashboard(app: FastifyInstance, deps: DashboardDeps): void {
  for (const asset of Object.values(dashboardAssets)) app.get(asset.path, sendAsset(asset));
  void app.register(
    async (dashboard) => {
      await dashboard.register(fastifyCookie);
      dashboard.decorateRequest('member', null);
      dashboard.decorateRequest('form', null);
      dashboard.decorateRequest('isArchived', false);
      dashboard.decorateRequest('session');
      await dashboard.register(fastifyCsrf, {
        sessionPlugin: '@fastify/session',
        getToken: (request) => request.form?.get('csrf') ?? undefined,
        logLevel: 'debug',
      });
      dashboard.setErrorHandler(showError);
      dashboard.addHook('onRequest', loadSession(deps));
      dashboard.addHook('onRequest', limitWrites(deps));
      dashboard.addHook('onSend', redirectToAnswer(deps));
      dashboard.addHook('preHandler', async (request) => {
        if (request.method === 'POST') request.form = await readForm(request);
      });
      dashboard.get('', (_request, reply) => reply.redirect('/dashboard/sandbox', 303));
      registerSignIn(dashboard, deps);
      for (const route of dashboardRoutes(deps)) addRoute(dashboard, deps, route);
      // Registered as a route, because the app answers paths without a route in JSON.
      dashboard.get('/*', (_request, reply) => sendMessagePage(reply, 404));
    },
    { prefix: '/dashboard' },
  );
}

/** Whether a request may write. Reading the options of a passkey stores a challenge, so it counts too. */
const mayWrite = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'POST' || routeOptions.url?.endsWith('/options') === true;

/** Limits the writes of a signed-in browser. Refuses: rate_limited. */
const limitWrites =
  ({ limiter }: Pick<DashboardDeps, 'limiter'>) =>
  async (request: FastifyRequest): Promise<void> => {
    const { member: session } = request;
    if (session === null || !mayWrite(request)) return;
    const decision = await limiter.take([
      { name: 'session.write', subject: session.id },
      { name: 'member.write', subject: session.member.id },
    ]);
    if (decision?.admitted === false) {
      throw new Refusal('rate_limited', { retryAfterSeconds: decision.retryAfterSeconds });
    }
  };

/** The kinds of objects that are archived together with their payment. */
const archivable: readonly Owned[] = ['payment', 'refund', 'dispute'];

type AdmissionDeps = Clock & StoredPagesDeps & { tenants: TenantReads; database: Queryable };

/**
 * Registers a page or an action. It first checks the session and the owner of the object in the path. Then it
 * reads the form and checks its CSRF token, the role's permission and the age of the sign-in. A form moves an
 * archived payment back only after all of these checks.
 */
function addRoute(dashboard: FastifyInstance, deps: AdmissionDeps, route: DashboardRoute): void {
  const posts = route.method === 'POST';
  const checkToken: preHandlerHookHandler = (request, reply, done) =>
    dashboard.csrfProtection(request, reply, done);
  dashboard.route({
    method: route.method,
    url: `/:environment${route.path}`,
    bodyLimit: bodyLimits[route.takesFile ? 'file' : route.takesLong ? 'evidence' : 'usual'],
    // Runs before the body is read, which a visitor without a session could make large.
    onRequest: async (request, reply) => admit(deps, route, request, reply),
    preHandler: [
      ...(posts ? [checkToken] : []),
      async (request, reply) => authorize(deps, route, request, reply),
    ],
    handler: (request, reply) => {
      const visit = visitOf(deps, request, reply, sessionOf(request), environmentOf(request));
      return request.isArchived ? readingArchive(() => route.handle(visit)) : route.handle(visit);
    },
  });
}

async function admit(
  deps: AdmissionDeps,
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
    return sendMessagePage(reply, 401, texts.common.signedOutTitle, texts.common.signedOutText);
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
  const stored = route.method === 'GET' ? await sendStoredAnswer(deps, request, reply) : null;
  if (stored !== null) return stored;
  if (route.sandboxOnly && environment !== 'sandbox') return sendMessagePage(reply, 404);
  const tenant = { merchantId: session.member.merchantId, environment };
  const { owns, ownsEvent } = route;
  if (owns === undefined && ownsEvent === undefined) return undefined;
  const isOwner = (): Promise<boolean> =>
    deps.tenants.read(
      tenant,
      async (database) =>
        (owns === undefined || (await belongsToTenant(database, tenant, owns, id ?? ''))) &&
        (ownsEvent === undefined || (await belongsToTenant(database, tenant, 'event', eventId ?? ''))),
    );
  if (await isOwner()) return undefined;
  if (owns === undefined || !archivable.includes(owns) || !isUuid(id ?? ''))
    return sendMessagePage(reply, 404);
  request.isArchived = await readingArchive(isOwner);
  return request.isArchived ? undefined : sendMessagePage(reply, 404);
}

async function authorize(
  deps: AdmissionDeps,
  route: DashboardRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const visit = visitOf(deps, request, reply, sessionOf(request), environmentOf(request));
  if (!visit.frame.may(route.permission)) {
    return sendMessagePage(reply, 403, texts.common.forbiddenTitle, texts.common.forbiddenText);
  }
  const mustConfirm = route.fresh === true && !isFresh(deps, visit);
  // The script asks before it sends a form, so that it can ask who the member is in a dialog.
  if (route.method === 'POST' && request.headers['x-ask-first'] === '1') {
    const confirm =
      mustConfirm || (!isFresh(deps, visit) && (await route.mayNeedConfirmation?.(visit)) === true);
    return reply.header('Cache-Control', 'no-store').send({ confirm });
  }
  if (mustConfirm) {
    return reply.redirect(await confirmPath(deps, route, visit), 303);
  }
  // The page of an archived payment is read from the archive. A form can change the payment only in its usual
  // place. It is moved there only after the form is permitted.
  if (request.isArchived && route.method === 'POST') {
    await moveBackOfTenant(deps.database, visit.tenant, visit.params['id'] ?? '');
    request.isArchived = false;
  }
  return undefined;
}

/** Returns the page on which a member confirms their identity; it then continues with the visit. */
async function confirmPath(deps: StoredPagesDeps, route: DashboardRoute, visit: Visit): Promise<string> {
  const { request, frame } = visit;
  if (route.method === 'POST' && !route.isSecret) return confirmPathOfForm(deps, visit);
  const to = route.method === 'GET' ? safeRedirectPath(request.raw.url) : refererPath(request, frame.base);
  return `${frame.base}/confirm?to=${encodeURIComponent(to)}`;
}

function sessionOf(request: FastifyRequest) {
  if (request.member === null) throw new Refusal('unauthorized');
  return request.member;
}

function environmentOf(request: FastifyRequest): Environment {
  const { environment } = request.params as { environment?: string };
  return environment === 'live' ? 'live' : 'sandbox';
}

/** Sends a message page; by default the one for an unknown address. */
export function sendMessagePage(
  reply: FastifyReply,
  status: number,
  title: string = texts.common.notFoundTitle,
  message: string = texts.common.notFoundText,
): FastifyReply {
  return sendHtml(reply.request, reply, status, messagePage(title, message), dashboardPolicy);
}

/** Sends the page for an error, without the error's details. */
function showError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { common } = texts;
  if (error instanceof Refusal) {
    if (error.code === 'not_found') return sendMessagePage(reply, 404);
    const isUnavailable = error.code === 'service_unavailable';
    const retryAfter = error.retryAfterSeconds ?? (isUnavailable ? unavailableRetrySeconds : undefined);
    if (retryAfter !== undefined) void reply.header('Retry-After', String(retryAfter));
    if (isUnavailable) {
      return sendMessagePage(reply, 503, common.unavailableTitle, common.unavailableText);
    }
    return sendMessagePage(reply, refusals[error.code].status, common.rejectedTitle, refusalText(error));
  }
  const { code, statusCode = 500 } = error;
  if (code?.startsWith('FST_CSRF')) {
    return sendMessagePage(reply, 403, common.expiredFormTitle, common.expiredFormText);
  }
  if (statusCode < 500) {
    const message = statusCode === 413 ? common.tooLargeText : common.unreadableText;
    return sendMessagePage(reply, statusCode, common.rejectedTitle, message);
  }
  request.log.warn({ err: error, route: request.routeOptions.url }, 'a page could not be shown');
  void reply.header('Retry-After', String(unavailableRetrySeconds));
  return sendMessagePage(reply, 503, common.unavailableTitle, common.unavailableText);
}
