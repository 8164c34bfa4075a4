import type { FastifyReply, FastifyRequest } from 'fastify';
import { type MessagePage, renderMessagePage } from '../../checkout-page/message-page.tsx';
import { messages } from '../../checkout-page/messages.ts';
import type { Locale } from '../../domain/statuses.ts';
import { sendHtml } from '../../http/html-reply.ts';
import { callerLocale } from './page-request.ts';

/** Sends a page with one message and no script. */
export function sendMessagePage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  page: MessagePage,
  ancestors: string[] = [],
): FastifyReply {
  const policy = { ancestors, images: page.shop !== undefined };
  return sendHtml(request, reply, status, renderMessagePage(page), policy);
}

/** Sends the neutral page. Every invalid link gets the same page, whether it is wrong, stale or foreign. */
export function sendNeutralPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const locale = callerLocale(request);
  const text = messages[locale];
  return sendMessagePage(request, reply, 404, {
    locale,
    title: text.unknownTitle,
    text: text.unknownText,
    icon: 'about',
    links: [],
  });
}

/** Forwards to the shop at once, to exactly the merchant's address (AMB-53). */
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
    icon: 'shop',
    links: [{ href: url, label: text.backToShop, primary: true }],
    forwardTo: url,
  });
}

/** Sends the page for an unavailable dependency; it reloads by itself. */
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
    icon: 'wait',
    links: [],
    refreshSeconds: 5,
  });
}
