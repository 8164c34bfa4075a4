/** Everything the worker's bundle runs as a workflow. */
export { paymentWorkflow } from './payment.ts';
export { sweepWorkflow } from './sweep.ts';
export { deliverWebhook } from './deliver-webhook.ts';
export { replayWebhooks } from './replay-webhooks.ts';
export { sweepWebhooks } from './sweep-webhooks.ts';
