import { randomUUID } from 'node:crypto';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import type { Scheduler } from '../scheduler.ts';
import type { Job, RunStart } from './protocol.ts';
import { failedFromTry } from './queries.ts';
import { RpcError, codes } from './rpc-error.ts';
import { Run, type Update, newUpdate } from './run.ts';
import type { ServerActivity } from './server-activity.ts';
import { SimulatedWorker, type WorkerOptions } from './worker.ts';
import { WorkflowTasks } from './workflow-tasks.ts';

/** The most open updates of one run; further ones are rejected. */
const maxUpdates = 10;

/** A worker that is frozen for longer than this, in ms, has no poll open. */
const pollMs = 60_000;

/** The creators of the workflows of each build, by the path of its bundle. */
export type Builds = ReadonlyMap<string, WorkflowCreator>;

/** A fake of Temporal's server: runs, their tasks, and the polling workers. */
export class TemporalServer {
  /** The runs of each workflow, oldest first. */
  readonly runs = new Map<string, Run[]>();
  readonly scheduler: Scheduler;
  readonly #builds: Builds;
  readonly #tasks: WorkflowTasks;
  /** The latest run of each workflow, unless it was deleted. */
  readonly #current = new Map<string, Run>();
  #workers: SimulatedWorker[] = [];

  #skewMs = 0;

  constructor(scheduler: Scheduler, builds: Builds) {
    this.scheduler = scheduler;
    this.#builds = builds;
    this.#tasks = new WorkflowTasks(this);
  }

  createWorker(options: WorkerOptions): SimulatedWorker {
    const [first] = this.#builds.values();
    const creator = this.#builds.get(options.workflowBundle?.codePath ?? '') ?? first;
    if (creator === undefined) throw new Error('there is no build');
    return new SimulatedWorker(options, this, this.scheduler, creator);
  }

  join(worker: SimulatedWorker): void {
    this.#workers.push(worker);
    for (const run of this.openRuns()) if (run.task && !run.task.isStarted) this.#tasks.dispatch(run);
  }

  leave(worker: SimulatedWorker): void {
    this.#workers = this.#workers.filter((each) => each !== worker);
  }

  noteFailedTask(run: Run, reason: string): void {
    this.scheduler.note(`a task of ${run.start.type} failed: ${reason.slice(0, 300)}`);
  }

  latest(workflowId: string, runId?: string | null): Run | null {
    if (!runId) return this.#current.get(workflowId) ?? null;
    return this.runs.get(workflowId)?.find(({ start }) => start.runId === runId) ?? null;
  }

  open(workflowId: string): Run | null {
    const run = this.latest(workflowId);
    return run?.isOpen ? run : null;
  }

  /** Begins a run; its first task waits for `delayMs`. */
  begin(start: Omit<RunStart, 'runId' | 'firstRunId' | 'startedAtMs'>, delayMs: number): Run {
    const runId = randomUUID();
    const run = new Run({ ...start, runId, firstRunId: runId, startedAtMs: this.nowMs });
    this.add(run);
    if (delayMs <= 0) this.wake(run);
    else {
      run.delayed = this.scheduler.outside(delayMs, null, () => {
        run.delayed = null;
        this.wake(run);
      });
    }
    return run;
  }

  /** The time of the server's host, in epoch ms. */
  get nowMs(): number {
    return this.scheduler.nowMs + this.#skewMs;
  }

  /** Sets how far the server's clock is ahead, in ms. Its timers fire by this clock. */
  setSkew(skewMs: number): void {
    this.#skewMs = skewMs;
    for (const run of this.openRuns()) for (const timer of run.timers.values()) timer.plan();
  }

  /** Adds the newest run of a workflow. */
  add(run: Run): void {
    const { workflowId } = run.start;
    this.runs.set(workflowId, [...(this.runs.get(workflowId) ?? []), run]);
    this.#current.set(workflowId, run);
  }

  /** Deletes a run, as an operator's command does: no list contains it, and its workflow has no run. */
  remove(run: Run): void {
    const { workflowId } = run.start;
    this.end(run);
    this.runs.set(
      workflowId,
      (this.runs.get(workflowId) ?? []).filter((each) => each !== run),
    );
    if (this.#current.get(workflowId) === run) this.#current.delete(workflowId);
  }

  /** Adds an event that the workflow sees in its next task. */
  give(run: Run, job: Job): void {
    if (!run.isOpen) return;
    run.jobs.push(job);
    this.wake(run);
  }

  /** Admits an update, or returns the known one. Throws when there are too many. */
  admit(run: Run, id: string, job: Job): Update {
    const known = run.updates.get(id);
    if (known) return known;
    if (!run.isOpen) throw new RpcError(codes.notFound, 'workflow execution already completed');
    if (run.task !== null && run.tries >= failedFromTry)
      throw new RpcError(codes.failedPrecondition, 'Unable to perform workflow execution update');
    const waiting = [...run.updates.values()].filter(({ state }) => state !== 'ended').length;
    if (waiting >= maxUpdates) throw new RpcError(codes.resourceExhausted, 'too many updates under way');
    const update = newUpdate(id, job);
    run.updates.set(id, update);
    this.wake(run);
    return update;
  }

  /** Schedules a task, unless there is one. */
  wake(run: Run): void {
    this.#tasks.wake(run);
  }

  end(run: Run, status: 'TERMINATED' | 'TIMED_OUT' = 'TERMINATED'): void {
    if (run.isOpen) run.close(status, this.nowMs);
  }

  /** Returns a live worker of a queue: the one that has the run in memory, else a random one. */
  pick(taskQueue: string, run: Run | null): SimulatedWorker | null {
    const able = this.#workers.filter(
      (worker) =>
        worker.process.isAlive &&
        worker.process.frozenUntilMs < this.scheduler.nowMs + pollMs &&
        worker.options.taskQueue === taskQueue &&
        (run === null || worker.runsWorkflows),
    );
    const [first] = able;
    if (first === undefined) return null;
    const sticky = run && able.find((worker) => worker === run.sticky);
    return sticky && this.scheduler.random.chance(0.95) ? sticky : this.scheduler.random.pick(able);
  }

  /** Gives a try of an activity to a worker, as soon as there is one. */
  offer(activity: ServerActivity): void {
    const { token } = activity;
    this.scheduler.outside(this.scheduler.delay(0.2, 5), null, () => {
      if (activity.isOver || activity.token !== token) return;
      const queue = activity.order.taskQueue || activity.run.start.taskQueue;
      const worker = this.pick(queue, null);
      if (worker === null) {
        this.scheduler.outside(500, null, () => this.offer(activity));
        return;
      }
      this.scheduler.note(`${worker.process.name} begins ${activity.order.activityType}`);
      const taken = activity.started();
      this.scheduler.runAwake(worker.process, () => worker.begin(activity, taken));
    });
  }

  /** The latest run of each workflow that has one. */
  latestRuns(): Iterable<Run> {
    return this.#current.values();
  }

  /** The open runs of all workflows. */
  *openRuns(): Iterable<Run> {
    for (const runs of this.runs.values()) for (const run of runs) if (run.isOpen) yield run;
  }
}
