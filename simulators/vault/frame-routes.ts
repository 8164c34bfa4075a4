import type { FastifyPluginAsync } from 'fastify';
import { sendPage } from '../html.ts';
import { serveFrameFiles, unavailablePage } from './frame-files.ts';
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
    const files = await serveFrameFiles(app);

    app.get<FrameRoute>('/frame/:reference', async (request, reply) => {
      const session = vault.sessions.get(request.params.reference);
      const { parent, locale } = request.query;
      // A wrong parent is told as little as a wrong reference, and may not frame even that.
      if (!session?.frameKeySha256 || parent !== session.allowedOrigin) {
        return sendPage(reply.code(404), unavailablePage(), { frameAncestors: [] });
      }
      const { reference } = session;
      const capture = { path: `/frame/${reference}/capture`, keyHeader: 'x-cardvault-frame-key' };
      const page = framePage({ reference, parent, locale: frameLocale(locale), capture }, files);
      return sendPage(reply, page, {
        frameAncestors: [session.allowedOrigin, ...(session.ancestorOrigins ?? [])],
        script: true,
      });
    });
  };
}
