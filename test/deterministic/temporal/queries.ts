import type { Activated } from './instance.ts';
import type { Job } from './protocol.ts';
import { RpcError, codes } from './rpc-error.ts';
import type { Run } from './run.ts';
import type { TemporalServer } from './server.ts';

/** From this try of a task on, Temporal accepts no updates and queries of its run. */
export const failedFromTry = 3;

/** The longest deadline of a query, in ms. */
const longestMs = 2_000;

/** A query that waits for a task of its run. */
export interface WaitingQuery {
  job: Job;
  /** Gives the answer that came with a task. */
  answer: (activated: Activated) => void;
  /** The run has no further task, so the query goes to a worker on its own. */
  release: () => void;
}

/** Returns the answer of a run to a query; null when the run does not replay. */
export async function askRun(server: TemporalServer, run: Run, job: Job): Promise<Activated | null> {
  const { scheduler } = server;
  for (let tries = 0; run.isOpen && run.tasks.length === 0; tries += 1) {
    if (tries === 5)
      throw new RpcError(codes.failedPrecondition, 'workflow must handle at least one workflow task');
    await scheduler.pause(200, 200);
  }
  while (run.isOpen && run.task !== null) {
    if (run.tries >= failedFromTry)
      throw new RpcError(codes.failedPrecondition, 'Unable to query workflow: its task has failed');
    if (run.queries.length > 0)
      throw new RpcError(codes.resourceExhausted, 'consistent query buffer is full');
    const answered = await withTask(server, run, job);
    if (answered !== null) return answered;
  }
  return toWorker(server, run, job);
}

/** Waits for the run's next task. Returns null when the query was released. */
function withTask({ scheduler }: TemporalServer, run: Run, job: Job): Promise<Activated | null> {
  return new Promise((resolve, reject) => {
    const query: WaitingQuery = { job, answer: resolve, release: () => resolve(null) };
    run.queries.push(query);
    scheduler.after(longestMs, null, () => {
      run.queries = run.queries.filter((each) => each !== query);
      reject(new RpcError(codes.deadlineExceeded, 'no task answered the query'));
    });
  });
}

/** Hands a query to a worker that takes it from the queue. */
async function toWorker(server: TemporalServer, run: Run, job: Job): Promise<Activated | null> {
  const { scheduler } = server;
  for (;;) {
    await scheduler.pause(0.2, 6);
    const asked = queryAtWorker(server, run, job);
    if (asked !== null) return asked;
    await scheduler.pause(200, 500);
  }
}

/**
 * Lets a worker answer a query now; null when there is none. A worker that does not have the run gets the
 * history as it is then: with events that came after the last task and whose own task has not begun.
 */
export function queryAtWorker(server: TemporalServer, run: Run, job: Job): Promise<Activated | null> | null {
  const { scheduler } = server;
  const worker = server.pick(run.start.taskQueue, run);
  if (worker === null) return null;
  const hasRun = worker === run.sticky && worker.has(run);
  const events = hasRun || run.task?.isStarted ? [] : [...run.jobs];
  const brought = { events, after: run.tasks.length };
  if (events.length > 0) scheduler.met('query brought events before their task');
  return new Promise((resolve, reject) => {
    scheduler.runAwake(worker.process, () => void worker.query(run, job, brought).then(resolve, reject));
  });
}
