import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPolled, renderCheckoutPage } from '../../checkout-page/checkout-page.tsx';
import { type CheckoutView, pagePath } from '../../checkout-page/view.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { CaptureAddresses, Connectors } from '../../providers/connectors.ts';
import { portsOrRefuse } from '../../operations/payments/checkout-view.ts';
import { type LimitDeps, type Visit, findVisit, isFramed, takePageRead } from './page-request.ts';
import { sendForwardPage, sendNeutralPage, sendTroublePage } from './message-pages.ts';
import { sendHtml } from '../../http/html-reply.ts';
import { isOpening, recordOpening } from './opening.ts';
import type { PageStateDeps } from './page-state.ts';
import { pageView, stateAnswer } from './page-view.ts';

/** The dependencies of the checkout page. */
export interface CheckoutPageDeps extends PageStateDeps {
  connectors: Connectors;
  publicUrl: string;
}

/**
 * GET checkoutUrl: the payment's page in its current state; the link is the credential. `?lang` changes only
 * the language. Spec: MODE-02, PAGE-01 to -06; AMB-22 for custom payments.
 */
export const checkoutPage =
  (deps: CheckoutPageDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
    const visit = await findVisit(deps, request);
    if (!visit) return sendNeutralPage(request, reply);
    const { notice } = request.query as { notice?: unknown };
    const [view] = await Promise.all([
      readablePage(deps, visit, notice),
      isOpening(request) ? recordOpening(deps, request, visit) : null,
    ]);
    return view
      ? sendCheckout(deps, request, reply, visit, view)
      : sendTroublePage(request, reply, visit.locale);
  };

/** Returns the page as of now; null if its state cannot be read. */
async function readablePage(
  deps: PageStateDeps & { publicUrl: string },
  visit: Visit,
  notice?: unknown,
): Promise<CheckoutView | null> {
  try {
    return await pageView(deps, visit, notice);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return null;
  }
}

async function sendCheckout(
  deps: { connectors: Connectors; publicUrl: string },
  request: FastifyRequest,
  reply: FastifyReply,
  { payment }: Visit,
  view: CheckoutView,
): Promise<FastifyReply> {
  const { capture, wallet } = await portsOrRefuse(deps, payment);
  const walletFrameUrl = walletFrame(deps, view, capture);
  const named = { walletName: wallet?.name ?? null, walletMark: wallet?.mark ?? null };
  return sendHtml(request, reply, 200, renderCheckoutPage({ ...view, ...named, walletFrameUrl }), {
    script: true,
    forms: true,
    images: true,
    frames: [
      ...framedOrigins(view, capture.frameUrlOf?.(payment.vaultId)),
      ...(walletFrameUrl === null ? [] : [new URL(walletFrameUrl).origin]),
    ],
    payment: walletFrameUrl === null ? null : new URL(walletFrameUrl).origin,
    ancestors: view.frameOrigins,
  });
}

/** Returns the address of the wallets' frame for this payment; null if the page offers no wallet. */
function walletFrame(
  { publicUrl }: { publicUrl: string },
  { state, amountCents, locale, theme, appearance, frameOrigins }: CheckoutView,
  { walletFrameUrl, signAncestors }: CaptureAddresses,
): string | null {
  if (walletFrameUrl === null || state.kind !== 'open' || !state.methods.includes('wallet')) return null;
  const url = new URL(walletFrameUrl);
  const ancestors = frameOrigins.join(' ');
  const signature = signAncestors?.(url.searchParams.get('key') ?? '', ancestors) ?? '';
  const query = {
    parent: new URL(publicUrl).origin,
    amount: String(amountCents),
    locale,
    ...(theme === null ? {} : { theme }),
    ...(appearance.radius === null ? {} : { radius: appearance.radius }),
    ...(ancestors === '' ? {} : { ancestors, signature }),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * Returns the origins of the frames that the state needs, and no others: the vault's fields while a card may
 * be entered, the bank's page while a step is open.
 */
function framedOrigins({ state }: CheckoutView, fieldsUrl: string | undefined): string[] {
  if (state.kind === 'open' && state.methods.includes('card') && fieldsUrl !== undefined) {
    return [new URL(fieldsUrl).origin];
  }
  return state.kind === 'challenge' ? [new URL(state.url).origin] : [];
}

/**
 * GET checkoutUrl/done: forwards a browser without script to the shop once the payment is paid, else back to
 * the page. It is a separate page because a form may not be redirected to another site. Spec: PAGE-09.
 */
export const checkoutDone =
  (deps: CheckoutPageDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
    const visit = await findVisit(deps, request);
    if (!visit) return sendNeutralPage(request, reply);
    const page = `${pagePath(visit)}#status`;
    if (isFramed(request)) return reply.redirect(page, 303);
    const view = await readablePage(deps, visit);
    if (!view) return sendTroublePage(request, reply, visit.locale);
    if (view.state.kind === 'paid') {
      return sendForwardPage(request, reply, visit.locale, visit.payment.successUrl);
    }
    // Shows the state that was just read. After a redirect the checkout page could find the payment paid, and
    // it does not forward.
    return isPolled(view.state) ? sendCheckout(deps, request, reply, visit, view) : reply.redirect(page, 303);
  };

/**
 * GET checkoutUrl/state: the state for the page's script. A different fingerprint means that the page would
 * now show something else. The network is never called.
 */
export const checkoutState = (deps: PageStateDeps & LimitDeps) => async (request: FastifyRequest) => {
  const visit = await findVisit(deps, request);
  if (!visit) throw new Refusal('not_found');
  await takePageRead(deps, visit.payment.id);
  // The page's script sent this request. It records the opening for browsers that send no fetch metadata, and
  // for pages that were first prefetched.
  await recordOpening(deps, request, visit);
  return stateAnswer(deps, visit);
};
