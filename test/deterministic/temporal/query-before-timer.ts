import { workflowTypes } from '../../../src/temporal/contract/ids.ts';
import type { Planned } from '../scheduler.ts';
import { askRun } from './queries.ts';
import type { Run } from './run.ts';
import type { TemporalServer } from './server.ts';

/** How long before a timer fires its run may be queried, in ms: the query is then on its way to a worker. */
const beforeMs = 1;
/** How often that happens. */
const share = 0.1;

/**
 * Plans that a payment is queried just before one of its timers fires, by an operator or a merchant's read, at
 * a worker that does not have the run in memory. Such a query brings the fired timer before its task.
 */
export function planQueryBefore(server: TemporalServer, run: Run, firesInMs: number): Planned | null {
  if (run.start.type !== workflowTypes.payment || firesInMs < beforeMs) return null;
  const { scheduler } = server;
  return scheduler.outside(firesInMs - beforeMs, null, () => {
    if (!run.isOpen || run.task !== null || !scheduler.draws('query just before a timer', share)) return;
    run.sticky = null;
    const job = { queryWorkflow: { queryId: 'ui', queryType: 'status', arguments: [], headers: {} } };
    // The answer does not matter.
    void askRun(server, run, job).catch(() => undefined);
  });
}
