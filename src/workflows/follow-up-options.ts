import type { ActivityOptions } from '@temporalio/workflow';
import { siblingQueue } from '../temporal/contract/ids.ts';

/**
 * Options of the provider activities that follow a payment: retried until they are done, on the provider's queue.
 * `workflowQueue`: the queue the workflow itself runs on.
 */
export function followUpOptions(workflowQueue: string): ActivityOptions {
  return {
    taskQueue: siblingQueue(workflowQueue, 'provider'),
    // Three calls of 8 s at most; a dead worker shows sooner, by its missing heartbeat.
    startToCloseTimeout: '30 seconds',
    heartbeatTimeout: '4 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
  };
}
