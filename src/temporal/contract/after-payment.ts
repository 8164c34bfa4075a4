import { TypedSearchAttributes, defineSearchAttributeKey } from '@temporalio/common';
import type { Environment } from '../../domain/statuses.ts';
import { disputeWorkflowId, refundWorkflowId } from './ids.ts';

/*
 * How the workflows that follow a payment (refunds, disputes, sandbox orders) are started and talked to: shared by the
 * API and by the sweeper's workflow.
 */

/** Input of a refund's workflow. Instants in epoch ms. */
export interface RefundWorkflowInput {
  refundId: string;
  /** Not submitted before: until then the merchant may cancel. */
  submitAtMs: number;
  /** Events of its creation, whose deliveries are to be started. */
  eventIds: string[];
}

/** Tells a refund's workflow of news; only a hint: rows and network are read again. */
export interface RefundNews {
  submitNow: boolean;
  /** Committed events whose deliveries are to be started. */
  eventIds: string[];
}

/** Input of a dispute's workflow: our id and the network's. */
export interface DisputeWorkflowInput {
  disputeId: string;
  reference: string;
}

/** What search attributes and summaries tell of the payment behind a refund or dispute. */
export interface FollowedPayment {
  merchantId: string;
  environment: Environment;
  amountCents: number;
}

export const refundNews = 'refundNews';
export const disputeNews = 'disputeNews';
export const answerDispute = 'answerDispute';

function attributes({ merchantId, environment, amountCents }: FollowedPayment): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: defineSearchAttributeKey('MerchantId', 'KEYWORD'), value: merchantId },
    { key: defineSearchAttributeKey('PaymentEnvironment', 'KEYWORD'), value: environment },
    { key: defineSearchAttributeKey('AmountCents', 'INT'), value: amountCents },
    { key: defineSearchAttributeKey('NeedsAttention', 'BOOL'), value: false },
  ]);
}

/** Start options of a refund's workflow, without queue and policies. */
export function refundStart(
  refund: FollowedPayment & { id: string; submitAfterMs: number; eventIds: string[] },
) {
  const { id: refundId, submitAfterMs: submitAtMs, eventIds } = refund;
  const input: RefundWorkflowInput = { refundId, submitAtMs, eventIds };
  return {
    workflowId: refundWorkflowId(refund.id),
    args: [input] as [RefundWorkflowInput],
    typedSearchAttributes: attributes(refund),
    staticSummary: `refund · USD ${(refund.amountCents / 100).toFixed(2)} · ${refund.environment}`,
  };
}

/** Start options of a dispute's workflow, without queue and policies. */
export function disputeStart(dispute: FollowedPayment & { id: string; reference: string }) {
  const input: DisputeWorkflowInput = { disputeId: dispute.id, reference: dispute.reference };
  return {
    workflowId: disputeWorkflowId(dispute.id),
    args: [input] as [DisputeWorkflowInput],
    typedSearchAttributes: attributes(dispute),
    staticSummary: `dispute · USD ${(dispute.amountCents / 100).toFixed(2)} · ${dispute.environment}`,
  };
}
