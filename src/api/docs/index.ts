import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from './document.ts';
import { registerGuides } from './guides.ts';
import { renderReference } from './reference-page.tsx';
import { readRenderer } from './renderer.ts';
import { type SharedDocument, sendShared, sharedDocument } from './shared-document.ts';

/**
 * The renderer sets styles on elements, so inline styles are allowed here, and nowhere else. All scripts come
 * from this origin; none is inline and none is evaluated. ADR 0055.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const read = (name: string): string => readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');

/**
 * Registers GET /openapi.json (the OpenAPI 3.1 document), GET /docs (the reference built from it, to which
 * GET / redirects) and the guides. They are public, the same for all callers, and load nothing from other
 * origins.
 */
export function registerDocs(app: FastifyInstance, deps: { publicUrl: string }): void {
  // Built at the first request, because building takes as long as the rest of the start.
  const docs = once(() => {
    const document = openApiDocument(deps.publicUrl);
    return {
      json: sharedDocument('application/json; charset=utf-8', JSON.stringify(document)),
      page: sharedDocument('text/html; charset=utf-8', renderReference(document)),
      style: sharedDocument('text/css; charset=utf-8', read('reference.css')),
      start: sharedDocument('text/javascript; charset=utf-8', read('start.js')),
    };
  });
  let renderer: Promise<SharedDocument> | undefined;
  app.get('/openapi.json', (request, reply) => sendShared(request, reply, docs().json));
  app.get('/docs', (request, reply) => {
    void reply.header('Content-Security-Policy', contentSecurityPolicy);
    return sendShared(request, reply, docs().page);
  });
  app.get('/docs/reference.css', (request, reply) => sendShared(request, reply, docs().style));
  app.get('/docs/start.js', (request, reply) => sendShared(request, reply, docs().start));
  app.get('/docs/reference.js', async (request, reply) => {
    renderer ??= readRenderer();
    return sendShared(request, reply, await renderer);
  });
  registerGuides(app);
  app.get('/', (_request, reply) => reply.redirect('/docs', 302));
}

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
