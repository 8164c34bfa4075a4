import type { WorkflowStartOptions } from '@temporalio/client';
import {
  TypedSearchAttributes,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  defineSearchAttributeKey,
} from '@temporalio/common';
import type { PaymentRecord } from '../../domain/payment.ts';
import { paymentWorkflowId, taskQueue } from '../contract/ids.ts';
import type { paymentWorkflow } from '../../workflows/payment/payment.ts';

/** What starting a workflow needs to know of a payment. */
export type WorkflowPayment = Pick<
  PaymentRecord,
  'id' | 'merchantId' | 'environment' | 'checkoutMode' | 'amountCents' | 'expiresAt' | 'captureExpiresAt'
>;

/**
 * Start options of a payment's workflow: ids, queue, search attributes and the summary operators see. `resume`: an
 * earlier run is gone, so the new one takes over what the rows hold; otherwise a payment's id is never used twice.
 */
export function paymentWorkflowStart(
  payment: WorkflowPayment,
  queuePrefix: string,
  resume = false,
): WorkflowStartOptions<typeof paymentWorkflow> {
  const amount = (payment.amountCents / 100).toFixed(2);
  return {
    workflowId: paymentWorkflowId(payment.id),
    taskQueue: taskQueue(queuePrefix, 'payments'),
    workflowIdReusePolicy: resume
      ? WorkflowIdReusePolicy.ALLOW_DUPLICATE
      : WorkflowIdReusePolicy.REJECT_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    args: [
      {
        paymentId: payment.id,
        merchantId: payment.merchantId,
        environment: payment.environment,
        mode: payment.checkoutMode,
        amountCents: payment.amountCents,
        expiresAtMs: payment.expiresAt.getTime(),
        captureEndsAtMs: payment.captureExpiresAt.getTime(),
        ...(resume ? { resume: true } : {}),
      },
    ],
    typedSearchAttributes: new TypedSearchAttributes([
      { key: defineSearchAttributeKey('MerchantId', 'KEYWORD'), value: payment.merchantId },
      { key: defineSearchAttributeKey('PaymentEnvironment', 'KEYWORD'), value: payment.environment },
      { key: defineSearchAttributeKey('PaymentStatus', 'KEYWORD'), value: 'pending' },
      { key: defineSearchAttributeKey('CheckoutStatus', 'KEYWORD'), value: 'open' },
      { key: defineSearchAttributeKey('AttemptsLeft', 'INT'), value: 5 },
      { key: defineSearchAttributeKey('AmountCents', 'INT'), value: payment.amountCents },
      { key: defineSearchAttributeKey('NeedsAttention', 'BOOL'), value: false },
    ]),
    staticSummary: `USD ${amount} · ${payment.checkoutMode} · ${payment.environment}`,
  };
}
