import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding } from '../../http/accepted-encoding.ts';
import { sendHtml } from '../../http/html-reply.ts';

/** The record that the build writes beside the files. */
interface Site {
  files: ReadonlySet<string>;
  policy: string;
  modifiedMs: number;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};
const compressed = new Set(['.html', '.js', '.css', '.svg', '.json', '.txt', '.md']);

/** The folder of the built site, beside `package.json`; found both from the sources and from the build. */
const siteFolder = ['../../../', '../../../../']
  .map((up) => fileURLToPath(new URL(up, import.meta.url)))
  .filter((folder) => existsSync(join(folder, 'package.json')))
  .map((folder) => join(folder, 'dist-site'))
  .at(-1);

/**
 * GET /guides/… and /llms.txt: the files that `npm run docs:build` wrote (ADR 0055). `npm start` builds them
 * in the background; until they exist, a page with status 503 explains that. Public, the same for all
 * callers.
 */
export function registerGuides(app: FastifyInstance, folder = siteFolder ?? 'dist-site'): void {
  let known: Site | null = null;
  const site = async (): Promise<Site | null> => (known = await readSite(folder, known));
  const send = async (request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> => {
    const built = await site();
    if (built === null) return sendNotBuilt(request, reply);
    const name = fileOf(built, path);
    if (name === null) {
      reply.callNotFound();
      return reply;
    }
    const type = extname(name);
    // The names of these files change with their content, so browsers may cache them forever.
    const isForever = name.startsWith('assets/');
    void reply.headers({
      'Content-Type': types[type] ?? 'application/octet-stream',
      'Content-Security-Policy': built.policy,
      'Cache-Control': isForever ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
      Vary: 'Accept-Encoding',
    });
    const encoding = compressed.has(type) ? acceptedEncoding(request) : null;
    if (encoding === null) return reply.send(await readFile(join(folder, name)));
    const ending = encoding === 'br' ? 'br' : 'gz';
    return reply.header('Content-Encoding', encoding).send(await readFile(join(folder, `${name}.${ending}`)));
  };
  app.get('/guides', (_request, reply) => reply.redirect('/guides/', 302));
  app.get<{ Params: { '*': string } }>('/guides/*', (request, reply) =>
    send(request, reply, request.params['*']),
  );
  app.get('/llms.txt', (request, reply) => send(request, reply, 'llms.txt'));
}

/** Returns the file of a path if the build listed it, else null. */
function fileOf({ files }: Site, path: string): string | null {
  const page = path === '' || path.endsWith('/') ? `${path}index.html` : path;
  return [page, `${page}.html`].find((name) => files.has(name)) ?? null;
}

/** Reads the list of files again if the site was rebuilt. */
async function readSite(folder: string, known: Site | null): Promise<Site | null> {
  const record = join(folder, 'site.json');
  try {
    const { mtimeMs } = await stat(record);
    if (known?.modifiedMs === mtimeMs) return known;
    const { files, scripts } = JSON.parse(await readFile(record, 'utf8')) as {
      files: string[];
      scripts: string[];
    };
    return { files: new Set(files), policy: policyOf(scripts), modifiedMs: mtimeMs };
  } catch {
    return null;
  }
}

/**
 * The content security policy of the site: scripts of this origin, and the inline scripts that the build
 * found.
 */
const policyOf = (scripts: readonly string[]): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${scripts.map((hash) => `'${hash}'`).join(' ')}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

function sendNotBuilt(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  void reply.headers({ 'Retry-After': '30', Refresh: '15' });
  return sendHtml(request, reply, 503, notBuilt, {});
}

const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>The guides are not built yet</title></head>
<body><main><h1>The guides are not built yet</h1>
<p>A local stack builds them within minutes of its start; this page then shows them. On another installation, run
<code>npm run docs:build</code>.</p>
<p>The <a href="/docs">API reference</a> is ready.</p></main></body>
</html>
`;
