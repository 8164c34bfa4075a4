import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';
import { workflowBuilds } from '../temporal/contract/builds.ts';
import { deliverWebhookWorkflow } from './deliver-webhook.ts';
import { disputeWorkflow } from './dispute.ts';
import { paymentWorkflow } from './payment/payment.ts';
import { reconciliationWorkflow } from './reconciliation.ts';
import { refundWorkflow } from './refund.ts';
import { replayWebhooksWorkflow } from './replay-webhooks.ts';
import { sandboxWorkflow } from './sandbox.ts';

/** The workflows of the worker's bundle. */
export {
  deliverWebhookWorkflow,
  disputeWorkflow,
  paymentWorkflow,
  reconciliationWorkflow,
  refundWorkflow,
  replayWebhooksWorkflow,
  sandboxWorkflow,
};

/**
 * Returns the options with the versioning behavior of a workflow type. They are evaluated when a run begins,
 * and are empty in a worker without a deployment, from which the server refuses a behavior.
 */
const behaviorOf =
  (type: keyof typeof workflowBuilds) => (): { versioningBehavior?: 'PINNED' | 'AUTO_UPGRADE' } =>
    workflowInfo().currentDeploymentVersion?.deploymentName
      ? { versioningBehavior: workflowBuilds[type].behavior }
      : {};
setWorkflowOptions(behaviorOf('deliverWebhookWorkflow'), deliverWebhookWorkflow);
setWorkflowOptions(behaviorOf('disputeWorkflow'), disputeWorkflow);
setWorkflowOptions(behaviorOf('paymentWorkflow'), paymentWorkflow);
setWorkflowOptions(behaviorOf('reconciliationWorkflow'), reconciliationWorkflow);
setWorkflowOptions(behaviorOf('refundWorkflow'), refundWorkflow);
setWorkflowOptions(behaviorOf('replayWebhooksWorkflow'), replayWebhooksWorkflow);
setWorkflowOptions(behaviorOf('sandboxWorkflow'), sandboxWorkflow);
