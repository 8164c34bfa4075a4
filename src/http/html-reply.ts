import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding } from './accepted-encoding.ts';

/** What a page may load and which origins may frame it. */
export interface PagePolicy {
  /** The page's own script runs and may call the server. */
  script?: boolean;
  /** Origins that the page frames, besides its own. */
  frames?: string[];
  /** The page frames pages of this service only. */
  framesItself?: boolean;
  /**
   * The origin of a frame that opens wallets, which some browsers do in a window of their own; absent if
   * there is none.
   */
  payment?: string | null;
  /** The page shows the shop's logo. */
  images?: boolean;
  /** The page has forms that post to this service. */
  forms?: boolean;
  /** Sources that may frame the page; if empty, none may. */
  ancestors?: string[];
  /** The page is never compressed: it depends on a cookie, and its length must not reveal its content. */
  plain?: boolean;
}

/** No script or style is inline or from another origin, and no string is run as a script. */
function contentSecurityPolicy(policy: PagePolicy): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    // The icon is either empty, so that browsers request none, or the shop's letter.
    `img-src data:${policy.images ? " 'self'" : ''}`,
    ...(policy.script ? ["script-src 'self'", "connect-src 'self'"] : []),
    ...(policy.frames?.length || policy.framesItself
      ? [`frame-src ${["'self'", ...(policy.frames ?? [])].join(' ')}`]
      : []),
    `form-action ${policy.forms ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    `frame-ancestors ${policy.ancestors?.join(' ') || "'none'"}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/**
 * Sends a rendered page, compressed if the browser accepts it. A customer's page has no cookie, so
 * compression reveals nothing.
 */
export function sendHtml(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  html: string,
  policy: PagePolicy,
): FastifyReply {
  void reply.status(status).headers({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy(policy),
    'Permissions-Policy': `camera=(), geolocation=(), microphone=(), payment=(${policy.payment ? `"${policy.payment}"` : ''})`,
    // Under `same-origin` a window that a frame opens would have no opener.
    'Cross-Origin-Opener-Policy': policy.payment ? 'same-origin-allow-popups' : 'same-origin',
    'X-Robots-Tag': 'noindex',
    Vary: 'Accept-Encoding, Accept-Language, Sec-Fetch-Dest',
  });
  const encoding = acceptedEncoding(request);
  if (encoding === null || policy.plain) return reply.send(html);
  void reply.header('Content-Encoding', encoding);
  return reply.send(
    encoding === 'br'
      ? brotliCompressSync(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
      : gzipSync(html),
  );
}

/** A file of a page, together with its compressed forms. */
export interface Asset {
  contentType: string;
  /** The address, which changes with the file. */
  versionedPath: string;
  bytes: Buffer;
  readonly brotli: Buffer;
  readonly gzip: Buffer;
}

/** For addresses that change with the content. Browsers may keep the file for a year. */
export const immutable = 'public, max-age=31536000, immutable';

/**
 * Sends one file of a page. Browsers keep it for a year under its versioned address, else for five minutes.
 */
export const sendAsset = (asset: Asset) => async (request: FastifyRequest, reply: FastifyReply) => {
  void reply.headers({
    'Content-Type': asset.contentType,
    'Cache-Control': request.url === asset.versionedPath ? immutable : 'public, max-age=300',
    // Shops load embed.js from their own pages, with `integrity` and `crossorigin` if they pin it.
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    Vary: 'Accept-Encoding',
  });
  const encoding = acceptedEncoding(request);
  if (encoding === null) return reply.send(asset.bytes);
  return reply.header('Content-Encoding', encoding).send(encoding === 'br' ? asset.brotli : asset.gzip);
};
