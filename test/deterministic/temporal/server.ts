import { randomUUID } from 'node:crypto';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import type { Scheduler } from '../scheduler.ts';
import { applyCommands } from './apply-commands.ts';
import type { Activated } from './instance.ts';
import { isClosing } from './play-task.ts';
import type { Job, RunStart } from './protocol.ts';
import { RpcError, codes } from './rpc-error.ts';
import { Run, type Update, type UpdateOutcome } from './run.ts';
import type { ServerActivity } from './server-activity.ts';
import { SimulatedWorker, type WorkerOptions } from './worker.ts';

/** Time-out of a workflow task, in ms. */
const taskMs = 10_000;

/** The most open updates of one run; further ones are rejected. */
const maxUpdates = 10;

/** A fake of Temporal's server: runs, their tasks, and the polling workers. */
export class TemporalServer {
  /** The runs of each workflow, oldest first. */
  readonly runs = new Map<string, Run[]>();
  readonly scheduler: Scheduler;
  readonly failures: string[] = [];
  readonly #creator: WorkflowCreator;
  #workers: SimulatedWorker[] = [];
  #token = 0;

  constructor(scheduler: Scheduler, creator: WorkflowCreator) {
    this.scheduler = scheduler;
    this.#creator = creator;
  }

  createWorker(options: WorkerOptions): SimulatedWorker {
    return new SimulatedWorker(options, this, this.scheduler, this.#creator);
  }

  join(worker: SimulatedWorker): void {
    this.#workers.push(worker);
    for (const run of this.#openRuns()) if (run.task && !run.task.isStarted) this.#dispatch(run);
  }

  leave(worker: SimulatedWorker): void {
    this.#workers = this.#workers.filter((each) => each !== worker);
  }

  noteFailedTask(run: Run, reason: string): void {
    this.failures.push(`${run.start.workflowId}: ${reason}`);
    this.scheduler.note(`a task of ${run.start.type} failed: ${reason.slice(0, 300)}`);
  }

  latest(workflowId: string, runId?: string | null): Run | null {
    const runs = this.runs.get(workflowId) ?? [];
    return (runId ? runs.find(({ start }) => start.runId === runId) : runs.at(-1)) ?? null;
  }

  open(workflowId: string): Run | null {
    const run = this.latest(workflowId);
    return run?.isOpen ? run : null;
  }

  /** Begins a run; its first task waits for `delayMs`. */
  begin(start: Omit<RunStart, 'runId' | 'firstRunId' | 'startedAtMs'>, delayMs: number): Run {
    const runId = randomUUID();
    const run = new Run({ ...start, runId, firstRunId: runId, startedAtMs: this.scheduler.nowMs });
    this.runs.set(start.workflowId, [...(this.runs.get(start.workflowId) ?? []), run]);
    if (delayMs <= 0) this.wake(run);
    else {
      run.delayed = this.scheduler.outside(delayMs, null, () => {
        run.delayed = null;
        this.wake(run);
      });
    }
    return run;
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
    const waiting = [...run.updates.values()].filter(({ state }) => state !== 'ended').length;
    if (waiting >= maxUpdates) throw new RpcError(codes.resourceExhausted, 'too many updates under way');
    let end: (outcome: UpdateOutcome) => void = () => undefined;
    let drop: (error: Error) => void = () => undefined;
    const outcome = new Promise<UpdateOutcome>((resolve, reject) => {
      end = resolve;
      drop = reject;
    });
    outcome.catch(() => undefined);
    const update: Update = { id, job, state: 'admitted', outcome, end, drop };
    run.updates.set(id, update);
    this.wake(run);
    return update;
  }

  /** Schedules a task, unless there is one. */
  wake(run: Run): void {
    if (!run.isOpen || run.task !== null) return;
    run.delayed?.cancel();
    run.delayed = null;
    this.#token += 1;
    run.tries += 1;
    run.task = { token: this.#token, isStarted: false };
    this.#dispatch(run);
  }

  end(run: Run): void {
    run.close('TERMINATED', this.scheduler);
  }

  /** Returns a live worker of a queue: the one that has the run in memory, else a random one. */
  pick(taskQueue: string, run: Run | null): SimulatedWorker | null {
    const able = this.#workers.filter(
      (worker) =>
        worker.process.isAlive &&
        worker.options.taskQueue === taskQueue &&
        (run === null || worker.runsWorkflows),
    );
    const [first] = able;
    if (first === undefined) return null;
    const sticky = run && able.find((worker) => worker === run.sticky);
    return sticky && this.scheduler.random.chance(0.95) ? sticky : this.scheduler.random.pick(able);
  }

  queryOn(worker: SimulatedWorker, run: Run, job: Job): Promise<Activated | null> {
    return new Promise((resolve, reject) => {
      this.scheduler.runAwake(worker.process, () => void worker.query(run, job).then(resolve, reject));
    });
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

  *#openRuns(): Iterable<Run> {
    for (const runs of this.runs.values()) for (const run of runs) if (run.isOpen) yield run;
  }

  #dispatch(run: Run): void {
    const task = run.task;
    if (task === null) return;
    this.scheduler.outside(this.scheduler.delay(0.2, 6), null, () => {
      if (run.task !== task || task.isStarted) return;
      const worker = this.pick(run.start.taskQueue, run);
      // Without a worker, the task waits until one joins.
      if (worker === null) return;
      task.isStarted = true;
      this.scheduler.note(`${worker.process.name} gets a task of ${run.start.type}`);
      this.scheduler.outside(taskMs, null, () => this.#timeOut(run, task.token));
      this.scheduler.runAwake(worker.process, () => void this.#play(run, task.token, worker));
    });
  }

  async #play(run: Run, token: number, worker: SimulatedWorker): Promise<void> {
    if (worker.has(run) && this.scheduler.draws('worker forgot a run', 0.05)) await worker.evict(run);
    const jobs = [...run.jobs];
    const updates = run.waitingUpdates();
    for (const update of updates) update.state = 'sent';
    const played = await worker.playNext(run, { jobs, updates: updates.map(({ job }) => job) });
    const isLost = this.scheduler.draws('answer to a workflow task lost', 0.01);
    await this.scheduler.pause(0.2, 4);
    if (isLost || run.task?.token !== token) {
      await worker.evict(run);
      return;
    }
    run.task = null;
    if ('failed' in played) {
      this.#again(run);
      return;
    }
    const isUnhandled =
      played.commands.some(isClosing) &&
      (run.jobs.length > jobs.length || run.waitingUpdates().some(({ state }) => state === 'admitted'));
    if (isUnhandled) {
      await worker.evict(run);
      for (const update of updates) if (update.state === 'sent') update.state = 'admitted';
      run.tries = 0;
      this.wake(run);
      return;
    }
    run.tries = 0;
    run.sticky = worker;
    run.jobs.splice(0, jobs.length);
    run.tasks.push(played.task);
    applyCommands(this, run, played.commands);
    if (run.isOpen && (played.isForced || run.jobs.length > 0 || run.waitingUpdates().length > 0)) {
      this.wake(run);
    }
  }

  /** Handles a task without an answer: it is tried again, and its updates are kept or dropped. */
  #timeOut(run: Run, token: number): void {
    if (run.task?.token !== token) return;
    run.task = null;
    for (const update of run.waitingUpdates()) {
      if (update.state !== 'sent') continue;
      if (this.scheduler.random.chance(0.5)) update.state = 'admitted';
      else {
        run.updates.delete(update.id);
        this.scheduler.met('update dropped with its task');
        update.drop(new RpcError(codes.unavailable, 'Workflow Update was aborted.'));
      }
    }
    this.wake(run);
  }

  #again(run: Run): void {
    for (const update of run.waitingUpdates()) update.state = 'admitted';
    const waitMs = run.tries < 2 ? 10 : Math.min(60_000, 1_000 * 2 ** (run.tries - 2));
    this.scheduler.outside(waitMs, null, () => this.wake(run));
  }
}
