import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { assets } from '../../checkout-page/assets.ts';
import { Refusal } from '../../domain/refusals.ts';
import { handleError } from '../http/errors.ts';
import { bodyLimits } from '../../http/body-limits.ts';
import { actionPage, actionReturn } from './action.ts';
import { accentAsset, logoAsset } from './assets.ts';
import { sendAsset } from '../../http/html-reply.ts';
import { cardFields, leaveStep, pagePay } from './checkout-actions.ts';
import { checkoutDone, checkoutPage, checkoutState } from './checkout.ts';
import { networkCallback } from '../callbacks/network.ts';
import { stripeCallback } from '../callbacks/stripe.ts';
import { paymentLinkPage } from './payment-link.ts';
import { wantsJson } from './page-request.ts';
import { sendMessagePage, sendTroublePage } from './message-pages.ts';

export type PageRouteDeps = Parameters<typeof checkoutPage>[0] &
  Parameters<typeof checkoutState>[0] &
  Parameters<typeof cardFields>[0] &
  Parameters<typeof pagePay>[0] &
  Parameters<typeof leaveStep>[0] &
  Parameters<typeof actionReturn>[0] &
  Parameters<typeof paymentLinkPage>[0] &
  Parameters<typeof networkCallback>[0] &
  Parameters<typeof stripeCallback>[0] & { production: boolean };

/**
 * Registers the routes for browsers and for the network's callbacks. The credential is the URL's secret or a
 * signature.
 */
export function registerPages(app: FastifyInstance, deps: PageRouteDeps): void {
  const small = { bodyLimit: bodyLimits.small };
  void app.register(async (pages) => {
    pages.setErrorHandler(showError);
    pages.get('/c/:token', checkoutPage(deps));
    pages.get('/c/:token/done', checkoutDone(deps));
    pages.get('/c/:token/state', checkoutState(deps));
    pages.post('/c/:token/card-fields', small, cardFields(deps));
    pages.post('/c/:token/pay', pagePay(deps));
    pages.post('/c/:token/leave-step', small, leaveStep(deps));
    pages.get('/l/:slug', paymentLinkPage(deps));
    pages.get('/a/:token', actionPage(deps));
    pages.get('/a/:token/return', actionReturn(deps));
    if (!deps.production) pages.get('/demo/:place', demoShopPage);
    for (const asset of Object.values(assets)) pages.get(asset.path, sendAsset(asset));
    pages.get('/assets/accent/:file', accentAsset);
    pages.get('/assets/logo/:file', logoAsset(deps));
  });
  app.post('/callbacks/network', small, networkCallback(deps));
  app.post('/callbacks/stripe/:id', { bodyLimit: bodyLimits.providerEvent }, stripeCallback(deps));
}

/** Stands in for the shop's pages to which the payments of `npm start` return. Absent in production. */
async function demoShopPage(request: FastifyRequest, reply: FastifyReply) {
  const { place } = request.params as { place: string };
  const thanks = place === 'thanks';
  return sendMessagePage(request, reply, 200, {
    locale: 'en',
    title: thanks ? 'Thank you for your order' : 'Your cart',
    text: `In production, the ${thanks ? 'confirmation page' : 'cart'} of your own shop opens here.`,
    icon: thanks ? 'done' : 'shop',
    links: [],
  });
}

/** Answers people with a page and scripts with JSON, in both cases without the reason of the error. */
function showError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refused = error instanceof Refusal && error.code !== 'service_unavailable';
  const malformed = ((error as FastifyError).statusCode ?? 500) < 500;
  if (refused || malformed || wantsJson(request)) return handleError(error, request, reply);
  request.log.warn({ err: error, route: request.routeOptions.url }, 'a page could not be shown');
  return sendTroublePage(request, reply);
}
