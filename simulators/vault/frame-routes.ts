import type { FastifyPluginAsync } from 'fastify';
import { readFile } from 'node:fs/promises';
import { html, sendPage } from '../html.ts';
import { framePage } from './frame/page.ts';
import { frameLocale } from './frame/texts.ts';
import type { VaultContext } from './context.ts';

interface FrameRoute {
  Params: { reference: string };
  Querystring: { parent?: unknown; locale?: unknown };
}

/** Hosted fields: the card form that a checkout page frames, so that the card never touches that page. */
export function frameRoutes(vault: VaultContext): FastifyPluginAsync {
  return async (app) => {
    const script = await readFile(new URL('./frame/frame.js', import.meta.url), 'utf8');
    const styles = await readFile(new URL('./frame/frame.css', import.meta.url), 'utf8');

    app.get('/frame/assets/frame.js', async (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').send(script),
    );
    app.get('/frame/assets/frame.css', async (_request, reply) =>
      reply.type('text/css; charset=utf-8').send(styles),
    );

    app.get<FrameRoute>('/frame/:reference', async (request, reply) => {
      const session = vault.sessions.get(request.params.reference);
      const { parent, locale } = request.query;
      // A wrong parent is told as little as a wrong reference, and may not frame even that.
      if (!session?.frameKeySha256 || parent !== session.allowedOrigin) {
        return sendPage(reply.code(404), unavailablePage(), { frameAncestors: [] });
      }
      const page = framePage({ reference: session.reference, parent, locale: frameLocale(locale) });
      return sendPage(reply, page, {
        frameAncestors: [session.allowedOrigin, ...(session.ancestorOrigins ?? [])],
        script: true,
      });
    });
  };
}

function unavailablePage() {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Not available</title>
      </head>
      <body>
        <p>This page is not available.</p>
      </body>
    </html> `;
}
