import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { messages } from '../../checkout-page/messages.ts';
import { type MessagePage, renderMessagePage } from '../../checkout-page/message-page.tsx';
import type { Locale } from '../../domain/statuses.ts';
import { callerLocale } from './page-request.ts';
import { acceptedEncoding } from '../../http/accepted-encoding.ts';

/** What a page may load and who may show it. */
export interface PagePolicy {
  /** The page's own script runs, and may ask the server. */
  script?: boolean;
  /** Origins the page frames beside its own. */
  frames?: string[];
  /** The shop's logo. */
  images?: boolean;
  /** Forms that post to this service. */
  forms?: boolean;
  /** Sources that may frame the page; none when empty. */
  ancestors?: string[];
  /** Never compressed: the page answers a cookie, and holds what its length must not tell. */
  plain?: boolean;
}

/** Nothing inline, nothing from elsewhere, no string ever becomes script. */
export function contentSecurityPolicy(policy: PagePolicy): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    // The icon: the empty one, so that no browser asks for one, or the shop's letter.
    `img-src data:${policy.images ? " 'self'" : ''}`,
    ...(policy.script ? ["script-src 'self'", "connect-src 'self'"] : []),
    ...(policy.frames?.length ? [`frame-src 'self' ${policy.frames.join(' ')}`] : []),
    `form-action ${policy.forms ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    `frame-ancestors ${policy.ancestors?.join(' ') || "'none'"}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/**
 * Sends a rendered page, compressed when the browser takes it. A page of a customer has no cookie, so
 * compression gives nothing away.
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
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'Cross-Origin-Opener-Policy': 'same-origin',
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

/** Sends a page that says one thing and runs no script. */
export function sendMessagePage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  page: MessagePage,
  ancestors: string[] = [],
): FastifyReply {
  return sendHtml(request, reply, status, renderMessagePage(page), { ancestors });
}

/** One page for every link that leads nowhere: wrong, stale and foreign ones look the same. */
export function sendNeutralPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const locale = callerLocale(request);
  const text = messages[locale];
  return sendMessagePage(request, reply, 404, {
    locale,
    title: text.unknownTitle,
    text: text.unknownText,
    links: [],
  });
}

/** Leads on to the shop at once, exactly as the merchant gave the address (AMB-53). */
export function sendForwardPage(
  request: FastifyRequest,
  reply: FastifyReply,
  locale: Locale,
  url: string,
): FastifyReply {
  const text = messages[locale];
  return sendMessagePage(request, reply, 200, {
    locale,
    title: text.forwardTitle,
    text: text.forwardText,
    links: [{ href: url, label: text.backToShop, primary: true }],
    forwardTo: url,
  });
}

/** A dependency is away: the page tries again by itself. */
export function sendTroublePage(
  request: FastifyRequest,
  reply: FastifyReply,
  locale: Locale = callerLocale(request),
): FastifyReply {
  const text = messages[locale];
  void reply.header('Retry-After', '5');
  return sendMessagePage(request, reply, 503, {
    locale,
    title: text.troubleTitle,
    text: text.troubleText,
    links: [],
    refreshSeconds: 5,
  });
}
