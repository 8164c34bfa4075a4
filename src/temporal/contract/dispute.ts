import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Environment } from '../../domain/statuses.ts';

/** Input of a dispute's workflow: our id, the network's id, and the connector through which it is read. */
export interface DisputeWorkflowInput {
  disputeId: string;
  reference: string;
  /** Null: the simulators of the environment. */
  connectorId: string | null;
  environment: Environment;
}

/** The dispute's workflow as its starters see it. */
export type DisputeWorkflow = (input: DisputeWorkflowInput) => Promise<{ closed: boolean }>;

/** The merchant's final answer to a dispute. */
export type DisputeAnswer = 'submit' | 'accept';

/** The failure type of the provider's activities for a dispute that this build does not understand. */
export const disputeUnreadable = 'dispute_unreadable';

/** The dispute may have changed at the network. Only a hint: the dispute is read again. */
export const disputeChangedSignal = defineSignal('disputeChanged');
/** The merchant's final answer. Returns once the network has taken it. */
export const answerDisputeUpdate = defineUpdate<void, [{ answer: DisputeAnswer }]>('answerDispute');
