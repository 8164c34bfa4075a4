import type { WorkflowStartOptions } from '@temporalio/client';
import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { attemptsPerCheckout } from '../../domain/checkout-state.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { paymentWorkflowId, taskQueue } from './ids.ts';
import type { PaymentWorkflow, PaymentWorkflowInput } from './payment.ts';
import { paymentAttributes } from './search-attribute-keys.ts';

/** The fields of a payment that starting its workflow needs. */
export type StartablePayment = Pick<
  PaymentRecord,
  'id' | 'merchantId' | 'environment' | 'checkoutMode' | 'amountCents' | 'expiresAt' | 'captureExpiresAt'
> &
  Pick<PaymentRecord, 'reference' | 'successUrl' | 'cancelUrl' | 'connectorId' | 'creationKeyHash'>;

/** Returns the facts from which a payment is restored when its rows are lost. */
const creationOf = (payment: StartablePayment): NonNullable<PaymentWorkflowInput['creation']> => ({
  reference: payment.reference,
  successUrl: payment.successUrl,
  cancelUrl: payment.cancelUrl,
  connectorId: payment.connectorId,
  keyHash: payment.creationKeyHash?.toString('hex') ?? null,
});

/**
 * Returns the start options of a payment's workflow: ids, queue, search attributes and the summary that
 * operators see. A payment needs no work before a call needs it or its first deadline passes. The start is
 * therefore delayed until that deadline, and any update ends the delay. `resume`: an earlier run is gone, so
 * the new one resumes from the rows; otherwise a payment's id is never used twice.
 */
export function paymentWorkflowStart(
  payment: StartablePayment,
  queuePrefix: string,
  nowMs: number,
  resume = false,
): WorkflowStartOptions<PaymentWorkflow> {
  const firstDeadline = payment.checkoutMode === 'custom' ? payment.captureExpiresAt : payment.expiresAt;
  const idleMs = firstDeadline.getTime() - nowMs;
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
        creation: creationOf(payment),
        ...(resume ? { resume: true } : {}),
      },
    ],
    typedSearchAttributes: paymentAttributes({
      ...payment,
      status: 'pending',
      checkoutStatus: 'open',
      attemptsLeft: attemptsPerCheckout,
    }),
    ...(resume || idleMs <= 0 ? {} : { startDelay: idleMs }),
    staticSummary: `USD ${amount} · ${payment.checkoutMode} · ${payment.environment}`,
  };
}
