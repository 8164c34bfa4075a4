/** Workflow ids and task queue names: made in one place so that links and look-ups agree. */
export const paymentWorkflowId = (paymentId: string): string => `payment-${paymentId}`;

export const queueNames = ['payments', 'provider', 'webhooks'] as const;
export type QueueName = (typeof queueNames)[number];

/** The task queue of a role; a prefix lets several stacks share a namespace. */
export const taskQueue = (prefix: string, name: QueueName): string => `${prefix}${name}`;

/** Search attributes, registered before first use: an unregistered one fails the start. Values are clear text. */
export const searchAttributes = {
  MerchantId: 'Keyword',
  PaymentEnvironment: 'Keyword',
  PaymentStatus: 'Keyword',
  CheckoutStatus: 'Keyword',
  AttemptsLeft: 'Int',
  AmountCents: 'Int',
  NeedsAttention: 'Bool',
} as const;
