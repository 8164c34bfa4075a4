import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { workflowBuilds } from '../../temporal/contract/builds.ts';
import { taskQueue } from '../../temporal/contract/ids.ts';

/** Longest wait for each call to Temporal, in ms. */
const waitMs = 10_000;
const pageSize = 100;
/** Longest wait for one replay, in ms. */
const replayMs = 60_000;
/** Runs that closed within this time are replayed too if requested, in ms. */
const latelyMs = 24 * 3600_000;

/**
 * The SDK throws this only past the end of the history: the replay itself succeeded, and the workflow starts
 * an activity that the replaying worker does not have.
 */
const beginsNewActivity = /Local activity of type '\w+' not registered on worker/;

/** A run that the bundle cannot continue. */
export interface FailedReplay {
  workflowId: string;
  runId: string;
  type: string;
  /** The first line of the SDK's error: names of commands and events, no data. */
  error: string;
}

/** The result of replaying the runs of a namespace with a bundle. */
export interface ReplayReport {
  replayed: number;
  failing: FailedReplay[];
  /** Whether there were more runs than were replayed. */
  limited: boolean;
}

/**
 * Replays runs with a workflow bundle: the open runs of types that move to the current build, and with `all`
 * the open runs of every type and those that closed within a day. Newest first, at most `limit`. Throws the
 * SDK's error if the file is not a bundle.
 */
export async function replayRuns(deps: {
  client: Client;
  queuePrefix: string;
  bundle: string;
  all: boolean;
  limit: number;
}): Promise<ReplayReport> {
  const { client, queuePrefix, limit } = deps;
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    shutdownSignals: [],
    // Without it the core writes its warnings to stdout, which is reserved for the answer.
    telemetryOptions: { logging: { filter: 'off', forward: {} } },
  });
  const types = Object.entries(workflowBuilds).filter(
    ([, { behavior }]) => deps.all || behavior === 'AUTO_UPGRADE',
  );
  const queues = new Set(types.map(([, { queue }]) => `'${taskQueue(queuePrefix, queue)}'`));
  const since = new Date(Date.now() - latelyMs).toISOString();
  const query =
    `TaskQueue IN (${[...queues].join(', ')}) AND ` +
    `WorkflowType IN (${types.map(([type]) => `'${type}'`).join(', ')}) AND ` +
    `(ExecutionStatus = 'Running'${deps.all ? ` OR CloseTime > '${since}'` : ''})`;
  const found = await listRuns(client, query, limit + 1);
  const runs = found.slice(0, limit);
  const typeOf = new Map(runs.map(({ workflowId, runId, type }) => [`${workflowId} ${runId}`, type]));
  const failing: FailedReplay[] = [];
  const replays = Worker.runReplayHistories(
    { workflowBundle: { codePath: deps.bundle }, dataConverter: client.options.loadedDataConverter },
    histories(client, runs),
  );
  let replayed = 0;
  for await (const { workflowId, runId, error } of bounded(replays)) {
    replayed += 1;
    if (!error || beginsNewActivity.test(error.message)) continue;
    const type = typeOf.get(`${workflowId} ${runId}`) ?? '';
    failing.push({ workflowId, runId, type, error: error.message.split('\n')[0]?.slice(0, 300) ?? '' });
  }
  return { replayed, failing, limited: found.length > limit };
}

interface ListedRun {
  workflowId: string;
  runId: string;
  type: string;
}

async function listRuns(client: Client, query: string, limit: number): Promise<ListedRun[]> {
  const runs: ListedRun[] = [];
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const token = nextPageToken;
    const page = await client.connection.withDeadline(Date.now() + waitMs, () =>
      client.workflowService.listWorkflowExecutions({
        namespace: client.options.namespace,
        pageSize,
        query,
        nextPageToken: token,
      }),
    );
    for (const { execution, type } of page.executions) {
      runs.push({
        workflowId: execution?.workflowId ?? '',
        runId: execution?.runId ?? '',
        type: type?.name ?? '',
      });
    }
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0 && runs.length < limit);
  return runs.slice(0, limit);
}

/** Reads one history at a time, so that few are in memory. */
async function* histories(client: Client, runs: readonly ListedRun[]) {
  for (const { workflowId, runId } of runs) {
    const history = await client.connection.withDeadline(Date.now() + waitMs, () =>
      client.workflow.getHandle(workflowId, runId).fetchHistory(),
    );
    // A history without a completed task has nothing to replay, and the replaying worker would wait forever:
    // a payment's first task may be due only at its deadline.
    if (history.events?.some(({ workflowTaskCompletedEventAttributes: task }) => task)) {
      yield { workflowId, history };
    }
  }
}

/** Yields the results of `replays`. Throws if one of them takes too long. */
async function* bounded<T>(replays: AsyncIterable<T>): AsyncIterable<T> {
  const each = replays[Symbol.asyncIterator]();
  for (;;) {
    const waiting = new AbortController();
    const late = sleep(replayMs, null, { signal: waiting.signal }).then(() => {
      throw new Error(`a replay took longer than ${replayMs / 1_000} s`);
    });
    late.catch(() => undefined);
    const next = await Promise.race([each.next(), late]);
    waiting.abort();
    if (next.done === true) return;
    yield next.value;
  }
}
