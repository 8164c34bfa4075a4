import { isReceiptQueued, queueReceipt } from '../../db/mail/receipts.ts';
import type { Database } from '../../db/server/database.ts';
import { isUuid } from '../../http/request.ts';
import type { RateLimiter } from '../../operations/rate-limits.ts';
import { type FormError, formError } from '../parts/form-error.ts';
import type { DashboardRoute } from '../route.ts';
import { texts } from '../texts/en.ts';
import { byOf, type Clock, redirectTo, type Visit } from '../visit.ts';

const text = texts.payments;

export interface ReceiptDeps extends Clock {
  database: Database;
  limiter: RateLimiter;
}

/** Sends the payment's page with the reason why no receipt was sent. */
type Show = (visit: Visit, why: FormError) => Promise<unknown>;

/** POST /payments/{id}/receipt: mails the customer's receipt again, once for each form. */
async function sendAgain(deps: ReceiptDeps, visit: Visit, show: Show) {
  const { tenant, form } = visit;
  const paymentId = (visit.params['id'] ?? '').toLowerCase();
  const formKey = (form.get('key') ?? '').toLowerCase();
  if (!isUuid(formKey)) return show(visit, formError(texts.common.refusals.invalid_request, 400));
  const request = { paymentId, formKey };
  const path = `/payments/${paymentId}`;
  // Checked before the limit, which a repeated submission must not reach.
  if (await isReceiptQueued(deps.database, tenant, request)) return redirectTo(visit, path, 'receiptQueued');
  const decision = await deps.limiter.take([
    { name: 'receipt.payment', subject: paymentId },
    { name: 'receipt.merchant', subject: tenant.merchantId },
  ]);
  if (decision?.admitted === false) {
    const minutes = Math.ceil(decision.retryAfterSeconds / 60);
    return show(visit, formError(text.receiptTooOften(minutes), 429));
  }
  const queued = await queueReceipt(deps.database, tenant, request, byOf(deps, visit));
  if (queued === 'queued') return redirectTo(visit, path, 'receiptQueued');
  return show(visit, formError(text.receiptRefused[queued], 409));
}

/** Returns the action that mails a receipt again; `show` sends the payment's page. */
export const receiptRoutes = (deps: ReceiptDeps, show: Show): readonly DashboardRoute[] => [
  {
    method: 'POST',
    path: '/payments/:id/receipt',
    permission: 'resend',
    owns: 'payment',
    handle: (visit) => sendAgain(deps, visit, show),
  },
];
