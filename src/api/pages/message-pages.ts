import type { FastifyReply, FastifyRequest } from 'fastify';
import { type MessagePage, renderMessagePage } from '../../checkout-page/message-page.tsx';
import { messages } from '../../checkout-page/messages.ts';
import type { Locale } from '../../domain/statuses.ts';
import { sendHtml } from '../../http/html-reply.ts';
import { callerLocale } from './page-request.ts';

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
