import { EventEmitter } from 'node:events';
import type { LoadedDataConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import { type Scheduler, type SimulatedProcess, runningProcess } from '../scheduler.ts';
import { registeredActivities } from './creator.ts';
import type { Activated } from './instance.ts';
import { LocalActivities } from './local-activities.ts';
import { type CachedRun, type Played, applyEarly, playTask } from './play-task.ts';
import { type Job, type Task, msOf } from './protocol.ts';
import { NonDeterminism, replayTasks } from './replay.ts';
import type { Run } from './run.ts';
import { type ActivityHost, type RunningActivity, beginActivity } from './run-activity.ts';
import type { ServerActivity } from './server-activity.ts';

const { EvictionReason } = proto.coresdk.workflow_activation.RemoveFromCache;

/** The part of its time-out that a task waits for local activities before it requests another. */
const heartbeatShare = 0.8;

/** How long activities may go on when their worker shuts down, in ms, before they are cancelled. */
const graceMs = 10_000;

/** The options that the service passes to a worker of Temporal. */
export interface WorkerOptions {
  taskQueue: string;
  activities: ActivityHost['activities'];
  interceptors: { activity: ActivityHost['interceptors'] };
  dataConverter: LoadedDataConverter;
  workflowBundle?: { codePath?: string };
}

/** The server's interface for a worker. */
export interface WorkerServer {
  join(worker: SimulatedWorker): void;
  leave(worker: SimulatedWorker): void;
  noteFailedTask(run: Run, reason: string): void;
}

/**
 * A task that a worker has played. `isForced`: local activities continue in another task. `answers`: to the
 * queries that came with it; none while local activities run.
 */
export type PlayedTask =
  | Extract<Played, { failed: string }>
  | (Extract<Played, { task: Task }> & { isForced: boolean; answers: Activated[] });

/** The input of the next task of a run, with the queries that came with it. */
type NextTask = Pick<Task, 'atMs' | 'suggestsNew' | 'jobs' | 'updates'> & { queries: Job[] };

/** A worker of Temporal: the service's workflows and activities on a fake of the core. */
export class SimulatedWorker {
  readonly options: WorkerOptions;
  readonly process: SimulatedProcess;
  /** Reports the runs that are removed from memory, as the SDK's worker does. */
  readonly evictionsEmitter = new EventEmitter();
  readonly #host: ActivityHost;
  readonly #scheduler: Scheduler;
  readonly #creator: WorkflowCreator;
  readonly #server: WorkerServer;
  readonly #cached = new Map<string, CachedRun>();
  readonly #working = new Set<Promise<unknown>>();
  readonly #activities = new Set<RunningActivity>();
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

  /** Takes no more work, and ends when the work that it has begun is over. */
  shutdown(): void {
    this.#state = 'STOPPING';
    this.#server.leave(this);
    const grace = this.#scheduler.after(graceMs, null, () => {
      for (const activity of this.#activities) activity.cancel();
    });
    void Promise.allSettled(this.#working).then(() => {
      grace.cancel();
      this.#state = 'STOPPED';
      this.#stop();
    });
  }

  #track(work: Promise<unknown>): void {
    this.#working.add(work);
    void work.catch(() => undefined).finally(() => this.#working.delete(work));
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

  /** Plays the next task of a run, and then answers its queries. */
  playNext(run: Run, input: NextTask): Promise<PlayedTask> {
    const played = this.#play(run, input);
    this.#track(played);
    return played;
  }

  async #play(run: Run, { queries, ...input }: NextTask): Promise<PlayedTask> {
    let cached: CachedRun | null = null;
    try {
      cached = await this.#bring(run);
      cached.isBusy = true;
      const local = this.#localOf(cached);
      const beganAtMs = this.#scheduler.nowMs;
      const endsAtMs = beganAtMs + run.start.taskMs * heartbeatShare;
      const played = await playTask(
        cached,
        { ...input, patches: [], flags: run.tasks.at(-1)?.flags ?? [] },
        {
          isReplaying: false,
          nextLocal: async (playing) => {
            const ended = await local.next(playing, endsAtMs);
            // The time of the task's start, by the server's clock, and what has passed since.
            return ended && { ...ended, atMs: input.atMs + Math.max(0, ended.atMs - beganAtMs) };
          },
          alone: (work) => this.#alone(work),
        },
      );
      if ('failed' in played) throw new NonDeterminism(played.failed);
      const isForced = cached.local.size > 0 && !cached.isOver;
      const answers: Activated[] = [];
      for (const query of isForced ? [] : queries) answers.push(await this.#ask(cached, query));
      cached.isBusy = false;
      return { ...played, isForced, answers };
    } catch (error) {
      if (cached !== null) cached.isBusy = false;
      if (cached === this.#cached.get(run.start.runId)) await this.evict(run);
      const failed = error instanceof Error ? error.message : String(error);
      this.#server.noteFailedTask(run, failed);
      const evictJob = { reason: EvictionReason.NONDETERMINISM };
      this.evictionsEmitter.emit('eviction', { runId: run.start.runId, evictJob });
      return { failed };
    }
  }

  /**
   * Answers a query that came without a task; null when the run does not replay. `events`: those that came
   * with it and whose task had not begun. They are old when the run has seen another task than the first
   * `after` ones meanwhile.
   */
  async query(
    run: Run,
    job: Job,
    { events, after }: { events: readonly Job[]; after: number },
  ): Promise<Activated | null> {
    let cached: CachedRun | null = null;
    try {
      await this.#untilIdle(run, ({ isBusy }) => isBusy);
      cached = await this.#bring(run);
      cached.isQueried = true;
      if (cached.seenTasks === after) await applyEarly(cached, events, (work) => this.#alone(work));
      return await this.#ask(cached, job);
    } catch {
      if (cached !== null && cached === this.#cached.get(run.start.runId)) await this.evict(run);
      return null;
    } finally {
      if (cached !== null) cached.isQueried = false;
    }
  }

  /** Asks a run in memory. Its time is that of the last event that it has seen. */
  #ask({ instance, atMs }: CachedRun, job: Job): Promise<Activated> {
    return this.#alone(() => instance.activate([job], { atMs, isReplaying: false, flags: [] }));
  }

  async #untilIdle(run: Run, isUsed: (cached: CachedRun) => boolean): Promise<void> {
    for (;;) {
      const known = this.#cached.get(run.start.runId);
      if (known === undefined || !isUsed(known)) return;
      await this.#scheduler.pause(0.1, 2);
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
    this.#activities.add(running);
    const reported = running.ended.then(async (result) => {
      this.#activities.delete(running);
      const isLost = this.#scheduler.draws('answer of an activity lost', 0.02);
      await this.#scheduler.pause(0.2, 4, `${order.activityType} of ${this.process.name} ended`);
      if (!isLost) activity.ended(token, result);
    });
    this.#track(reported);
  }

  async #bring(run: Run): Promise<CachedRun> {
    await this.#untilIdle(run, ({ isQueried }) => isQueried);
    const known = this.#cached.get(run.start.runId);
    // A task that timed out may still be using the run.
    if (known && known.lastTask === (run.tasks.at(-1) ?? null) && !known.isBusy) return known;
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
