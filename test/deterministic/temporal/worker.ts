import type { LoadedDataConverter } from '@temporalio/common';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import { type Scheduler, type SimulatedProcess, runningProcess } from '../scheduler.ts';
import { registeredActivities } from './creator.ts';
import type { Activated } from './instance.ts';
import { LocalActivities } from './local-activities.ts';
import { type CachedRun, type Played, playTask } from './play-task.ts';
import { type Job, type Task, msOf } from './protocol.ts';
import { NonDeterminism, replayTasks } from './replay.ts';
import type { Run } from './run.ts';
import { type ActivityHost, beginActivity } from './run-activity.ts';
import type { ServerActivity } from './server-activity.ts';

/** How long a task waits for local activities before it requests another, in ms: 80 % of its time-out. */
const heartbeatAfterMs = 8_000;

/** The options that the service passes to a worker of Temporal. */
export interface WorkerOptions {
  taskQueue: string;
  activities: ActivityHost['activities'];
  interceptors: { activity: ActivityHost['interceptors'] };
  dataConverter: LoadedDataConverter;
  workflowBundle?: object;
}

/** The server's interface for a worker. */
export interface WorkerServer {
  join(worker: SimulatedWorker): void;
  leave(worker: SimulatedWorker): void;
  noteFailedTask(run: Run, reason: string): void;
}

/** A worker of Temporal: the service's workflows and activities on a fake of the core. */
export class SimulatedWorker {
  readonly options: WorkerOptions;
  readonly process: SimulatedProcess;
  readonly #host: ActivityHost;
  readonly #scheduler: Scheduler;
  readonly #creator: WorkflowCreator;
  readonly #server: WorkerServer;
  readonly #cached = new Map<string, CachedRun>();
  #state = 'INITIALIZED';
  #stop = (): void => undefined;

  constructor(options: WorkerOptions, server: WorkerServer, scheduler: Scheduler, creator: WorkflowCreator) {
    const owner = runningProcess();
    if (owner === null) throw new Error('a worker runs in a process');
    this.options = options;
    this.process = owner;
    const { activities, interceptors, dataConverter } = options;
    this.#host = { activities, interceptors: interceptors.activity, dataConverter };
    for (const name of Object.keys(activities)) registeredActivities.add(name);
    this.#server = server;
    this.#scheduler = scheduler;
    this.#creator = creator;
  }

  get runsWorkflows(): boolean {
    return this.options.workflowBundle !== undefined;
  }

  getState(): string {
    return this.#state;
  }

  run(): Promise<void> {
    this.#state = 'RUNNING';
    this.#server.join(this);
    return new Promise((resolve) => {
      this.#stop = resolve;
    });
  }

  shutdown(): void {
    this.#state = 'STOPPED';
    this.#server.leave(this);
    this.#stop();
  }

  has(run: Run): boolean {
    return this.#cached.has(run.start.runId);
  }

  /** Removes a run from memory, so that its next task replays the history. */
  async evict(run: Run, isForced = false): Promise<void> {
    const cached = this.#cached.get(run.start.runId);
    // A later task may be using it by now.
    if (cached === undefined || (cached.isBusy && !isForced)) return;
    this.#cached.delete(run.start.runId);
    await cached.instance.dispose().catch(() => undefined);
  }

  /** Plays the next task of a run. `isForced`: local activities continue in another task. */
  async playNext(run: Run, input: Pick<Task, 'jobs' | 'updates'>): Promise<Played & { isForced: boolean }> {
    let cached: CachedRun | null = null;
    try {
      cached = await this.#bring(run);
      cached.isBusy = true;
      const local = this.#localOf(cached);
      const endsAtMs = this.#scheduler.nowMs + heartbeatAfterMs;
      const played = await playTask(
        cached,
        { ...input, atMs: this.#scheduler.nowMs, patches: [], flags: run.tasks.at(-1)?.flags ?? [] },
        {
          isReplaying: false,
          nextLocal: (playing) => local.next(playing, endsAtMs),
          alone: (work) => this.#alone(work),
        },
      );
      cached.isBusy = false;
      if ('failed' in played) throw new NonDeterminism(played.failed);
      return { ...played, isForced: cached.local.size > 0 && !cached.isOver };
    } catch (error) {
      if (cached !== null) cached.isBusy = false;
      if (cached === this.#cached.get(run.start.runId)) await this.evict(run);
      const failed = error instanceof Error ? error.message : String(error);
      this.#server.noteFailedTask(run, failed);
      return { failed, isForced: false };
    }
  }

  /** Answers a query; null when the run does not replay. */
  async query(run: Run, job: Job): Promise<Activated | null> {
    try {
      const cached = await this.#bring(run);
      const given = { atMs: this.#scheduler.nowMs, isReplaying: false, flags: [] };
      return await this.#alone(() => cached.instance.activate([job], given));
    } catch {
      await this.evict(run);
      return null;
    }
  }

  /** Starts a try of an activity of the server. */
  begin(activity: ServerActivity, token: number): void {
    const { order, run, attempt } = activity;
    const running = beginActivity(
      this.#host,
      {
        run: run.start,
        activityId: order.activityId ?? '',
        type: order.activityType ?? '',
        taskQueue: this.options.taskQueue,
        input: order.arguments ?? [],
        attempt,
        isLocal: false,
        heartbeatMs: msOf(order.heartbeatTimeout),
        startToCloseMs: msOf(order.startToCloseTimeout) ?? 0,
      },
      this.#scheduler.nowMs,
      () => {
        if (!activity.heartbeat(token)) running.cancel();
      },
    );
    void running.ended.then(async (result) => {
      const isLost = this.#scheduler.draws('answer of an activity lost', 0.02);
      await this.#scheduler.pause(0.2, 4, `${order.activityType} of ${this.process.name} ended`);
      if (!isLost) activity.ended(token, result);
    });
  }

  async #bring(run: Run): Promise<CachedRun> {
    const known = this.#cached.get(run.start.runId);
    // A task that timed out may still be using the run.
    if (known && known.seenTasks === run.tasks.length && !known.isBusy) return known;
    await this.evict(run, true);
    const history = { start: run.start, tasks: [...run.tasks] };
    const cached = await replayTasks(this.#creator, this.options.dataConverter, history, (work) =>
      this.#alone(work),
    );
    this.#cached.set(run.start.runId, cached);
    return cached;
  }

  readonly #locals = new WeakMap<CachedRun, LocalActivities>();

  #localOf(cached: CachedRun): LocalActivities {
    const known = this.#locals.get(cached) ?? new LocalActivities(this.#host, this.#scheduler, this.options);
    this.#locals.set(cached, known);
    return known;
  }

  /** Runs workflow code in a separate step. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#scheduler.after(0, null, () => work().then(resolve, reject));
    });
  }
}
