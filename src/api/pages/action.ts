import type { FastifyReply, FastifyRequest } from 'fastify';
import { messages } from '../../checkout-page/messages.ts';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { type AttemptAction, findActionByToken } from '../../db/payments/attempts.ts';
import { hasLaterAttempt } from '../../db/payments/checkout-page.ts';
import { loadPayment } from '../../db/payments/payments.ts';
import { attemptKey } from '../../domain/attempt-key.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import { actOnAction } from '../../operations/payments/act-on-action.ts';
import { openAction } from '../../operations/payments/checkout-view.ts';
import { openCheckoutUrl } from '../../operations/payments/create-payment.ts';
import type { ApiDeps } from '../deps.ts';
import { isFramed, takePageAction } from './page-request.ts';
import { sendForwardPage, sendMessagePage, sendNeutralPage } from './page-reply.ts';

interface Found {
  payment: PaymentRecord;
  attempt: AttemptAction;
}

/**
 * GET actionUrl: resumes the current challenge, on any device and after any reload, or says what became of
 * it. A wrong, stale or foreign link gives one neutral page. Spec: Custom-mode flow step 5; FLOW-06, PAGE-07.
 */
export const actionPage = (deps: ApiDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const found = await findAction(deps, request);
  return found ? showAttempt(deps, request, reply, found) : sendNeutralPage(request, reply);
};

/**
 * GET actionUrl/return: where the network sends the customer after the step. Confirms by itself; opening it
 * twice, or beside the merchant's own confirm, confirms once. A hosted payment goes on at its checkout page.
 */
export const actionReturn = (deps: ApiDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const found = await findAction(deps, request);
  if (!found) return sendNeutralPage(request, reply);
  const { payment, attempt } = found;
  if (attempt.status !== 'requiresAction') return showAttempt(deps, request, reply, found);
  try {
    await takePageAction(deps, payment.id);
    if (await isUnfinished(deps, found)) return await showUnfinished(deps, request, reply, found);
    const result = await actOnAction(deps, payment.id, () => deps.workflows.confirm(payment, request.id));
    if (result.status === 'paid') return await showAttempt(deps, request, reply, withStatus(found, 'paid'));
    if (result.status === 'failed') {
      return await showAttempt(deps, request, reply, withStatus(found, 'declined'));
    }
    return await showUnfinished(deps, request, reply, found);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Somebody else confirms, or the outcome is still unknown: the action page shows what comes of it.
    const again = await findAction(deps, request);
    return again ? showAttempt(deps, request, reply, again, true) : sendNeutralPage(request, reply);
  }
};

/**
 * Whether the network says that the customer has not done the step: confirming would change nothing, and each
 * time it did nothing would stay in the payment's history. A network that does not tell, or does not answer,
 * is asked to confirm.
 */
async function isUnfinished(deps: ApiDeps, { payment, attempt }: Found): Promise<boolean> {
  const { id: paymentId, merchantId, environment, amountCents } = payment;
  const { providerReference } = attempt;
  const key = attemptKey(paymentId, attempt.attemptNo);
  try {
    const { network } = await deps.connectors.portsOf(payment);
    const reference = { key, paymentId, merchantId, environment, amountCents, providerReference };
    const charge = await network.lookup(reference);
    return charge?.stepDone === false;
  } catch {
    return false;
  }
}

const withStatus = ({ payment, attempt }: Found, status: string): Found => ({
  payment,
  attempt: { ...attempt, status },
});

/** The attempt a link belongs to; null once a later attempt has taken its place. */
async function findAction(deps: ApiDeps, request: FastifyRequest): Promise<Found | null> {
  const { token } = request.params as { token: string };
  const attempt = await findActionByToken(
    deps.database,
    deps.keyring.lookupHashes(hashPurposes.actionToken, token),
  );
  if (!attempt || (await hasLaterAttempt(deps.database, attempt))) return null;
  const payment = await loadPayment(deps.database, attempt.paymentId);
  return payment ? { payment, attempt } : null;
}

function showAttempt(
  deps: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { payment, attempt }: Found,
  confirming = false,
): FastifyReply {
  const { locale } = payment;
  const text = messages[locale];
  const overdue = payment.checkoutStatus === 'expired' || deps.now() >= payment.expiresAt.getTime();
  const waits = attempt.status === 'requiresAction' && !overdue;
  // The step itself, in the frame of the checkout page as well as in a window of its own.
  if (waits && !confirming && attempt.actionSealed && attempt.actionKind === 'threeDS') {
    return reply.redirect(openAction(deps.keyring, attempt).url, 303);
  }
  // In the frame of the checkout page, which notices by itself.
  if (isFramed(request) && attempt.actionKind === 'threeDS') return stepDone(deps, request, reply, payment);
  if (attempt.status === 'paid') return sendForwardPage(request, reply, locale, payment.successUrl);
  if (payment.checkoutMode === 'hosted') {
    // Leads on to the shop when somebody else's confirmation made it paid meanwhile.
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

/** The customer left the step without an answer: it stays open. */
function showUnfinished(
  deps: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { payment, attempt }: Found,
): FastifyReply {
  const framed = isFramed(request) && attempt.actionKind === 'threeDS';
  if (payment.checkoutMode === 'hosted' && !framed) {
    return reply.redirect(`${openCheckoutUrl(deps.keyring, payment)}#status`, 303);
  }
  const text = messages[payment.locale];
  const again = { href: request.url.replace(/\/return(\?.*)?$/, ''), label: text.continue, primary: true };
  const back = { href: payment.cancelUrl, label: text.backToShop, primary: false };
  return sendMessagePage(
    request,
    reply,
    200,
    {
      locale: payment.locale,
      title: text.unfinishedTitle,
      text: text.unfinishedText,
      links: framed ? [again] : [again, back],
    },
    framed ? frameAncestors(payment) : [],
  );
}

function stepDone(
  deps: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  payment: PaymentRecord,
): FastifyReply {
  const text = messages[payment.locale];
  const href = `${openCheckoutUrl(deps.keyring, payment)}#status`;
  return sendMessagePage(
    request,
    reply,
    200,
    {
      locale: payment.locale,
      title: text.stepDoneTitle,
      text: text.stepDoneText,
      links: [{ href, label: text.continue, primary: true, target: '_parent' }],
    },
    frameAncestors(payment),
  );
}

/** The checkout page, and the shop that may embed it. */
const frameAncestors = (payment: PaymentRecord): string[] => ["'self'", ...payment.frameOrigins];
