import type { FastifyInstance } from 'fastify';
import { openApiDocument } from './document.ts';
import { renderReference } from './reference-page.tsx';
import { sendShared, sharedDocument } from './shared-document.ts';
import { referenceStyle } from './style.ts';

const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * GET /openapi.json (the OpenAPI 3.1 document) and GET /docs (the reference made of it), to which GET /
 * redirects. Public, the same for all callers, without scripts and without anything from other origins.
 */
export function registerDocs(app: FastifyInstance, deps: { publicUrl: string }): void {
  // Made at the first request: it takes as long as the rest of the start.
  const docs = once(() => {
    const document = openApiDocument(deps.publicUrl);
    return {
      json: sharedDocument('application/json; charset=utf-8', JSON.stringify(document)),
      page: sharedDocument('text/html; charset=utf-8', renderReference(document)),
      style: sharedDocument('text/css; charset=utf-8', referenceStyle),
    };
  });
  app.get('/openapi.json', (request, reply) => sendShared(request, reply, docs().json));
  app.get('/docs', (request, reply) => {
    void reply.header('Content-Security-Policy', contentSecurityPolicy);
    return sendShared(request, reply, docs().page);
  });
  app.get('/docs/style.css', (request, reply) => sendShared(request, reply, docs().style));
  app.get('/', (_request, reply) => reply.redirect('/docs', 302));
}

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
