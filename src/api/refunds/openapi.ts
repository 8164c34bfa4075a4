import { type Operation, keyCodes, listed, listedOfPayment, read } from '../http/operation.ts';
import { dataOf, listOf } from '../http/schema.ts';
import { CreateRefundBody } from './write.ts';
import { ListRefundsQuery, Refund } from './schema.ts';

/** Operations of refunds (docs/refunds-and-disputes.md). */
export const refundOperations: readonly Operation[] = [
  {
    id: 'createRefund',
    method: 'post',
    path: '/v1/payments/{id}/refunds',
    group: 'Refunds',
    summary: 'Refund a payment, in part or its whole remaining amount',
    description:
      'The refund begins as `pending`. The same key and body answer the original 201 again, for 24 hours.',
    keyed: true,
    body: { schema: CreateRefundBody, required: false },
    success: 201,
    answer: dataOf(Refund),
    codes: [...keyCodes, 'cap_reached', 'not_found', 'payment_not_refundable', 'validation_failed'],
  },
  {
    id: 'listRefundsOfPayment',
    method: 'get',
    path: '/v1/payments/{id}/refunds',
    group: 'Refunds',
    summary: 'List the refunds of a payment',
    description: 'In any status, newest first.',
    query: ListRefundsQuery,
    answer: listOf(Refund),
    ...listedOfPayment,
  },
  {
    id: 'listRefunds',
    method: 'get',
    path: '/v1/refunds',
    group: 'Refunds',
    summary: 'List refunds',
    description: 'The refunds of all payments in any status, newest first.',
    query: ListRefundsQuery,
    answer: listOf(Refund),
    ...listed,
  },
  {
    id: 'retrieveRefund',
    method: 'get',
    path: '/v1/refunds/{id}',
    group: 'Refunds',
    summary: 'Read a refund',
    description: 'Stored state: the payment network is not called.',
    answer: dataOf(Refund),
    ...read,
  },
  {
    id: 'cancelRefund',
    method: 'post',
    path: '/v1/refunds/{id}/cancel',
    group: 'Refunds',
    summary: 'Cancel a refund before it is submitted',
    description: 'Once it was sent to the network it can no longer be canceled.',
    success: 200,
    answer: dataOf(Refund),
    codes: ['not_found', 'refund_not_cancelable'],
  },
];
