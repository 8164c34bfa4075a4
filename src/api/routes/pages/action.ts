import type { FastifyReply, FastifyRequest } from 'fastify';
import { messages } from '../../../checkout-page/messages.ts';
import { hashPurposes } from '../../../crypto/places.ts';
import { type AttemptAction, findActionByToken } from '../../../db/attempts.ts';
import { loadPayment } from '../../../db/payments.ts';
import type { PaymentRecord } from '../../../domain/payment.ts';
import { Refusal } from '../../../domain/refusals.ts';
import { openAction } from '../../checkout-view.ts';
import type { ApiDeps } from '../../deps.ts';
import { sendMessagePage } from './page-reply.ts';

/**
 * GET actionUrl: resumes the current challenge, on any device and after any reload, or says what became of it. A wrong,
 * stale or foreign link gives one neutral page. Spec: Custom-mode flow step 5; FLOW-06, PAGE-07.
 */
export const actionPage = (deps: ApiDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const found = await findAction(deps, request);
  return found ? showAttempt(deps, reply, found.payment, found.attempt) : neutral(reply);
};

/**
 * GET actionUrl/return: where the network sends the customer after the step. Confirms by itself; opening it twice, or
 * beside the merchant's own confirm, confirms once.
 */
export const actionReturn = (deps: ApiDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const found = await findAction(deps, request);
  if (!found) return neutral(reply);
  const { payment, attempt } = found;
  if (attempt.status !== 'requiresAction') return showAttempt(deps, reply, payment, attempt);
  const text = messages[payment.locale];
  try {
    const result = await deps.workflows.confirm(payment, request.id);
    if (result.status === 'paid') return await reply.redirect(payment.successUrl, 303);
    if (result.status === 'failed')
      return await showAttempt(deps, reply, payment, { ...attempt, status: 'declined' });
    return await sendMessagePage(reply, 200, {
      locale: payment.locale,
      title: text.unfinishedTitle,
      text: text.unfinishedText,
      links: [
        { href: request.url.replace(/\/return(\?.*)?$/, ''), label: text.continue, primary: true },
        { href: payment.cancelUrl, label: text.backToShop, primary: false },
      ],
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Somebody else confirms, or the outcome is still unknown: the action page shows what comes of it.
    const again = await findAction(deps, request);
    return again ? showAttempt(deps, reply, again.payment, again.attempt, true) : neutral(reply);
  }
};

async function findAction(
  deps: ApiDeps,
  request: FastifyRequest,
): Promise<{ payment: PaymentRecord; attempt: AttemptAction } | null> {
  const { token } = request.params as { token: string };
  const attempt = await findActionByToken(
    deps.database,
    deps.keyring.lookupHash(hashPurposes.actionToken, token),
  );
  const payment = attempt ? await loadPayment(deps.database, attempt.paymentId) : null;
  return attempt && payment ? { payment, attempt } : null;
}

function showAttempt(
  deps: ApiDeps,
  reply: FastifyReply,
  payment: PaymentRecord,
  attempt: AttemptAction,
  confirming = false,
): FastifyReply {
  const { locale } = payment;
  const text = messages[locale];
  const back = { href: payment.cancelUrl, label: text.backToShop, primary: true };
  if (attempt.status === 'paid') return reply.redirect(payment.successUrl, 303);
  if (payment.checkoutStatus === 'expired' || deps.now() >= payment.expiresAt.getTime()) {
    return sendMessagePage(reply, 200, {
      locale,
      title: text.expiredTitle,
      text: text.expiredText,
      links: [back],
    });
  }
  if (attempt.status === 'requiresAction' && !confirming && attempt.actionSealed) {
    return reply.redirect(openAction(deps.keyring, attempt).url, 303);
  }
  if (attempt.status === 'requiresAction' || attempt.status === 'processing') {
    return sendMessagePage(reply, 200, {
      locale,
      title: text.processingTitle,
      text: text.processingText,
      links: [],
      refreshSeconds: 2,
    });
  }
  return sendMessagePage(reply, 200, {
    locale,
    title: text.declinedTitle,
    text: text.declinedText,
    links: [back],
  });
}

function neutral(reply: FastifyReply): FastifyReply {
  return sendMessagePage(reply, 404, {
    locale: 'en',
    title: messages.en.unknownTitle,
    text: messages.en.unknownText,
    links: [],
  });
}
