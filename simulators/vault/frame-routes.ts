import type { FastifyPluginAsync } from 'fastify';
import { frameFiles } from '../../src/card-frame/files.ts';
import { renderFramePage } from '../../src/card-frame/frame-page.tsx';
import { frameLocale } from '../../src/card-frame/texts.ts';
import { Html, sendPage } from '../html.ts';
import type { VaultContext } from './context.ts';
import { serveFrameFiles, testCardsUrl, unavailablePage } from './frame-files.ts';

interface FrameRoute {
  Params: { reference: string };
  Querystring: { parent?: unknown; locale?: unknown };
}

/** Registers the card form that a checkout page frames, so that the card never touches that page. */
export function frameRoutes(vault: VaultContext): FastifyPluginAsync {
  return async (app) => {
    serveFrameFiles(app);

    app.get<FrameRoute>('/frame/:reference', async (request, reply) => {
      const session = vault.sessions.get(request.params.reference);
      const { parent, locale } = request.query;
      // A wrong parent gets the same page as a wrong reference, and may not frame it.
      if (!session?.frameKeySha256 || parent !== session.allowedOrigin) {
        return sendPage(reply.code(404), unavailablePage(), { frameAncestors: [] });
      }
      const { reference } = session;
      const capture = { url: `/frame/${reference}/capture`, keyHeader: 'x-cardvault-frame-key' };
      const form = {
        parent: session.allowedOrigin,
        locale: frameLocale(locale),
        capture,
        // The brands of the published test cards.
        acceptedBrands: ['visa', 'mastercard', 'amex'],
        testCardsUrl,
      };
      return sendPage(reply, new Html(renderFramePage(form, frameFiles)), {
        frameAncestors: [session.allowedOrigin, ...(session.ancestorOrigins ?? [])],
        script: true,
      });
    });
  };
}
