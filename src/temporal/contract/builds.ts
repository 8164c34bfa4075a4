import { type QueueName, workflowTypes } from './ids.ts';

/** `PINNED`: a run ends on the build on which it began. `AUTO_UPGRADE`: it moves to the current build. */
type Behavior = 'PINNED' | 'AUTO_UPGRADE';

/** The queue of each workflow type, and its behavior at a deployment of another build. ADR 0056. */
interface WorkflowBuild {
  queue: QueueName;
  behavior: Behavior;
}

/** By the name of the workflow type. docs/operations.md, "Builds", gives the reasons. */
export const workflowBuilds: Readonly<
  Record<(typeof workflowTypes)[keyof typeof workflowTypes], WorkflowBuild>
> = {
  paymentWorkflow: { queue: 'payments', behavior: 'PINNED' },
  sandboxWorkflow: { queue: 'payments', behavior: 'PINNED' },
  reconciliationWorkflow: { queue: 'payments', behavior: 'PINNED' },
  refundWorkflow: { queue: 'payments', behavior: 'AUTO_UPGRADE' },
  disputeWorkflow: { queue: 'payments', behavior: 'AUTO_UPGRADE' },
  deliverWebhookWorkflow: { queue: 'webhooks', behavior: 'AUTO_UPGRADE' },
  replayWebhooksWorkflow: { queue: 'webhooks', behavior: 'AUTO_UPGRADE' },
};

/** Returns the name of the deployment in Temporal; a prefix lets several stacks share a namespace. */
export const deploymentName = (queuePrefix: string): string => `${queuePrefix}card-payments`;
