import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTraceparent } from '../../temporal/contract/cause-header.ts';
import type { Span, Spans } from '../../tracing/spans.ts';

/**
 * Opens a span for each request, to which the work done for it belongs. The span is named by method and route
 * template, never by the URL, which can be a secret. A caller's `traceparent` is continued. `paymentOf`
 * returns the payment that the path names.
 */
export function traceRequests(
  app: FastifyInstance,
  spans: Spans,
  paymentOf: (request: FastifyRequest) => string | undefined,
): void {
  const open = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, _reply, done) => {
    const { url: route = 'none' } = request.routeOptions;
    const { traceparent } = request.headers;
    const paymentId = paymentOf(request);
    const cause = {
      requestId: request.id,
      ...(paymentId === undefined ? {} : { paymentId }),
      ...(isTraceparent(traceparent) ? { traceparent } : {}),
    };
    const method = route === 'none' ? 'any' : request.method;
    const attributes = { 'http.request.method': method, 'http.route': route };
    const span = spans.begin(`${method} ${route}`, cause, { kind: 'server', attributes });
    open.set(request, span);
    spans.within(span, done);
  });
  // A body arrives through events of the connection, which belong to no request, so the span is entered again
  // here.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = open.get(request);
    if (span) spans.within(span, done);
    else done();
  });
  app.addHook('onResponse', async (request, reply) => {
    const span = open.get(request);
    span?.set({ 'http.response.status_code': reply.statusCode });
    span?.end(reply.statusCode >= 500 ? `status ${reply.statusCode}` : undefined);
  });
}
