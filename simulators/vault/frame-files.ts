import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type FrameFile, cacheControlOf, frameFiles, markFiles } from '../../src/card-frame/files.ts';
import { html, sendPage, type Html } from '../html.ts';
import { TEST_CARD_NUMBERS } from '../test-cards.ts';

/** Address of the list of test cards. */
export const testCardsUrl = '/frame/test-cards';

/** Serves the card form's script, style and marks, and the list of test cards. */
export function serveFrameFiles(app: FastifyInstance): void {
  for (const file of [...Object.values(frameFiles), ...Object.values(markFiles)]) {
    app.get(file.path, async (request, reply) => sendFile(request, reply, file));
  }
  app.get(testCardsUrl, async (_request, reply) => sendPage(reply, testCardsPage(), { frameAncestors: [] }));
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: FrameFile): FastifyReply {
  void reply.headers({
    'content-type': file.contentType,
    'cache-control': cacheControlOf(file, request.url),
    vary: 'accept-encoding',
  });
  if (!/\bbr\b/.test(String(request.headers['accept-encoding']))) return reply.send(file.bytes);
  return reply.header('content-encoding', 'br').send(file.brotli);
}

/** Returns the page that replaces a refused frame. It does not name the reason. */
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

/** Returns the page of the numbers that work in the sandbox. */
function testCardsPage(): Html {
  const rows = TEST_CARD_NUMBERS.map((number) => html`<li><code>${grouped(number)}</code></li>`);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Test cards</title>
        <link rel="stylesheet" href="${frameFiles.style.versionedPath}" />
      </head>
      <body class="list">
        <main>
          <h1>Test cards</h1>
          <p>
            Any date to come, any security code of three digits (four for the number that begins with 3). No
            real card works here. What each number does: docs/simulators.md.
          </p>
          <ul>
            ${rows.reduce((all, row) => html`${all}${row}`, html``)}
          </ul>
        </main>
      </body>
    </html> `;
}

const grouped = (number: string): string =>
  number.startsWith('3')
    ? number.replace(/(\d{4})(\d{6})(\d{5})/, '$1 $2 $3')
    : number.replaceAll(/(\d{4})(?=\d)/g, '$1 ');
