/** Everything the worker's bundle runs as a workflow. */
export { paymentWorkflow } from './payment.ts';
