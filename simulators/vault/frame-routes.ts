import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { brotliCompressSync } from 'node:zlib';
import { html, sendPage } from '../html.ts';
import { framePage, testCardsPage } from './frame/page.ts';
import { frameLocale } from './frame/texts.ts';
import type { VaultContext } from './context.ts';

interface FrameRoute {
  Params: { reference: string };
  Querystring: { parent?: unknown; locale?: unknown };
}

/** Hosted fields: the card form that a checkout page frames, so that the card never touches that page. */
export function frameRoutes(vault: VaultContext): FastifyPluginAsync {
  return async (app) => {
    const script = await frameFile('frame.js', 'text/javascript; charset=utf-8');
    const style = await frameFile('frame.css', 'text/css; charset=utf-8');
    const files = { script: script.address, style: style.address };
    for (const file of [script, style]) {
      app.get(file.path, async (request, reply) => sendFile(request, reply, file));
    }

    app.get('/frame/test-cards', async (_request, reply) =>
      sendPage(reply, testCardsPage(files), { frameAncestors: [] }),
    );

    app.get<FrameRoute>('/frame/:reference', async (request, reply) => {
      const session = vault.sessions.get(request.params.reference);
      const { parent, locale } = request.query;
      // A wrong parent is told as little as a wrong reference, and may not frame even that.
      if (!session?.frameKeySha256 || parent !== session.allowedOrigin) {
        return sendPage(reply.code(404), unavailablePage(), { frameAncestors: [] });
      }
      const page = framePage({ reference: session.reference, parent, locale: frameLocale(locale) }, files);
      return sendPage(reply, page, {
        frameAncestors: [session.allowedOrigin, ...(session.ancestorOrigins ?? [])],
        script: true,
      });
    });
  };
}

interface FrameFile {
  path: string;
  /** Changes with the content, so that the file may be kept for ever. */
  address: string;
  contentType: string;
  bytes: Buffer;
  brotli: Buffer;
}

async function frameFile(name: string, contentType: string): Promise<FrameFile> {
  const bytes = await readFile(new URL(`./frame/${name}`, import.meta.url));
  const path = `/frame/assets/${name}`;
  const version = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return { path, address: `${path}?v=${version}`, contentType, bytes, brotli: brotliCompressSync(bytes) };
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: FrameFile): FastifyReply {
  void reply.headers({
    'content-type': file.contentType,
    'cache-control':
      request.url === file.address ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
    vary: 'accept-encoding',
  });
  if (!/\bbr\b/.test(String(request.headers['accept-encoding']))) return reply.send(file.bytes);
  return reply.header('content-encoding', 'br').send(file.brotli);
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
