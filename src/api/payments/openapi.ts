import { ConfirmBody } from './confirm.ts';
import { CreatePaymentBody } from './create.ts';
import { PayBody } from './pay.ts';
import { AttemptResult, CheckoutObject, StatusObject, StatusQuery } from './checkout-schema.ts';
import { dataOf, listOf } from '../http/schema.ts';
import { CreationResult, Payment, ListPaymentsQuery } from './schema.ts';
import { Timeline, TimelineQuery } from './timeline-schema.ts';
import { type Operation, keyCodes } from '../http/operation.ts';

const closed = ['checkout_expired', 'attempts_exhausted'] as const;
const path = '/v1/payments/{id}';

/** The eight endpoints of the specification, with its errors, and the timeline. docs/errors.md. */
export const paymentOperations: readonly Operation[] = [
  {
    id: 'createPayment',
    method: 'post',
    path: '/v1/payments',
    group: 'Payments',
    summary: 'Create a payment and its checkout session',
    description:
      'The same key and body answer the original 201 again, with `Idempotent-Replayed: true`, for 24 hours.',
    keyed: true,
    body: { schema: CreatePaymentBody, required: true },
    success: 201,
    answer: dataOf(CreationResult),
    codes: [...keyCodes, 'validation_failed'],
  },
  {
    id: 'listPayments',
    method: 'get',
    path: '/v1/payments',
    group: 'Payments',
    summary: 'List payments, newest first',
    description:
      'By pages, with the exact number of all matches. To find a payment by its reference use the search.',
    query: ListPaymentsQuery,
    success: 200,
    answer: listOf(Payment),
    codes: ['invalid_query'],
  },
  {
    id: 'retrievePayment',
    method: 'get',
    path,
    group: 'Payments',
    summary: 'Read a payment',
    description:
      'Stored state: the payment network is not called. With `waitSeconds` the answer comes when the status, ' +
      'the refunds or whether it can still be paid change.',
    query: StatusQuery,
    success: 200,
    answer: dataOf(Payment),
    codes: ['not_found'],
  },
  {
    id: 'prepareCapture',
    method: 'post',
    path: `${path}/capture`,
    group: 'Payments',
    summary: 'Prepare card capture',
    description: 'No body. Charges nothing; a retry returns the same access and does not extend it.',
    success: 200,
    answer: dataOf(CheckoutObject),
    codes: ['not_found', 'payment_in_progress', 'action_required', 'result_pending', ...closed],
  },
  {
    id: 'retrieveCheckout',
    method: 'get',
    path: `${path}/checkout`,
    group: 'Payments',
    summary: 'Read a checkout',
    description:
      'Stored state of a merchant-captured checkout, with `actionUrl` while the customer must complete a step.',
    success: 200,
    answer: dataOf(CheckoutObject),
    codes: ['not_found'],
  },
  {
    id: 'pay',
    method: 'post',
    path: `${path}/pay`,
    group: 'Payments',
    summary: 'Pay with a captured card',
    description:
      'A declined attempt is a success answer with `status: failed`. After 409 or 503 poll the status.',
    body: { schema: PayBody, required: true },
    success: 200,
    answer: dataOf(AttemptResult),
    codes: [
      'not_found',
      'payment_in_progress',
      'action_required',
      'result_pending',
      ...closed,
      'card_token_rejected',
      'too_many_declines',
    ],
  },
  {
    id: 'confirm',
    method: 'post',
    path: `${path}/confirm`,
    group: 'Payments',
    summary: "Confirm the customer's step",
    description:
      'Only for merchants approved for custom action handling; the page at `actionUrl` does it by itself.',
    body: { schema: ConfirmBody, required: true },
    success: 200,
    answer: dataOf(AttemptResult),
    codes: [
      'not_found',
      'confirmation_in_progress',
      'confirmation_not_required',
      'result_pending',
      ...closed,
    ],
  },
  {
    id: 'retrieveStatus',
    method: 'get',
    path: `${path}/status`,
    group: 'Payments',
    summary: 'Read the status of a checkout',
    description: 'With `waitSeconds` the answer comes when the status changes; at once where it is final.',
    query: StatusQuery,
    success: 200,
    answer: dataOf(StatusObject),
    codes: ['not_found'],
  },
  {
    id: 'retrieveTimeline',
    method: 'get',
    path: `${path}/timeline`,
    group: 'Payments',
    summary: 'Read what happened to a payment, and whom it waits for',
    description: 'With `at`, the payment and its timeline as they were at that instant.',
    query: TimelineQuery,
    success: 200,
    answer: dataOf(Timeline),
    codes: ['invalid_query', 'not_found'],
  },
];
