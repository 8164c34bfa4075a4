import type { FastifyReply, FastifyRequest } from 'fastify';
import { messages } from '../../checkout-page/messages.ts';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { loadBranding } from '../../db/merchants/branding.ts';
import { findLinkBySlug, type ShopLink, wasCreatedWith } from '../../db/payment-links/payment-links.ts';
import { findCheckoutByToken } from '../../db/payments/checkouts.ts';
import { isSlug, type PaymentLink } from '../../domain/payment-link.ts';
import { callerAddress, clientKey } from '../../http/request.ts';
import { openLink } from '../../operations/payment-links/open-link.ts';
import type { CreatePaymentDeps } from '../../operations/payments/create-payment.ts';
import { sendMessagePage, sendNeutralPage } from './message-pages.ts';
import { type LimitDeps, callerLocale } from './page-request.ts';

/** The cookie with which a browser that opens a link again gets the payment it already has. */
const cookieName = 'payment';

/**
 * GET /l/{slug}: 303 to the checkout of a new payment, or of the payment that this browser created with the
 * link if it may still be paid. 404 or 410 with a page if the link can create no payment, 429 with a page for
 * too many at once. A browser that only prefetches the page creates nothing. docs/payment-links.md.
 */
export const paymentLinkPage =
  (deps: CreatePaymentDeps & LimitDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { slug } = request.params as { slug: string };
    const link = isSlug(slug) ? await findLinkBySlug(deps.database, slug) : null;
    if (!link) return sendNeutralPage(request, reply);
    if (isPrefetch(request)) return reply.status(204).send();
    const checkout = await findOpenCheckout(deps, request, link);
    if (checkout !== null) return reply.redirect(checkout, 303);
    const waitSeconds = await limited(deps, request, link);
    if (waitSeconds !== null) {
      void reply.header('Retry-After', String(waitSeconds));
      return sendLinkMessage(deps, link, { request, reply }, 'linkBusy');
    }
    const payment = await openLink(deps, link);
    if (payment === null) return sendLinkMessage(deps, link, { request, reply }, 'linkClosed');
    void reply.header('Set-Cookie', cookieOf(deps, request, payment.checkoutUrl));
    return reply.redirect(payment.checkoutUrl, 303);
  };

/** Returns whether the browser prefetches the page although the customer has not opened it. */
const isPrefetch = ({ headers }: FastifyRequest): boolean =>
  /prefetch|prerender/.test(`${String(headers['sec-purpose'])} ${String(headers['purpose'])}`);

/** Returns the checkout of this browser's payment from the link, if it may still be paid. */
async function findOpenCheckout(
  deps: CreatePaymentDeps,
  request: FastifyRequest,
  link: PaymentLink,
): Promise<string | null> {
  const token = new RegExp(`(?:^|; )${cookieName}=([\\w-]{20,100})(?:;|$)`).exec(
    request.headers.cookie ?? '',
  )?.[1];
  if (token === undefined) return null;
  const hashes = deps.keyring.lookupHashes(hashPurposes.checkoutToken, token);
  const payment = await findCheckoutByToken(deps.database, hashes);
  if (!payment || payment.finalizedAt !== null || payment.expiresAt.getTime() <= deps.now()) return null;
  const isOfLink = await wasCreatedWith(deps.database, { linkId: link.id, paymentId: payment.id });
  return isOfLink ? `${deps.publicUrl}/c/${token}` : null;
}

/** Returns the seconds until this caller may open the link again; null if it may now. */
async function limited(deps: LimitDeps, request: FastifyRequest, link: PaymentLink): Promise<number | null> {
  const decision = await deps.limiter.take([
    { name: 'payment.act', subject: `link:${link.id}:${clientKey(callerAddress(request))}` },
    { name: `${link.environment}.create`, subject: `link:${link.id}` },
  ]);
  return decision?.admitted === false ? decision.retryAfterSeconds : null;
}

/**
 * Returns a cookie with the token of the payment's page. It is sent to this link's address only, and lasts as
 * long as the payment may be paid.
 */
const cookieOf = (
  { publicUrl, checkoutDeadlineSeconds }: CreatePaymentDeps,
  request: FastifyRequest,
  checkoutUrl: string,
): string =>
  [
    `${cookieName}=${checkoutUrl.split('/').at(-1) ?? ''}`,
    `Path=${request.url.split('?', 1)[0] ?? '/'}`,
    `Max-Age=${checkoutDeadlineSeconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(publicUrl.startsWith('https:') ? ['Secure'] : []),
  ].join('; ');

/** Sends the shop's page that explains why nothing can be paid here. */
async function sendLinkMessage(
  { database }: CreatePaymentDeps,
  link: ShopLink,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  reason: 'linkClosed' | 'linkBusy',
): Promise<FastifyReply> {
  const locale = callerLocale(request);
  const text = messages[locale];
  const { status, icon, title, sentence } = (
    {
      linkClosed: { status: 410, icon: 'about', title: text.linkClosedTitle, sentence: text.linkClosedText },
      linkBusy: { status: 429, icon: 'wait', title: text.linkBusyTitle, sentence: text.linkBusyText },
    } as const
  )[reason];
  const branding = await loadBranding(database, link);
  return sendMessagePage(request, reply, status, {
    ...{ locale, title, text: sentence, icon },
    shop: { name: branding.displayName ?? link.merchantName, branding },
    links: [{ href: link.cancelUrl, label: text.backToShop, primary: true }],
  });
}
