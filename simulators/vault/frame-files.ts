import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { brotliCompressSync } from 'node:zlib';
import { html, sendPage } from '../html.ts';
import { type FrameFiles, testCardsPage } from './frame/page.ts';

/** Serves script, style and list of test cards of the card form; returns the addresses a page names. */
export async function serveFrameFiles(app: FastifyInstance): Promise<FrameFiles> {
  const script = await frameFile('frame.js', 'text/javascript; charset=utf-8');
  const style = await frameFile('frame.css', 'text/css; charset=utf-8');
  const files = { script: script.address, style: style.address };
  for (const file of [script, style]) {
    app.get(file.path, async (request, reply) => sendFile(request, reply, file));
  }
  app.get('/frame/test-cards', async (_request, reply) =>
    sendPage(reply, testCardsPage(files), { frameAncestors: [] }),
  );
  return files;
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
  const bytes = await readFile(new URL(`../vault/frame/${name}`, import.meta.url));
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

/** What stands where no frame is: it says nothing of why. */
export function unavailablePage() {
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
