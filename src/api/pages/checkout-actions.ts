import type { FastifyReply, FastifyRequest } from 'fastify';
import { messages } from '../../checkout-page/messages.ts';
import type { Notice } from '../../checkout-page/view.ts';
import { findOpenAction } from '../../db/attempts.ts';
import { Refusal, refusals } from '../../domain/refusals.ts';
import { type PaymentMethod, paymentMethods } from '../../domain/statuses.ts';
import type { AttemptResult } from '../../temporal/contract/payment.ts';
import { actOnAction } from '../payments/act-on-action.ts';
import { openAction } from '../payments/checkout-view.ts';
import { makeAttempt, refuseByRow } from '../payments/make-attempt.ts';
import { prepareCapture } from '../payments/prepare-capture.ts';
import type { ApiDeps } from '../deps.ts';
import { findVisit, formFields, takePageAction, type Visit, wantsJson } from './page-request.ts';
import { sendMessagePage, sendNeutralPage } from './page-reply.ts';

/**
 * Where the customer goes after an action: to the shop when `paid`, else to this page or on to the wallet.
 */
interface Onward {
  next: string;
  paid: boolean;
}

/**
 * POST checkoutUrl/card-fields: `{url, frameKey}` of the vault's frame for this payment, once the vault knows
 * it. The key is in no address and no markup. Refuses as prepare does.
 */
export const cardFields = (deps: ApiDeps) => async (request: FastifyRequest, reply: FastifyReply) =>
  answer(deps, request, reply, async (visit) => {
    const { payment } = visit;
    formFields(deps, request, payment);
    if (!payment.offeredMethods.includes('card')) throw new Refusal('not_found');
    const frameKey = await prepareCapture(deps, payment);
    const parent = encodeURIComponent(new URL(deps.publicUrl).origin);
    return {
      url: `${deps.vaultPublicUrl}/frame/${payment.vaultId}?parent=${parent}&locale=${visit.locale}`,
      frameKey,
    };
  });

/**
 * POST checkoutUrl/pay: one attempt with `method`, for a card with `cardToken` and `captureReference` from
 * the vault's frame. A method that this payment does not offer is refused, whatever the page showed
 * (PAGE-02).
 * Refuses: validation_failed, payment_in_progress, action_required, result_pending, checkout_expired,
 * attempts_exhausted, card_token_rejected, service_unavailable.
 */
export const pagePay = (deps: ApiDeps) => async (request: FastifyRequest, reply: FastifyReply) =>
  answer(deps, request, reply, async (visit) => {
    const { payment } = visit;
    const fields = formFields(deps, request, payment);
    const method = paymentMethods.find((known) => known === fields.get('method'));
    if (!method || !payment.offeredMethods.includes(method)) {
      throw new Refusal('validation_failed', {
        field: 'method',
        message: 'This payment does not offer the method.',
      });
    }
    const card = method === 'card' ? cardOf(fields) : null;
    // A browser without script sent the form: there is no card in it, and never will be.
    if (method === 'card' && !card) return onPage(visit, 'script');
    await takePageAction(deps, payment.id);
    const result = await makeAttempt(deps, payment, { method, card, simulated: null, requestId: request.id });
    return onward(deps, visit, result, method);
  });

/**
 * POST checkoutUrl/leave-step: gives up the open step, so that another card or method can be used (AMB-64).
 */
export const leaveStep = (deps: ApiDeps) => async (request: FastifyRequest, reply: FastifyReply) =>
  answer(deps, request, reply, async (visit) => {
    formFields(deps, request, visit.payment);
    await takePageAction(deps, visit.payment.id);
    refuseByRow(visit.payment, { type: 'abandonAction' }, deps.now());
    const { payment } = visit;
    const result = await actOnAction(deps, payment.id, () =>
      deps.workflows.abandonAction(payment, request.id),
    );
    return onward(deps, visit, result, null);
  });

function cardOf(fields: URLSearchParams): { token: string; reference: string } | null {
  const token = fields.get('cardToken') ?? '';
  const reference = fields.get('captureReference') ?? '';
  if (token.length < 16 || token.length > 4096 || reference.length < 1 || reference.length > 31) return null;
  return { token, reference };
}

function onPage(visit: Visit, notice: Notice | null = null): Onward {
  const said = notice === null ? '' : `&notice=${notice}`;
  return { next: `${visit.path}?lang=${visit.locale}${said}#status`, paid: false };
}

/** After an attempt: the shop, the wallet, or this page, which shows everything else. */
async function onward(
  deps: ApiDeps,
  visit: Visit,
  result: AttemptResult,
  method: PaymentMethod | null,
): Promise<Onward> {
  if (result.status === 'paid') return { next: visit.payment.successUrl, paid: true };
  if (result.status === 'requiresAction' && method === 'wallet') {
    const stored = await findOpenAction(deps.database, visit.payment.id);
    const action = stored?.actionSealed ? openAction(deps.keyring, stored) : null;
    if (action?.kind === 'wallet') return { next: action.url, paid: false };
  }
  return onPage(visit);
}

/** Refusals that the page shows by its state; the others need a word. */
function noticeFor(refusal: Refusal): Notice | null {
  if (refusal.code === 'card_token_rejected') return 'card';
  return refusal.code === 'service_unavailable' || refusal.code === 'rate_limited' ? 'busy' : null;
}

/**
 * Returns the script with JSON and a form with a redirect to the page, which asks the state anew. A hosted
 * payment only: on any other there is nothing to do here (AMB-22).
 */
async function answer(
  deps: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  act: (visit: Visit) => Promise<Onward | { url: string; frameKey: string }>,
): Promise<FastifyReply> {
  const visit = await findVisit(deps, request);
  const json = wantsJson(request);
  if (!visit || visit.payment.checkoutMode !== 'hosted') {
    if (json) throw new Refusal('not_found');
    return sendNeutralPage(request, reply);
  }
  try {
    const done = await act(visit);
    if (json || !('next' in done)) return reply.send(done);
    // Not straight to the shop or the wallet: browsers hold a form's redirects to the page's own form policy.
    if (done.paid) return reply.redirect(`${visit.path}/done?lang=${visit.locale}`, 303);
    return reply.redirect(done.next.startsWith(visit.path) ? done.next : onPage(visit).next, 303);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status } = refusals[error.code];
    const mistaken = status === 400 || status === 422;
    if (json) {
      const body = { error: { code: error.code, message: error.message } };
      if (mistaken && error.code !== 'card_token_rejected') return reply.status(status).send(body);
      if (error.retryAfterSeconds !== undefined) {
        void reply.header('Retry-After', String(error.retryAfterSeconds));
      }
      return reply.status(status).send({ ...body, ...onPage(visit, noticeFor(error)) });
    }
    if (mistaken && error.code !== 'card_token_rejected') {
      const text = messages[visit.locale];
      return sendMessagePage(request, reply, status, {
        locale: visit.locale,
        title: text.refusedTitle,
        text: text.refusedText,
        links: [],
      });
    }
    return reply.redirect(onPage(visit, noticeFor(error)).next, 303);
  }
}
