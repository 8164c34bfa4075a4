import type { FastifyReply, FastifyRequest } from 'fastify';
import { messages } from '../../checkout-page/messages.ts';
import { type Notice, pagePath } from '../../checkout-page/view.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { findOpenAction } from '../../db/payments/attempts.ts';
import { loadCheckout } from '../../db/payments/checkouts.ts';
import type { Queryable } from '../../db/server/database.ts';
import { Refusal, refusals } from '../../domain/refusals.ts';
import { type PaymentMethod, paymentMethods } from '../../domain/statuses.ts';
import { isStorableText } from '../../domain/text.ts';
import type { AttemptResult } from '../../temporal/contract/payment.ts';
import { openAction } from '../../operations/payments/checkout-view.ts';
import { type AttemptDeps, makeAttempt } from '../../operations/payments/make-attempt.ts';
import { type StepDeps, abandonStep } from '../../operations/payments/open-step.ts';
import { type CaptureDeps, prepareCardFields } from '../../operations/payments/prepare-capture.ts';
import { callerAddress, clientKey } from '../../http/request.ts';
import { countRefusal, retryAfterOf } from '../http/errors.ts';
import {
  findVisit,
  formFields,
  takeFieldsRead,
  takePageAction,
  type LimitDeps,
  type Visit,
  type VisitDeps,
  wantsJson,
} from './page-request.ts';
import { sendMessagePage, sendNeutralPage } from './message-pages.ts';
import type { PageStateDeps } from './page-state.ts';
import { type StateAnswer, stateAnswer } from './page-view.ts';

/** The dependencies of every action of the page; each action answers with the page's state. */
type PageActionDeps = VisitDeps & LimitDeps & PageStateDeps;

/** Where the customer continues: at the shop, at the wallet, or on this page, which shows everything else. */
type Onward = { to: 'shop' } | { to: 'wallet'; url: string } | { to: 'page'; notice: Notice | null };

/**
 * POST checkoutUrl/card-fields: `{url, frameKey}` of the vault's frame for this payment, once it is
 * registered at the vault. The key is in no address and no markup. Refuses what prepare refuses.
 */
export const cardFields =
  (deps: PageActionDeps & CaptureDeps) => async (request: FastifyRequest, reply: FastifyReply) =>
    answer(deps, request, reply, async (visit) => {
      const { payment } = visit;
      formFields(deps, request, payment);
      if (!payment.offeredMethods.includes('card')) throw new Refusal('not_found');
      await takeFieldsRead(deps, payment.id);
      return prepareCardFields(deps, payment, visit.locale);
    });

/**
 * POST checkoutUrl/pay: makes one attempt with `method`. A card needs `cardToken` and `captureReference` from
 * the vault's frame; a wallet with a button on the page needs `walletToken` from its frame. A method that
 * this payment does not offer is refused, whatever the page showed (PAGE-02).
 * Refuses: validation_failed, payment_in_progress, action_required, result_pending, checkout_expired,
 * attempts_exhausted, card_token_rejected, too_many_declines, service_unavailable.
 */
export const pagePay =
  (deps: PageActionDeps & AttemptDeps) => async (request: FastifyRequest, reply: FastifyReply) =>
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
      const byFrame = method === 'card' || (method === 'wallet' && payment.connectorId !== null);
      const card = byFrame ? (method === 'card' ? cardOf(fields) : walletOf(fields)) : null;
      // A browser without script sent the form, so the form holds neither a card nor a wallet token.
      if (byFrame && !card) return onPage('script');
      await takePageAction(deps, payment.id);
      const result = await makeAttempt(deps, payment, {
        method,
        card,
        simulated: null,
        requestId: request.id,
        by: { address: clientKey(callerAddress(request)) },
      });
      return onward(deps, visit, result, method);
    });

/**
 * POST checkoutUrl/leave-step: cancels the open step, so that the customer can use another card or method
 * (AMB-64).
 */
export const leaveStep =
  (deps: PageActionDeps & StepDeps) => async (request: FastifyRequest, reply: FastifyReply) =>
    answer(deps, request, reply, async (visit) => {
      const { payment } = visit;
      formFields(deps, request, payment);
      await takePageAction(deps, payment.id);
      return onward(deps, visit, await abandonStep(deps, payment, request.id), null);
    });

function cardOf(fields: URLSearchParams): { token: string; reference: string } | null {
  const token = fields.get('cardToken') ?? '';
  const reference = fields.get('captureReference') ?? '';
  if (token.length < 16 || token.length > 4096 || reference.length < 1 || reference.length > 31) return null;
  if (!isStorableText(token) || !isStorableText(reference)) return null;
  return { token, reference };
}

/** Returns the wallet token that the wallet's frame made from the customer's card, or null. */
function walletOf(fields: URLSearchParams): { token: string; reference: null } | null {
  const token = fields.get('walletToken') ?? '';
  return /^pm_\w{8,255}$/.test(token) ? { token, reference: null } : null;
}

const onPage = (notice: Notice | null = null): Onward => ({ to: 'page', notice });

/** Returns where the customer continues after an attempt. */
async function onward(
  deps: { database: Queryable; keyring: Keyring },
  visit: Visit,
  result: AttemptResult,
  method: PaymentMethod | null,
): Promise<Onward> {
  if (result.status === 'paid') return { to: 'shop' };
  if (result.status === 'requiresAction' && method === 'wallet') {
    const stored = await findOpenAction(deps.database, visit.payment.id);
    const action = stored?.actionSealed ? openAction(deps.keyring, stored) : null;
    if (action?.kind === 'wallet') return { to: 'wallet', url: action.url };
  }
  return onPage();
}

/** Returns the notice for a refusal; null for a refusal that the page already shows by its state. */
function noticeFor(refusal: Refusal): Notice | null {
  if (refusal.code === 'card_token_rejected') return 'card';
  return ['service_unavailable', 'rate_limited', 'too_many_declines'].includes(refusal.code)
    ? 'notSent'
    : null;
}

const noticeTexts = { card: 'noticeCard', notSent: 'notSent', script: 'noticeScript' } as const;

/**
 * Answers the script with JSON, and a form with a redirect to the page, which reads the state again. Only
 * hosted payments have actions here (AMB-22).
 */
async function answer(
  deps: PageStateDeps,
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
    if ('url' in done && !('to' in done)) return reply.send(done);
    return json ? reply.send(await onwardAnswer(deps, visit, done)) : redirect(reply, visit, done);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    countRefusal(error);
    return json
      ? answerScriptRefusal(deps, reply, visit, error)
      : answerFormRefusal(request, reply, visit, error);
  }
}

/** Returns the state for the script, with the address where the customer continues. */
async function onwardAnswer(deps: PageStateDeps, visit: Visit, done: Onward): Promise<StateAnswer> {
  if (done.to === 'shop') {
    return { fingerprint: 'paid', kind: 'paid', paid: true, next: visit.payment.successUrl, failure: null };
  }
  const state = await stateNow(deps, visit);
  return done.to === 'wallet' && state.kind === 'wallet' ? { ...state, next: done.url } : state;
}

/** Returns the state after the action; the visit's own record is older. */
async function stateNow(deps: PageStateDeps, visit: Visit): Promise<StateAnswer> {
  const payment = await loadCheckout(deps.database, visit.payment.id);
  return stateAnswer(deps, payment ? { ...visit, payment } : visit);
}

/**
 * Redirects to a page of this service first, because browsers apply the page's form policy to redirects too.
 * It would block the shop or the wallet.
 */
function redirect(reply: FastifyReply, visit: Visit, done: Onward): FastifyReply {
  if (done.to === 'shop') return reply.redirect(pagePath(visit, '/done'), 303);
  const noticeQuery = done.to === 'page' && done.notice !== null ? `&notice=${done.notice}` : '';
  return reply.redirect(`${pagePath(visit)}${noticeQuery}#status`, 303);
}

const isMistaken = ({ code }: Refusal): boolean =>
  code !== 'card_token_rejected' && (refusals[code].status === 400 || refusals[code].status === 422);

/**
 * Answers the script's refused request with the current state, and with `problem`: a text for a refusal that
 * the state alone does not explain.
 */
async function answerScriptRefusal(
  deps: PageStateDeps,
  reply: FastifyReply,
  visit: Visit,
  refusal: Refusal,
): Promise<FastifyReply> {
  const retryAfter = retryAfterOf(refusal);
  if (retryAfter !== undefined) void reply.header('Retry-After', String(retryAfter));
  const { status } = refusals[refusal.code];
  const body = { error: { code: refusal.code, message: refusal.message } };
  if (isMistaken(refusal)) return reply.status(status).send(body);
  const notice = noticeFor(refusal);
  const state = await stateNow(deps, visit).catch((error: unknown) => {
    if (error instanceof Refusal) return {};
    throw error;
  });
  const problem = notice === null ? null : messages[visit.locale][noticeTexts[notice]];
  return reply.status(status).send({ ...body, problem, ...state });
}

function answerFormRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  refusal: Refusal,
): FastifyReply {
  if (!isMistaken(refusal)) return redirect(reply, visit, onPage(noticeFor(refusal)));
  const text = messages[visit.locale];
  return sendMessagePage(request, reply, refusals[refusal.code].status, {
    locale: visit.locale,
    title: text.refusedTitle,
    text: text.refusedText,
    icon: 'stop',
    links: [],
  });
}
