import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { DeliveryRef, StartableDelivery } from '../../domain/event.ts';
import {
  type DeliverWebhookWorkflow,
  type ReplayInput,
  type ReplayWebhooksWorkflow,
  deliverNowSignal,
} from '../contract/delivery.ts';
import { deliveryWorkflowId, replayWorkflowId, taskQueue, workflowTypes } from '../contract/ids.ts';
import { createRuns } from './stuck-run.ts';
import { tenantAttributes } from '../contract/search-attribute-keys.ts';
import { type WorkflowClientDeps, withinDeadline } from './calls.ts';

/** Longest wait for the server, in ms. */
const waitMs = 3_000;

/** The delivery workflows as their starters see them. Faults are thrown. */
export interface DeliveryWorkflows {
  /**
   * Starts the workflow of a pending delivery unless it was started before. `again`: also when an earlier run
   * of it has ended, because the delivery was renewed or its run was lost.
   */
  start(delivery: StartableDelivery, again: boolean): Promise<void>;
  /**
   * Starts the workflow of a late delivery that has no open run or a stuck one. `busy`, `resting`: it has a
   * run that can continue (`FoundRun`).
   */
  recover(delivery: StartableDelivery): Promise<'started' | 'busy' | 'resting'>;
  /** Starts the workflow, or makes a waiting run try at once. */
  deliverNow(delivery: StartableDelivery): Promise<void>;
  startReplay(id: string, input: ReplayInput): Promise<void>;
}

/** Returns a client of the delivery workflows, with a deadline on every call. */
export function createDeliveryWorkflows(deps: WorkflowClientDeps): DeliveryWorkflows {
  const { client, queuePrefix } = deps;
  const within = withinDeadline(deps);
  const runs = createRuns(client, within);
  const queue = taskQueue(queuePrefix, 'webhooks');

  const options = (delivery: StartableDelivery) => ({
    workflowId: deliveryWorkflowId(delivery.eventId, delivery.endpointId),
    taskQueue: queue,
    // Its tasks take milliseconds: one that takes longer died with its worker.
    workflowTaskTimeout: '2 seconds',
    args: [{ eventId: delivery.eventId, endpointId: delivery.endpointId }] as [DeliveryRef],
    typedSearchAttributes: tenantAttributes(delivery),
    // The host only: the rest of a URL may be a merchant's secret.
    staticSummary: `${delivery.type} · ${new URL(delivery.url).host} · ${delivery.environment}`,
  });

  const start = async (delivery: StartableDelivery, again: boolean): Promise<void> => {
    try {
      await within(waitMs, () =>
        client.workflow.start<DeliverWebhookWorkflow>(workflowTypes.deliverWebhook, {
          ...options(delivery),
          workflowIdReusePolicy: again
            ? WorkflowIdReusePolicy.ALLOW_DUPLICATE
            : WorkflowIdReusePolicy.REJECT_DUPLICATE,
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        }),
      );
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };

  return {
    start,
    async recover(delivery) {
      const run = await runs.endStuck(deliveryWorkflowId(delivery.eventId, delivery.endpointId));
      if (run === 'busy' || run === 'resting') return run;
      await start(delivery, true);
      return 'started';
    },
    async deliverNow(delivery) {
      await runs.endStuck(deliveryWorkflowId(delivery.eventId, delivery.endpointId));
      await within(waitMs, () =>
        client.workflow.signalWithStart<DeliverWebhookWorkflow>(workflowTypes.deliverWebhook, {
          ...options(delivery),
          signal: deliverNowSignal,
          workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        }),
      );
    },
    async startReplay(id, input) {
      await within(waitMs, () =>
        client.workflow.start<ReplayWebhooksWorkflow>(workflowTypes.replayWebhooks, {
          workflowId: replayWorkflowId(id),
          taskQueue: queue,
          args: [input],
          workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
          staticSummary: `replay to endpoint ${input.endpointId}`,
        }),
      );
    },
  };
}
