import type { FastifyInstance, FastifyReply } from 'fastify';
import { openApiDocument } from './document.ts';
import type { ApiDeps } from '../deps.ts';
import { renderReference } from './reference-page.tsx';
import { referenceStyle } from './style.ts';

const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * GET /openapi.json (the OpenAPI 3.1 document) and GET /docs (the reference made of it). Public, the same for
 * everybody, without scripts and without anything from elsewhere.
 */
export function registerDocs(app: FastifyInstance, deps: Pick<ApiDeps, 'publicUrl'>): void {
  // Made when first asked for: it takes as long as the rest of the start.
  let made: { json: string; page: string } | null = null;
  const docs = () => {
    if (made) return made;
    const document = openApiDocument(deps.publicUrl);
    made = { json: JSON.stringify(document), page: renderReference(document) };
    return made;
  };
  const send = (reply: FastifyReply, type: string, body: string) =>
    reply.headers({ 'Content-Type': type, 'Cache-Control': 'public, max-age=300' }).send(body);
  app.get('/openapi.json', (_request, reply) => send(reply, 'application/json; charset=utf-8', docs().json));
  app.get('/docs', (_request, reply) => {
    void reply.header('Content-Security-Policy', contentSecurityPolicy);
    return send(reply, 'text/html; charset=utf-8', docs().page);
  });
  app.get('/docs/style.css', (_request, reply) => send(reply, 'text/css; charset=utf-8', referenceStyle));
}
