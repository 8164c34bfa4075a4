import { RpcError, codes } from './rpc-error.ts';
import type { SimulatedProcess } from '../scheduler.ts';
import type { Command, Failure, Job, Payloads, RunStart, Task } from './protocol.ts';
import type { WaitingQuery } from './queries.ts';
import type { ServerActivity } from './server-activity.ts';

export type RunStatus =
  'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'TERMINATED' | 'TIMED_OUT' | 'CONTINUED_AS_NEW';

/** The result of an update. */
export type UpdateOutcome = { success: { payloads: Payloads } } | { failure: Failure };

/** An update as the server stores it. */
export interface Update {
  id: string;
  job: Job;
  state: 'admitted' | 'sent' | 'accepted' | 'ended';
  outcome: Promise<UpdateOutcome>;
  end: (outcome: UpdateOutcome) => void;
  /** Ends an update that never reached the workflow. */
  drop: (error: Error) => void;
}

/** Returns an update that the workflow has not seen. */
export function newUpdate(id: string, job: Job): Update {
  let end: Update['end'] = () => undefined;
  let drop: Update['drop'] = () => undefined;
  const outcome = new Promise<UpdateOutcome>((resolve, reject) => {
    end = resolve;
    drop = reject;
  });
  // It may end while no caller waits for it.
  outcome.catch(() => undefined);
  return { id, job, state: 'admitted', outcome, end, drop };
}

/** A workflow task that is scheduled or with a worker. */
export interface OpenTask {
  token: number;
  isStarted: boolean;
  /** The process that works on it; null while none has it. */
  owner: SimulatedProcess | null;
}

/** A timer of a run. `plan`: plans it by the server's clock as it is now. */
interface RunTimer {
  plan: () => void;
  cancel: () => void;
}

/** The commands of a completed task, which say what a reset run still waits for. */
interface Effects {
  atMs: number;
  commands: readonly Command[];
}

/** One run of a workflow, as the server stores it. */
export class Run {
  readonly start: RunStart;
  status: RunStatus = 'RUNNING';
  closedAtMs: number | null = null;
  result: Payloads = [];
  failure: Failure | null = null;
  readonly tasks: Task[] = [];
  /** Of each task. */
  readonly effects: Effects[] = [];
  /** Events since the last task. */
  jobs: Job[] = [];
  readonly updates = new Map<string, Update>();
  /** Ids of the requests whose signals it has. */
  readonly signalRequests = new Set<string>();
  /** Queries that wait for its task. */
  queries: WaitingQuery[] = [];
  readonly timers = new Map<number, RunTimer>();
  readonly activities = new Map<number, ServerActivity>();
  task: OpenTask | null = null;
  /** Tries of its task since the last completed task. */
  tries = 0;
  /** Number of its events when its task failed last; null: it did not fail. */
  failedWith: number | null = null;
  /** Whether its history may not replay, because a query brought events before signals that came later. */
  isOutOfOrder = false;
  /** The worker that has it in memory. */
  sticky: object | null = null;
  /** The delay of the first task, which an earlier event ends. */
  delayed: { cancel: () => void } | null = null;

  constructor(start: RunStart) {
    this.start = start;
  }

  get isOpen(): boolean {
    return this.status === 'RUNNING';
  }

  waitingUpdates(): Update[] {
    return [...this.updates.values()].filter(({ state }) => state === 'admitted' || state === 'sent');
  }

  /** Begins to count the tries of a task anew when events came after its last failure. */
  countEvents(): void {
    if (this.failedWith === null || this.jobs.length <= this.failedWith) return;
    this.failedWith = null;
    this.tries = 1;
  }

  /**
   * Adds the events that arrived during a task, those after `from`, to the history: the ends of activities
   * come last. Returns whether that changed their order.
   */
  flush(from: number): boolean {
    const arrived = this.jobs.splice(from);
    const endsActivity = ({ resolveActivity }: Job): boolean => Boolean(resolveActivity);
    const ordered = [...arrived.filter((job) => !endsActivity(job)), ...arrived.filter(endsActivity)];
    this.jobs.push(...ordered);
    return ordered.some((job, index) => job !== arrived[index]);
  }

  /** Adds a completed task to the history. */
  record(task: Task, effects: Effects): void {
    this.tasks.push(task);
    this.effects.push(effects);
  }

  /** Ends the run and all of its work. */
  close(status: RunStatus, atMs: number): void {
    this.status = status;
    this.closedAtMs = atMs;
    this.task = null;
    this.delayed?.cancel();
    for (const timer of this.timers.values()) timer.cancel();
    for (const activity of this.activities.values()) activity.abandon();
    for (const query of this.queries.splice(0)) query.release();
    for (const update of this.updates.values()) {
      if (update.state === 'ended') continue;
      const wasAccepted = update.state === 'accepted';
      update.state = 'ended';
      if (wasAccepted) update.end({ failure: endedBeforeUpdate });
      else update.drop(new RpcError(codes.notFound, 'workflow execution already completed'));
    }
  }
}

const endedBeforeUpdate: Failure = {
  message: 'Workflow Update failed because the Workflow completed before the Update completed.',
  source: 'Server',
  applicationFailureInfo: { type: 'AcceptedUpdateCompletedWorkflow', nonRetryable: true },
};
