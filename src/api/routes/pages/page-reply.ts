import type { FastifyReply } from 'fastify';
import { type MessagePage, renderMessagePage } from '../../../checkout-page/message-page.tsx';

const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sends a page no script runs on and no site may frame. */
export function sendMessagePage(reply: FastifyReply, status: number, page: MessagePage): FastifyReply {
  return reply
    .status(status)
    .headers({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': contentSecurityPolicy,
      'X-Robots-Tag': 'noindex',
    })
    .send(renderMessagePage(page));
}
