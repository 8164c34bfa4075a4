import type { Scheduler } from '../scheduler.ts';
import { RpcError, codes } from './rpc-error.ts';
import type { Failure, Job, Payloads, RunStart, Task } from './protocol.ts';
import type { ServerActivity } from './server-activity.ts';

export type RunStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'TERMINATED' | 'CONTINUED_AS_NEW';

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

/** A workflow task that is scheduled or with a worker. */
export interface OpenTask {
  token: number;
  isStarted: boolean;
}

/** One run of a workflow, as the server stores it. */
export class Run {
  readonly start: RunStart;
  status: RunStatus = 'RUNNING';
  closedAtMs: number | null = null;
  result: Payloads = [];
  failure: Failure | null = null;
  readonly tasks: Task[] = [];
  /** Events since the last task. */
  jobs: Job[] = [];
  readonly updates = new Map<string, Update>();
  readonly timers = new Map<number, { cancel: () => void }>();
  readonly activities = new Map<number, ServerActivity>();
  task: OpenTask | null = null;
  /** Tries of its task since the last completed task. */
  tries = 0;
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

  /** Ends the run and all of its work. */
  close(status: RunStatus, scheduler: Scheduler): void {
    this.status = status;
    this.closedAtMs = scheduler.nowMs;
    this.task = null;
    this.delayed?.cancel();
    for (const timer of this.timers.values()) timer.cancel();
    for (const activity of this.activities.values()) activity.abandon();
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
