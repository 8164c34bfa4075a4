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

/** Evaluated when a run begins: the server refuses a behavior from workers that belong to no deployment. */
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
