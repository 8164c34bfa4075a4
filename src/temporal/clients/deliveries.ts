import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import {
  TypedSearchAttributes,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  defineSearchAttributeKey,
} from '@temporalio/common';
import type { ReplayInput } from '../../activities/webhook-types.ts';
import type { StartableDelivery } from '../../db/deliveries.ts';
import { deliverNowSignalName, deliveryWorkflowId, replayWorkflowId, taskQueue } from '../contract/ids.ts';

/** Longest wait for the server, in ms. */
const waitMs = 3_000;

/** The delivery workflows as those see them who start and hurry them. Faults are thrown. */
export interface DeliveryWorkflows {
  /**
   * Starts the workflow of a pending delivery, or finds it there. `again`: also when an earlier run of it has ended,
   * because the delivery was renewed or its run was lost.
   */
  start(delivery: StartableDelivery, again: boolean): Promise<void>;
  /** Starts it, or makes a waiting run try at once. */
  hurry(delivery: StartableDelivery): Promise<void>;
  startReplay(id: string, input: ReplayInput): Promise<void>;
}

export function createDeliveryWorkflows(deps: {
  client: Client;
  queuePrefix: string;
  now: () => number;
}): DeliveryWorkflows {
  const { client, queuePrefix, now } = deps;
  const within = <T>(call: () => Promise<T>): Promise<T> =>
    client.connection.withDeadline(now() + waitMs, call);
  const queue = taskQueue(queuePrefix, 'webhooks');

  const options = (delivery: StartableDelivery) => ({
    workflowId: deliveryWorkflowId(delivery.eventId, delivery.endpointId),
    taskQueue: queue,
    // Its tasks take milliseconds: one that takes longer died with its worker.
    workflowTaskTimeout: '2 seconds',
    args: [{ eventId: delivery.eventId, endpointId: delivery.endpointId }] as [object],
    typedSearchAttributes: new TypedSearchAttributes([
      { key: defineSearchAttributeKey('MerchantId', 'KEYWORD'), value: delivery.merchantId },
      { key: defineSearchAttributeKey('PaymentEnvironment', 'KEYWORD'), value: delivery.environment },
    ]),
    // The host only: the rest of a URL may be a merchant's secret.
    staticSummary: `${delivery.type} · ${new URL(delivery.url).host} · ${delivery.environment}`,
  });

  return {
    async start(delivery, again) {
      try {
        await within(() =>
          client.workflow.start('deliverWebhook', {
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
    },
    async hurry(delivery) {
      await within(() =>
        client.workflow.signalWithStart('deliverWebhook', {
          ...options(delivery),
          signal: deliverNowSignalName,
          workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        }),
      );
    },
    async startReplay(id, input) {
      await within(() =>
        client.workflow.start('replayWebhooks', {
          workflowId: replayWorkflowId(id),
          taskQueue: queue,
          args: [input] as [object],
          workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
          staticSummary: `replay to endpoint ${input.endpointId}`,
        }),
      );
    },
  };
}
