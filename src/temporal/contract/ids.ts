// All ids of workflows and updates and all names of queues are made here, so that look-ups find them.

/** Returns the id of a payment's workflow. */
export const paymentWorkflowId = (paymentId: string): string => `payment-${paymentId}`;
/** Returns the payment that a workflow id names; null for the id of another kind. */
export const paymentIdOf = (workflowId: string): string | null =>
  workflowId.startsWith('payment-') ? workflowId.slice('payment-'.length) : null;
/**
 * Returns the id of the update that makes an attempt. It names the reservation and not only the number: after
 * a restore PostgreSQL may reserve a number again, whose earlier update has ended with another result. ADR
 * 0038.
 */
export const payUpdateId = (attemptNo: number, requestId: string): string => `pay-${attemptNo}-${requestId}`;
/** Returns the attempt that an update's id names; null for the id of another kind. */
export const attemptOfUpdate = (updateId: string): number | null => {
  const attemptNo = /^pay-([0-9]{1,9})(?:-|$)/.exec(updateId)?.[1];
  return attemptNo === undefined ? null : Number(attemptNo);
};
/** Returns the request that an update's id names; null for the id of another kind. */
export const requestOfUpdate = (updateId: string): string | null =>
  /^(?:pay-[0-9]{1,9}-)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(updateId)?.[1] ?? null;
export const refundWorkflowId = (refundId: string): string => `refund-${refundId}`;
/** Returns the refund that a workflow id names; null for the id of another kind. */
export const refundIdOf = (workflowId: string): string | null =>
  workflowId.startsWith('refund-') ? workflowId.slice('refund-'.length) : null;
export const disputeWorkflowId = (disputeId: string): string => `dispute-${disputeId}`;
export const sandboxWorkflowId = (operationId: string): string => `sandbox-${operationId}`;
export const deliveryWorkflowId = (eventId: string, endpointId: string): string =>
  `webhook-${eventId}-${endpointId}`;
export const replayWorkflowId = (replayId: string): string => `webhook-replay-${replayId}`;
export const reconciliationWorkflowId = (runId: string): string => `reconciliation-${runId}`;

/** The row that a workflow works on. */
export type WorkflowSubject =
  | { kind: 'payment' | 'refund' | 'dispute'; id: string }
  | { kind: 'delivery'; eventId: string; endpointId: string };

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const ofRow = new RegExp(`^(payment|refund|dispute)-(${uuid})$`);
const ofDelivery = new RegExp(`^webhook-(?!replay-)(.+)-(${uuid})$`);

/** Returns the row that a workflow id names; null for workflows without a row of their own. */
export function subjectOf(workflowId: string): WorkflowSubject | null {
  const [, kind, id] = ofRow.exec(workflowId) ?? [];
  if (kind !== undefined && id !== undefined) return { kind: kind as 'payment' | 'refund' | 'dispute', id };
  const [, eventId, endpointId] = ofDelivery.exec(workflowId) ?? [];
  if (eventId === undefined || endpointId === undefined) return null;
  return { kind: 'delivery', eventId, endpointId };
}

/** Names of the workflow types, as histories and the Temporal UI show them. */
export const workflowTypes = {
  payment: 'paymentWorkflow',
  refund: 'refundWorkflow',
  dispute: 'disputeWorkflow',
  sandbox: 'sandboxWorkflow',
  deliverWebhook: 'deliverWebhookWorkflow',
  replayWebhooks: 'replayWebhooksWorkflow',
  reconciliation: 'reconciliationWorkflow',
} as const;

export const queueNames = ['payments', 'provider', 'webhooks'] as const;
export type QueueName = (typeof queueNames)[number];

/** Returns the task queue of a role; a prefix lets several stacks share a namespace. */
export const taskQueue = (prefix: string, name: QueueName): string => `${prefix}${name}`;

/** Returns the queue of another role of the same stack, for use inside a workflow. */
export const siblingQueue = (queue: string, name: QueueName): string =>
  queue.replace(/(payments|provider|webhooks)$/, name);
