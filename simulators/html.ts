import { brotliCompressSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';

/** Text that is already HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Builds HTML; every value is escaped unless it is HTML already. Attribute values must be quoted in the
 * template.
 */
export function html(parts: TemplateStringsArray, ...values: (string | number | Html)[]): Html {
  const filled = parts.map((part, at) => part + (at < values.length ? escapeValue(values[at]) : ''));
  return new Html(filled.join(''));
}

function escapeValue(value: string | number | Html | undefined): string {
  if (value instanceof Html) return value.text;
  return String(value ?? '').replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

export interface PagePolicy {
  /** Origins that may frame the page; none when empty. */
  frameAncestors: readonly string[];
  /** Origins a form of the page may lead to, beyond its own (browsers check redirects of a form too). */
  formAction?: readonly string[];
  /** Whether the page runs a script of its own origin. */
  script?: boolean;
}

/** Sends a page under a content security policy without any inline script or style. */
export function sendPage(reply: FastifyReply, page: Html, policy: PagePolicy): FastifyReply {
  const own = policy.script
    ? ["script-src 'self'", "connect-src 'self'", "img-src 'self'", "require-trusted-types-for 'script'"]
    : [];
  const forms = policy.formAction ? `'self' ${policy.formAction.join(' ')}`.trim() : "'none'";
  const directives = [
    "default-src 'none'",
    "style-src 'self'",
    ...own,
    `form-action ${forms}`,
    "base-uri 'none'",
    `frame-ancestors ${policy.frameAncestors.join(' ') || "'none'"}`,
  ];
  void reply
    .headers({
      'content-security-policy': directives.join('; '),
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
      'x-robots-tag': 'noindex',
    })
    .type('text/html; charset=utf-8');
  // No cookie and no secret of the caller is in a page, so compression reveals nothing.
  if (!/\bbr\b/.test(String(reply.request.headers['accept-encoding']))) return reply.send(page.text);
  return reply
    .headers({ 'content-encoding': 'br', vary: 'accept-encoding' })
    .send(brotliCompressSync(page.text));
}
