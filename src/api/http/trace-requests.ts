import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTraceparent } from '../../temporal/contract/cause-header.ts';
import { type Cause, withCause } from '../../tracing/cause.ts';
import { type Span, beginSpan } from '../../tracing/spans.ts';

/**
 * Has each request be the cause of what is done for it, and a span: named by method and route template, never
 * by its URL, which can be a secret. A caller's `traceparent` is continued. `paymentOf` returns the payment
 * that the path names.
 */
export function traceRequests(
  app: FastifyInstance,
  paymentOf: (request: FastifyRequest) => string | undefined,
): void {
  const begun = new WeakMap<FastifyRequest, { span: Span | null; cause: Cause }>();
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
    const started = beginSpan(`${method} ${route}`, cause, { kind: 'server', attributes });
    begun.set(request, started);
    withCause(started.cause, done);
  });
  // The body was read on the connection's own account.
  app.addHook('preValidation', (request, _reply, done) => {
    withCause(begun.get(request)?.cause ?? { requestId: request.id }, done);
  });
  app.addHook('onResponse', async (request, reply) => {
    const span = begun.get(request)?.span;
    span?.set({ 'http.response.status_code': reply.statusCode });
    span?.end(reply.statusCode >= 500 ? `status ${reply.statusCode}` : undefined);
  });
}
