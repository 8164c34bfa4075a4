import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { sendPage } from '../html.ts';
import { serveFrameFiles, unavailablePage } from '../vault/frame-files.ts';
import { framePage } from '../vault/frame/page.ts';
import { frameLocale } from '../vault/frame/texts.ts';
import type { PciVaultContext } from './context.ts';

interface FrameQuery {
  parent?: unknown;
  locale?: unknown;
  unique_id?: unknown;
  /** Sites that may frame the framing page, separated by spaces. */
  ancestors?: unknown;
}

const MAX_ANCESTORS = 20;

/**
 * The card form as a page of the vault's own origin, at the address of a hosted form and at a short one. It
 * holds no secret: the page that frames it sends the endpoint's secret by message, and the browser frames it
 * nowhere but where `parent` says.
 */
export function frameRoutes(vault: PciVaultContext): FastifyPluginAsync {
  return async (app) => {
    const files = await serveFrameFiles(app);

    const show = (reply: FastifyReply, id: unknown, query: FrameQuery): FastifyReply => {
      const endpoint = typeof id === 'string' ? vault.endpoints.get(id) : undefined;
      const { parent, ancestors } = query;
      const above = typeof ancestors === 'string' ? ancestors.split(' ').filter(Boolean) : [];
      if (!endpoint || !isOrigin(parent) || above.length > MAX_ANCESTORS || !above.every(isOrigin)) {
        return sendPage(reply.code(404), unavailablePage(), { frameAncestors: [] });
      }
      const capture = { path: `/v1/capture/${endpoint.id}`, keyHeader: 'x-pcivault-capture-secret' };
      const page = framePage(
        { reference: endpoint.id, parent, locale: frameLocale(query.locale), capture },
        files,
      );
      return sendPage(reply, page, { frameAncestors: [parent, ...above], script: true });
    };

    app.get<{ Params: { id: string }; Querystring: FrameQuery }>('/frame/:id', async (request, reply) =>
      show(reply, request.params.id, request.query),
    );
    app.get<{ Querystring: FrameQuery }>('/v1/capture/iframe/:form', async (request, reply) =>
      show(reply, request.query.unique_id, request.query),
    );
  };
}

function isOrigin(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= 300 &&
    /^https?:/.test(value) &&
    URL.canParse(value) &&
    new URL(value).origin === value
  );
}
