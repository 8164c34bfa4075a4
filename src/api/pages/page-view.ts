import { messages } from '../../checkout-page/messages.ts';
import { failureLines } from '../../checkout-page/methods-form.tsx';
import { type CheckoutView, notices, pagePath } from '../../checkout-page/view.ts';
import { loadBranding } from '../../db/merchants/branding.ts';
import { formToken, type Visit } from './page-request.ts';
import { type PageNow, type PageStateDeps, readPage } from './page-state.ts';

/**
 * The page as of now, always from the server's own state. `asked`: a notice named in the address. Throws
 * `Refusal` when the state cannot be read.
 */
export async function pageView(
  deps: PageStateDeps & { publicUrl: string },
  visit: Visit,
  asked: unknown = null,
): Promise<CheckoutView> {
  const { payment } = visit;
  const [now, branding] = await Promise.all([readPage(deps, payment), loadBranding(deps.database, payment)]);
  return {
    locale: visit.locale,
    theme: visit.theme,
    embedded: visit.embedded,
    merchantName: branding.displayName ?? now.merchantName,
    branding,
    host: new URL(deps.publicUrl).host,
    paymentId: payment.id,
    reference: payment.reference,
    amountCents: payment.amountCents,
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

/** What the page's script is told of the state, with every request it makes. */
export interface StateAnswer {
  /** Equal as long as the page would look the same. */
  fingerprint: string;
  kind: CheckoutView['state']['kind'];
  paid: boolean;
  /** Where to go on: the shop when `paid`, else this page. */
  next: string;
  /** What became of the last attempt, for a page that stays as it is. */
  failure: { neutral: boolean; title: string; detail: string } | null;
}

/** The state for the page's script. Throws `Refusal` when it cannot be read. */
export async function stateAnswer(deps: PageStateDeps, visit: Visit): Promise<StateAnswer> {
  return toAnswer(visit, await readPage(deps, visit.payment));
}

function toAnswer(visit: Visit, { state, checkout, fingerprint }: PageNow): StateAnswer {
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
