import { messages } from '../../checkout-page/messages.ts';
import { failureLines } from '../../checkout-page/methods-form.tsx';
import { type CheckoutView, notices, pagePath } from '../../checkout-page/view.ts';
import { loadBranding } from '../../db/merchants/branding.ts';
import { loadPurchase } from '../../db/payments/checkout-page.ts';
import { formToken, type Visit } from './page-request.ts';
import { type CurrentPage, type PageStateDeps, readCurrentPage } from './page-state.ts';

/**
 * Returns the page as of now, always from the server's own state. `asked` is a notice that the address names.
 * Throws `Refusal` if the state cannot be read.
 */
export async function pageView(
  deps: PageStateDeps & { publicUrl: string },
  visit: Visit,
  asked: unknown = null,
): Promise<CheckoutView> {
  const { payment } = visit;
  const [now, branding, bought] = await Promise.all([
    readCurrentPage(deps, payment),
    loadBranding(deps.database, payment),
    loadPurchase(deps.database, payment.id),
  ]);
  return {
    locale: visit.locale,
    offered: visit.offered,
    theme: visit.theme,
    appearance: visit.appearance,
    embedded: visit.embedded,
    merchantName: branding.displayName ?? now.merchantName,
    branding: visit.appearance.accent === null ? branding : { ...branding, accent: visit.appearance.accent },
    host: new URL(deps.publicUrl).host,
    paymentId: payment.id,
    reference: payment.reference,
    amountCents: payment.amountCents,
    description: bought.description,
    items: bought.lineItems ?? [],
    walletName: null,
    walletFrameUrl: null,
    environment: payment.environment,
    attemptsLeft: now.checkout.attemptsLeft,
    expiresAtMs: now.checkout.expiresAtMs,
    nowMs: deps.now(),
    successUrl: payment.successUrl,
    cancelUrl: payment.cancelUrl,
    frameOrigins: payment.frameOrigins,
    path: visit.path,
    formToken: formToken(deps.keyring, payment.id),
    notice: notices.find((notice) => notice === asked) ?? null,
    fingerprint: now.fingerprint,
    state: now.state,
  };
}

/** The state that every answer gives the page's script. */
export interface StateAnswer {
  /** Stays the same as long as the page would show the same. */
  fingerprint: string;
  kind: CheckoutView['state']['kind'];
  paid: boolean;
  /** The address where the customer continues: at the shop when `paid`, else this page. */
  next: string;
  /** Why the last attempt failed; used by a page that does not reload. */
  failure: { neutral: boolean; title: string; detail: string } | null;
}

/** Returns the state for the page's script. Throws `Refusal` if it cannot be read. */
export async function stateAnswer(deps: PageStateDeps, visit: Visit): Promise<StateAnswer> {
  return toAnswer(visit, await readCurrentPage(deps, visit.payment));
}

function toAnswer(visit: Visit, { state, checkout, fingerprint }: CurrentPage): StateAnswer {
  const paid = state.kind === 'paid';
  return {
    fingerprint,
    kind: state.kind,
    paid,
    next: paid ? visit.payment.successUrl : `${pagePath(visit)}#status`,
    failure:
      state.kind === 'open' && state.failure !== null
        ? failureLines(state.failure, checkout.attemptsLeft, messages[visit.locale])
        : null,
  };
}
