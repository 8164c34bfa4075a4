import { workflowTypes } from '../../../src/temporal/contract/ids.ts';
import type { Job } from './protocol.ts';
import { queryAtWorker } from './queries.ts';
import type { Run } from './run.ts';
import type { TemporalServer } from './server.ts';

/** How often a query arrives between a payment's timer and the timer's task. */
const share = 0.1;

const query: Job = {
  queryWorkflow: { queryId: 'ui', queryType: '__stack_trace', arguments: [], headers: {} },
};

/**
 * Lets a query of an operator, which was on its way, arrive when a timer of a payment has fired, at a worker
 * that does not have the run in memory. It brings the timer before its task.
 */
export function queryAtTimer(server: TemporalServer, run: Run): void {
  if (run.start.type !== workflowTypes.payment || run.tasks.length === 0) return;
  if (!server.scheduler.draws('query between a timer and its task', share)) return;
  run.sticky = null;
  // The answer does not matter.
  void queryAtWorker(server, run, query)?.catch(() => undefined);
}
