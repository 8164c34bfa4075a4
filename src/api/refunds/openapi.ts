import { StageEvidenceBody } from '../disputes/bodies.ts';
import { CreateRefundBody } from './bodies.ts';
import { emptyObject } from '../http/fields.ts';
import { dataOf, listOf } from '../http/schema.ts';
import { Dispute, ListDisputesQuery } from '../disputes/schema.ts';
import { ListRefundsQuery, Refund } from './schema.ts';
import { type Operation, keyCodes } from '../http/operation.ts';

const listed = { success: 200, codes: ['invalid_query'] } as const;
const listedOfPayment = { success: 200, codes: ['invalid_query', 'not_found'] } as const;
const read = { success: 200, codes: ['not_found'] } as const;
const answered = ['not_found', 'evidence_already_submitted', 'dispute_closed', 'evidence_past_due'] as const;

/** Refunds. Contracts section 6. */
const refundOperations: readonly Operation[] = [
  {
    id: 'createRefund',
    method: 'post',
    path: '/v1/payments/{id}/refunds',
    group: 'Refunds',
    summary: 'Refund a payment, in part or all that is left',
    keyed: true,
    body: { schema: CreateRefundBody, required: false },
    success: 201,
    answer: dataOf(Refund),
    codes: [...keyCodes, 'not_found', 'payment_not_refundable', 'validation_failed'],
  },
  {
    id: 'listRefundsOfPayment',
    method: 'get',
    path: '/v1/payments/{id}/refunds',
    group: 'Refunds',
    summary: 'List the refunds of a payment',
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
    answer: dataOf(Refund),
    ...read,
  },
  {
    id: 'cancelRefund',
    method: 'post',
    path: '/v1/refunds/{id}/cancel',
    group: 'Refunds',
    summary: 'Cancel a refund before it is submitted',
    success: 200,
    answer: dataOf(Refund),
    codes: ['not_found', 'refund_not_cancelable'],
  },
];

/** Disputes. Contracts section 7. */
const disputeOperations: readonly Operation[] = [
  {
    id: 'listDisputes',
    method: 'get',
    path: '/v1/disputes',
    group: 'Disputes',
    summary: 'List disputes',
    query: ListDisputesQuery,
    answer: listOf(Dispute),
    ...listed,
  },
  {
    id: 'listDisputesOfPayment',
    method: 'get',
    path: '/v1/payments/{id}/disputes',
    group: 'Disputes',
    summary: 'List the disputes of a payment',
    query: ListDisputesQuery,
    answer: listOf(Dispute),
    ...listedOfPayment,
  },
  {
    id: 'retrieveDispute',
    method: 'get',
    path: '/v1/disputes/{id}',
    group: 'Disputes',
    summary: 'Read a dispute',
    answer: dataOf(Dispute),
    ...read,
  },
  {
    id: 'stageEvidence',
    method: 'put',
    path: '/v1/disputes/{id}/evidence',
    group: 'Disputes',
    summary: 'Stage evidence',
    description: 'The texts may also be given at the top level, without `evidence`.',
    body: { schema: StageEvidenceBody, required: true },
    success: 200,
    answer: dataOf(Dispute),
    codes: [...answered, 'validation_failed'],
  },
  {
    id: 'submitEvidence',
    method: 'post',
    path: '/v1/disputes/{id}/submit',
    group: 'Disputes',
    summary: 'Submit the staged evidence; final',
    keyed: true,
    body: { schema: emptyObject, required: false },
    success: 200,
    answer: dataOf(Dispute),
    codes: [...keyCodes, ...answered, 'validation_failed'],
  },
  {
    id: 'acceptDispute',
    method: 'post',
    path: '/v1/disputes/{id}/accept',
    group: 'Disputes',
    summary: 'Accept a dispute; final',
    keyed: true,
    body: { schema: emptyObject, required: false },
    success: 200,
    answer: dataOf(Dispute),
    codes: [...keyCodes, ...answered],
  },
];

/** What happens to a payment after it was paid. */
export const afterPaymentOperations: readonly Operation[] = [...refundOperations, ...disputeOperations];
