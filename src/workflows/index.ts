/** Everything the worker's bundle runs as a workflow. */
export { paymentWorkflow } from './payment.ts';
export { refundWorkflow } from './refund.ts';
export { disputeWorkflow } from './dispute.ts';
export { sandboxWorkflow } from './sandbox.ts';
export { afterPaymentSweepWorkflow } from './after-payment-sweep.ts';
export { sweepWorkflow } from './sweep.ts';
export { deliverWebhook } from './deliver-webhook.ts';
export { replayWebhooks } from './replay-webhooks.ts';
export { sweepWebhooks } from './sweep-webhooks.ts';
