import { ApplicationFailure, Context } from '@temporalio/activity';

/**
 * The run of the workflow that called this activity: what it writes counts only while that run owns the
 * payment.
 */
export function callingRunId(): string {
  const { workflowExecution } = Context.current().info;
  if (!workflowExecution) throw ApplicationFailure.nonRetryable('not called by a workflow');
  return workflowExecution.runId;
}
