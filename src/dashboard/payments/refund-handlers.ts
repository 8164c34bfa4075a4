import { uuidv7 } from 'uuidv7';
import {
  approvalFor,
  ApprovalNeeded,
  askApproval,
  ConfirmationNeeded,
  recordApproved,
  refundedByMember,
} from '../../db/refunds/refund-approvals.ts';
import { referenceHoldsCardNumber } from '../../domain/card-number.ts';
import { largeRefundCents } from '../../domain/members.ts';
import { refundReasons } from '../../domain/refund.ts';
import { isLengthWithin, isStorableText } from '../../domain/text.ts';
import { isUuid } from '../../http/request.ts';
import { type CreateRefundDeps, createRefund } from '../../operations/refunds/create-refund.ts';
import { confirmPathOfForm, type StoredPagesDeps } from '../stored-pages.ts';
import { centsOf } from '../parts/format.ts';
import { catchRefusal, formError, type FormError } from '../parts/form-error.ts';
import type { DashboardRoute } from '../route.ts';
import { texts } from '../texts/en.ts';
import { byOf, isFresh, redirectTo, type Visit } from '../visit.ts';
import type { PaymentPageData } from './data.ts';

const text = texts.payments;

type RefundFormDeps = CreateRefundDeps & StoredPagesDeps;

/** Sends the payment's page with what was wrong in a form. */
type Show = (
  visit: Visit,
  refused: { form: PaymentPageData['refundForm']; why: FormError },
) => Promise<unknown>;

const idOf = ({ params }: Visit): string => (params['id'] ?? '').toLowerCase();

const longestReference = 255;

/** Returns why a reference, which is stored unencrypted, is invalid; null for a valid one. */
function referenceProblem(reference: string): string | null {
  if (!isStorableText(reference)) return text.referenceCharacters;
  if (!isLengthWithin(reference, 1, longestReference)) return text.referenceTooLong(longestReference);
  return referenceHoldsCardNumber(reference) ? text.referenceHoldsCard : null;
}

/** POST /payments/{id}/refunds: creates the same refund as the API, once per form. */
async function refund(deps: RefundFormDeps, visit: Visit, show: Show) {
  const { form, tenant, actor } = visit;
  const field = (name: string): string => form.get(name) ?? '';
  const shown = { amount: field('amount'), reason: field('reason'), reference: field('reference') };
  const amountCents = centsOf(shown.amount);
  if (amountCents === null || amountCents === 0) {
    const why = formError(text.invalidAmount);
    return show(visit, { form: shown, why });
  }
  const { member } = visit.session;
  const key = /^dashboard-[0-9a-f-]{36}$/.test(field('key')) ? field('key') : `dashboard-${uuidv7()}`;
  const reason = refundReasons.find((known) => known === shown.reason) ?? null;
  const reference = shown.reference.trim() === '' ? null : shown.reference.trim();
  const problem = reference === null ? null : referenceProblem(reference);
  if (problem !== null) return show(visit, { form: shown, why: formError(problem) });
  const command = { amountCents, reason, reference, metadata: {} };
  // The idempotency key is bound to the body that the API would receive.
  const body = {
    amountCents,
    ...(reason === null ? {} : { reason }),
    ...(reference === null ? {} : { reference }),
  };
  const paymentId = idOf(visit);
  // Several small refunds count as a large one. The sum covers a day, which is longer than any session.
  const limit = isFresh(deps, visit) ? {} : { confirmFromCents: largeRefundCents };
  const made = await catchRefusal(async () => {
    try {
      await createRefund(deps, tenant, { paymentId, key, body, command, ...limit }, actor);
      return 'refunded' as const;
    } catch (error) {
      if (error instanceof ConfirmationNeeded) return 'unconfirmed' as const;
      if (!(error instanceof ApprovalNeeded)) throw error;
      const asked = { paymentId, amountCents, reason, reference, formKey: key };
      await askApproval(deps.database, tenant, member, asked, byOf(deps, visit));
      return 'approvalAsked' as const;
    }
  });
  if (!made.ok) return show(visit, { form: shown, why: made });
  if (made.result === 'unconfirmed') {
    return visit.reply.redirect(await confirmPathOfForm(deps, visit), 303);
  }
  return redirectTo(visit, `/payments/${paymentId}`, made.result);
}

/** Whether a refund of the typed amount requires a recent confirmation, as far as it can be foreseen. */
async function mayNeedConfirmation({ database }: RefundFormDeps, { form, tenant, session }: Visit) {
  const amountCents = centsOf(form.get('amount') ?? '');
  if (amountCents === null || amountCents === 0) return false;
  const made = await refundedByMember(database, tenant, session.member.id);
  return made + amountCents >= largeRefundCents;
}

/** POST /payments/{id}/refunds/approve: creates a refund that another member requested. */
async function approve(deps: RefundFormDeps, visit: Visit, show: Show) {
  const { tenant, actor } = visit;
  const paymentId = idOf(visit);
  const memberId = visit.session.member.id;
  const id = visit.form.get('approval') ?? '';
  const by = byOf(deps, visit);
  const found = isUuid(id)
    ? await approvalFor(deps.database, tenant, { id, paymentId, memberId }, by)
    : 'unknown';
  if (typeof found === 'string') {
    const why = formError(text.approvalRefused[found], found === 'own' ? 403 : 409);
    return show(visit, { form: null, why });
  }
  const { amountCents, reason, reference } = found;
  const command = { amountCents, reason, reference, metadata: {} };
  // Only one refund is created, however many members approve at once, and also if a crash prevents the record
  // of the approval.
  const asked = { paymentId, key: `approval-${id}`, body: { approval: id }, command, approvalId: id };
  const made = await catchRefusal(() => createRefund(deps, tenant, asked, actor));
  if (!made.ok) return show(visit, { form: null, why: made });
  await recordApproved(deps.database, tenant, { id, memberId, refundId: made.result.refund.id }, by);
  return redirectTo(visit, `/payments/${paymentId}`, 'refunded');
}

const ofPayment = { method: 'POST', permission: 'refund', owns: 'payment' } as const;

/** Returns the actions that refund a payment; `show` sends its page. */
export const refundFormRoutes = (deps: RefundFormDeps, show: Show): readonly DashboardRoute[] => [
  {
    ...ofPayment,
    path: '/payments/:id/refunds',
    mayNeedConfirmation: (visit) => mayNeedConfirmation(deps, visit),
    handle: (visit) => refund(deps, visit, show),
  },
  {
    ...ofPayment,
    path: '/payments/:id/refunds/approve',
    fresh: true,
    handle: (visit) => approve(deps, visit, show),
  },
];
