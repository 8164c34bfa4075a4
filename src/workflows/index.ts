/** Everything the worker's bundle runs as a workflow. */
export { paymentWorkflow } from './payment/payment.ts';
export { refundWorkflow } from './refund.ts';
export { disputeWorkflow } from './dispute.ts';
export { sandboxWorkflow } from './sandbox.ts';
export { afterPaymentSweepWorkflow } from './sweep-refunds-and-disputes.ts';
export { sweepWorkflow } from './sweep-payments.ts';
export { deliverWebhook } from './deliver-webhook.ts';
export { replayWebhooks } from './replay-webhooks.ts';
export { sweepWebhooks } from './sweep-deliveries.ts';
