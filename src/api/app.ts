import type { ServerOptions } from 'node:http';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  fastify,
} from 'fastify';
import { uuidv7 } from 'uuidv7';
import {
  closeWhenStopping,
  type ServerBounds,
  createBoundedServer,
  hasOneHostHeader,
  answerMalformedRequests,
  refuseMalformed,
  standardHeaders,
} from '../http/server.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Hold } from '../db/server/restore-watch.ts';
import { quotablePath } from '../domain/sent-names.ts';
import { handleError, sendRefusal } from './http/errors.ts';
import { createErrorHandler } from './http/from-archive.ts';
import { bodyLimits } from '../http/body-limits.ts';
import { refuseWhileHeld } from './http/held-writes.ts';
import { type AdmissionDeps, admitCaller } from './http/admission.ts';
import { type RequestLog, recordRequests } from './http/request-log.ts';
import { traceRequests } from './http/trace-requests.ts';
import { type AuditRouteDeps, registerAudit } from './audit/index.ts';
import { type BrandingRouteDeps, registerBranding } from './branding/index.ts';
import { type DashboardDeps, registerDashboard } from '../dashboard/index.ts';
import { registerDocs } from './docs/index.ts';
import { type PageRouteDeps, registerPages } from './pages/index.ts';
import { type DisputeRouteDeps, registerDisputes } from './disputes/index.ts';
import { registerMovements } from './movements/index.ts';
import { type PairingRouteDeps, registerPairings } from './pairings/index.ts';
import { type EventRouteDeps, registerEvents } from './events/index.ts';
import { httpRequestSeconds, rateLimitedTotal } from '../metrics/series.ts';
import { tracing } from '../tracing/spans.ts';
import { type PaymentLinkRouteDeps, registerPaymentLinks } from './payment-links/index.ts';
import { type PaymentRouteDeps, registerPayments } from './payments/index.ts';
import { type RefundRouteDeps, registerRefunds } from './refunds/index.ts';
import { registerRequests } from './requests/index.ts';
import { type SearchDeps, registerSearch } from './search/index.ts';
import { type SandboxRouteDeps, registerSandbox } from './sandbox/index.ts';
import { type WebhookEndpointRouteDeps, registerWebhookEndpoints } from './webhook-endpoints/index.ts';

/**
 * The maximum number of combinations of route, method and status with series of their own, besides those of a
 * pay; further ones are counted as `other`. Each is eight series. docs/operations.md, "Metrics".
 */
const maxCounted = 120;
const payRoutes = ['/v1/payments/:id/pay', '/c/:token/pay'];

const httpOptions: ServerOptions = {
  requestTimeout: 10_000,
  headersTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 32 * 1024,
  // Node would answer a missing Host header with an empty body. `hasOneHostHeader` checks each request.
  requireHostHeader: false,
};

/**
 * The limits on what callers may hold open. `maxConnections` is set per process. docs/security.md, "Floods".
 */
export const publicBounds: Omit<ServerBounds, 'maxConnections'> = {
  maxUnanswered: 16,
  idleTimeoutMs: 45_000,
  writeTimeoutMs: 15_000,
  // Longer than callers and proxies keep idle connections (60 s), so that none of them sends a request on a
  // connection that this server is closing.
  keepAliveTimeoutMs: 65_000,
};

/** The dependencies of the routes and of the application. Built by `composeApi` or by a test. */
export type AppDeps = PaymentRouteDeps &
  PaymentLinkRouteDeps &
  SearchDeps &
  RefundRouteDeps &
  DisputeRouteDeps &
  SandboxRouteDeps &
  WebhookEndpointRouteDeps &
  EventRouteDeps &
  PairingRouteDeps &
  BrandingRouteDeps &
  AuditRouteDeps &
  PageRouteDeps &
  DashboardDeps &
  AdmissionDeps & {
    logger: FastifyBaseLogger;
    requestLog: RequestLog;
    /** Addresses and networks of the proxies whose X-Forwarded-For header is trusted. */
    trustedProxies: readonly string[];
    /** The maximum number of open connections. */
    maxConnections: number;
    /** Resolves once PostgreSQL's clock is known; throws while PostgreSQL does not answer. */
    untilClockIsSet: () => Promise<void>;
    /** Whether the process will stop listening soon. */
    drain: { begun: boolean };
    /** Whether writes that make or move money are refused after a restore. */
    hold: Hold;
  };

/**
 * Returns the HTTP application (not listening): merchant API under `/v1`, customer pages, provider callbacks.
 * Bodies arrive as raw bytes, whatever their content type, and are parsed by the routes.
 */
export function buildApp(deps: AppDeps): FastifyInstance {
  const bounds = { ...publicBounds, maxConnections: deps.maxConnections };
  const app = fastify({
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true }),
    // Request ids sort by time: the request log is ordered by them.
    genReqId: () => uuidv7(),
    requestIdHeader: false,
    // False rather than an empty list, because only false makes Fastify ignore the X-Forwarded-For header.
    trustProxy: deps.trustedProxies.length > 0 && [...deps.trustedProxies],
    bodyLimit: bodyLimits.usual,
    serverFactory: (handler) => createBoundedServer(bounds, httpOptions, handler),
    forceCloseConnections: 'idle',
    // Requests that arrive while the app closes are answered normally: Fastify's own 503 has an undocumented
    // body.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 2_048, ignoreTrailingSlash: false, caseSensitive: true },
    exposeHeadRoutes: false,
    frameworkErrors: (_error, request, reply) => {
      // No hook runs for a path that cannot be decoded, so this handler sets the headers itself.
      void reply.headers(standardHeaders(request.id, deps.production));
      void refuseAfterAdmission(deps, request, reply, new Refusal('invalid_request'));
    },
    clientErrorHandler: (_error, socket) => refuseMalformed(socket, deps.production),
  });
  answerMalformedRequests(app.server, deps.production);
  closeWhenStopping(app, deps.drain);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.decorateRequest('principal', null);
  app.setErrorHandler(createErrorHandler(deps));
  if (tracing.spans) traceRequests(app, tracing.spans, (request) => resourceOf(request).paymentId);
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(standardHeaders(request.id, deps.production));
    if (!hasOneHostHeader(request.raw)) throw new Refusal('invalid_request');
    // Runs before Fastify checks the method, the content type and the length of the body.
    if (request.is404) return refuseAfterAdmission(deps, request, reply, unrecognized(request));
    // Deadlines of a payment that is created before that would go by this host's clock, which may be wrong.
    await deps.untilClockIsSet().catch((error: unknown) => {
      throw new Refusal('service_unavailable', { cause: error });
    });
  });
  const labelsOf = createRequestLabels(maxCounted);
  app.addHook('onResponse', async (request, reply) => {
    const { url: route = 'none' } = request.routeOptions;
    const labels = labelsOf(request.method, route, reply.statusCode);
    httpRequestSeconds.observe(labels, reply.elapsedTime / 1000);
    if (reply.statusCode === 429) rateLimitedTotal.inc();
    // Logs the route's template, never the URL: checkout and action URLs are secrets.
    request.log.info(
      {
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        merchantId: request.principal?.merchantId,
        ...resourceOf(request),
      },
      'request',
    );
  });
  // Runs after admission, so that a caller without a key learns nothing.
  app.addHook('preHandler', async (request) => {
    if (deps.hold.begun) refuseWhileHeld(request);
  });
  recordRequests(app, deps.requestLog, deps.now);
  app.setNotFoundHandler((request, reply) =>
    refuseAfterAdmission(deps, request, reply, unrecognized(request)),
  );

  void app.register(async (v1) => {
    v1.addHook('onRequest', (request, reply) => admitCaller(deps, request, reply));
    registerPayments(v1, deps);
    registerPaymentLinks(v1, deps);
    registerSearch(v1, deps);
    registerRefunds(v1, deps);
    registerDisputes(v1, deps);
    registerMovements(v1, deps);
    registerSandbox(v1, deps);
    registerWebhookEndpoints(v1, deps);
    registerEvents(v1, deps);
    registerRequests(v1, deps);
    registerBranding(v1, deps);
    registerAudit(v1, deps);
  });
  registerPages(app, deps);
  registerPairings(app, deps);
  registerDashboard(app, deps);
  registerDocs(app, deps);
  return app;
}

/** The labels of a request in metrics. */
interface RequestLabels {
  route: string;
  method: string;
  status: string;
}

/**
 * Returns a function that gives the labels of a request. Only the first `max` combinations of route, method
 * and status have series of their own, and those of a pay always do.
 */
export function createRequestLabels(
  max: number,
): (method: string, route: string, status: number) => RequestLabels {
  const counted = new Set<string>();
  return (method, route, code) => {
    const status = String(code);
    // A request without a route may have any method that Node accepts, so all of these share one label.
    if (route === 'none') return { route, method: 'any', status };
    const place = `${method} ${route} ${status}`;
    if (!payRoutes.includes(route) && !counted.has(place)) {
      if (counted.size >= max) return { route: 'other', method: 'any', status };
      counted.add(place);
    }
    return { route, method, status };
  };
}

/**
 * Returns the ids in the path, if the route has them. They are ids of this service, never secrets of the
 * customer's pages.
 */
function resourceOf(request: FastifyRequest): { paymentId?: string; resourceId?: string } {
  const { url = '' } = request.routeOptions;
  const { id } = (request.params ?? {}) as { id?: string };
  if (id === undefined || !/^(evt_[A-Za-z0-9]{1,40}|[0-9a-f-]{36})$/i.test(id)) return {};
  return /^\/v1\/(sandbox\/)?payments\/:id/.test(url) ? { paymentId: id } : { resourceId: id };
}

const isMerchantApi = (request: FastifyRequest): boolean => /^\/v1(\/|\?|$)/.test(request.raw.url ?? '');

/** Returns the refusal of an unknown route. It names only paths under /v1, because others may be secrets. */
function unrecognized(request: FastifyRequest): Refusal {
  if (!isMerchantApi(request)) return new Refusal('not_found');
  const message = `Unrecognized request: ${request.method} ${quotablePath(request.raw.url ?? '')}`;
  return new Refusal('not_found', { message });
}

/** Refuses an unknown route or an unreadable path; under /v1 it authenticates the caller first (AMB-44). */
async function refuseAfterAdmission(
  deps: AdmissionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
): Promise<FastifyReply> {
  try {
    if (isMerchantApi(request)) await admitCaller(deps, request, reply);
    return sendRefusal(reply, refusal);
  } catch (error) {
    return handleError(error as Error, request, reply);
  }
}
