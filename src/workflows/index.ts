/** Everything the worker's bundle runs as a workflow. */
export { paymentWorkflow } from './payment/payment.ts';
export { refundWorkflow } from './refund.ts';
export { disputeWorkflow } from './dispute.ts';
export { sandboxWorkflow } from './sandbox.ts';
export { deliverWebhookWorkflow } from './deliver-webhook.ts';
export { replayWebhooksWorkflow } from './replay-webhooks.ts';
export { reconciliationWorkflow } from './reconciliation.ts';
