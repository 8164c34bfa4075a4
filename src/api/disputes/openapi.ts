import { emptyObject } from '../http/fields.ts';
import { type Operation, keyCodes, listed, listedOfPayment, read } from '../http/operation.ts';
import { dataOf } from '../http/schema.ts';
import { StageEvidenceBody } from './write.ts';
import { Dispute, DisputeList, ListDisputesQuery } from './schema.ts';

const answered = ['not_found', 'evidence_already_submitted', 'dispute_closed', 'evidence_past_due'] as const;

const twoOrders =
  'By `page` and `perPage`, newest first. With `dueBefore` by `limit` and `cursor`, the next deadline first.';

/** Operations of disputes (docs/refunds-and-disputes.md). */
export const disputeOperations: readonly Operation[] = [
  {
    id: 'listDisputes',
    method: 'get',
    path: '/v1/disputes',
    group: 'Disputes',
    summary: 'List disputes',
    description: twoOrders,
    query: ListDisputesQuery,
    answer: DisputeList,
    ...listed,
  },
  {
    id: 'listDisputesOfPayment',
    method: 'get',
    path: '/v1/payments/{id}/disputes',
    group: 'Disputes',
    summary: 'List the disputes of a payment',
    description: twoOrders,
    query: ListDisputesQuery,
    answer: DisputeList,
    ...listedOfPayment,
  },
  {
    id: 'retrieveDispute',
    method: 'get',
    path: '/v1/disputes/{id}',
    group: 'Disputes',
    summary: 'Read a dispute',
    description: 'With the evidence that is staged or was submitted.',
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
    description: 'Sends the staged texts to the network. They cannot be changed or sent again at this stage.',
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
    description: 'The customer keeps the money, and the dispute is lost.',
    keyed: true,
    body: { schema: emptyObject, required: false },
    success: 200,
    answer: dataOf(Dispute),
    codes: [...keyCodes, ...answered],
  },
];
