import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Queryable } from '../../db/server/database.ts';
import type { Connectors } from '../../providers/connectors.ts';
import { messages } from '../../checkout-page/messages.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import { openAction } from '../../operations/payments/checkout-view.ts';
import { openCheckoutUrl } from '../../operations/payments/payment-reads.ts';
import {
  type OpenStep,
  type StepDeps,
  findStep,
  returnFromStep,
} from '../../operations/payments/open-step.ts';
import { isFramed, type LimitDeps, pageLocale, takePageAction } from './page-request.ts';
import { sendForwardPage, sendMessagePage, sendNeutralPage } from './message-pages.ts';

/** The dependencies of an attempt's page. */
interface ShowDeps {
  database: Queryable;
  keyring: Keyring;
  /** Epoch ms. */
  now: () => number;
}

/**
 * GET actionUrl: resumes the current challenge, on any device and after any reload, or shows its result. A
 * wrong, stale or foreign link gets the same neutral page. Spec: Custom-mode flow step 5; FLOW-06, PAGE-07.
 */
export const actionPage = (deps: ShowDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const found = await findStep(deps, tokenOf(request));
  return found ? showAttempt(deps, request, reply, found) : sendNeutralPage(request, reply);
};

/**
 * GET actionUrl/return: the network sends the customer here after the step. The page confirms the attempt
 * itself. Opening it twice, or during the merchant's own confirm, confirms once. A hosted payment continues
 * at its checkout page.
 */
export const actionReturn =
  (deps: ShowDeps & StepDeps & LimitDeps & { connectors: Connectors }) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const found = await findStep(deps, tokenOf(request));
    if (!found) return sendNeutralPage(request, reply);
    const { payment, attempt } = found;
    if (attempt.status !== 'requiresAction') return showAttempt(deps, request, reply, found);
    try {
      await takePageAction(deps, payment.id);
      const status = await returnFromStep(deps, found, request.id);
      return status === 'unfinished'
        ? showUnfinished(deps, request, reply, found)
        : showAttempt(deps, request, reply, { payment, attempt: { ...attempt, status } });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // Another call is confirming, or the outcome is still unknown: the action page shows the result.
      const again = await findStep(deps, tokenOf(request));
      return again ? showAttempt(deps, request, reply, again, true) : sendNeutralPage(request, reply);
    }
  };

const tokenOf = (request: FastifyRequest): string => (request.params as { token: string }).token;

function showAttempt(
  deps: Pick<ShowDeps, 'keyring' | 'now'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { payment, attempt }: OpenStep,
  confirming = false,
): FastifyReply {
  const locale = pageLocale(request, payment);
  const text = messages[locale];
  const overdue = payment.checkoutStatus === 'expired' || deps.now() >= payment.expiresAt.getTime();
  const waits = attempt.status === 'requiresAction' && !overdue;
  // Opens the bank's step, both in the frame of the checkout page and in a window of its own.
  if (waits && !confirming && attempt.actionSealed && attempt.actionKind === 'threeDS') {
    return reply.redirect(openAction(deps.keyring, attempt).url, 303);
  }
  // The step is over: the checkout page around this frame updates by itself.
  if (isFramed(request) && attempt.actionKind === 'threeDS') return stepDone(deps, request, reply, payment);
  if (attempt.status === 'paid') return sendForwardPage(request, reply, locale, payment.successUrl);
  if (payment.checkoutMode === 'hosted') {
    // The checkout page forwards to the shop if another call's confirmation made the payment paid meanwhile.
    return reply.redirect(`${openCheckoutUrl(deps.keyring, payment)}/done`, 303);
  }
  const back = { href: payment.cancelUrl, label: text.backToShop, primary: true };
  if (overdue) {
    return sendMessagePage(request, reply, 200, {
      locale,
      title: text.expiredTitle,
      text: text.expiredText,
      links: [back],
    });
  }
  if (attempt.status === 'requiresAction' || attempt.status === 'processing') {
    return sendMessagePage(request, reply, 200, {
      locale,
      title: text.processingTitle,
      text: text.processingText,
      links: [],
      refreshSeconds: 2,
    });
  }
  return sendMessagePage(request, reply, 200, {
    locale,
    title: text.declinedTitle,
    text: text.declinedText,
    links: [back],
  });
}

/** Answers a customer who left the step without an answer. The step stays open. */
function showUnfinished(
  { keyring }: { keyring: Keyring },
  request: FastifyRequest,
  reply: FastifyReply,
  { payment, attempt }: OpenStep,
): FastifyReply {
  const framed = isFramed(request) && attempt.actionKind === 'threeDS';
  if (payment.checkoutMode === 'hosted' && !framed) {
    return reply.redirect(`${openCheckoutUrl(keyring, payment)}#status`, 303);
  }
  const locale = pageLocale(request, payment);
  const text = messages[locale];
  const again = { href: request.url.replace(/\/return(\?.*)?$/, ''), label: text.continue, primary: true };
  const back = { href: payment.cancelUrl, label: text.backToShop, primary: false };
  return sendMessagePage(
    request,
    reply,
    200,
    {
      locale,
      title: text.unfinishedTitle,
      text: text.unfinishedText,
      links: framed ? [again] : [again, back],
    },
    framed ? frameAncestors(payment) : [],
  );
}

function stepDone(
  { keyring }: { keyring: Keyring },
  request: FastifyRequest,
  reply: FastifyReply,
  payment: PaymentRecord,
): FastifyReply {
  const locale = pageLocale(request, payment);
  const text = messages[locale];
  const href = `${openCheckoutUrl(keyring, payment)}#status`;
  return sendMessagePage(
    request,
    reply,
    200,
    {
      locale,
      title: text.stepDoneTitle,
      text: text.stepDoneText,
      links: [{ href, label: text.continue, primary: true, target: '_parent' }],
    },
    frameAncestors(payment),
  );
}

/**
 * Returns the origins that may frame the step: the checkout page's, and the shop's if it may embed the page.
 */
const frameAncestors = (payment: PaymentRecord): string[] => ["'self'", ...payment.frameOrigins];
