import { workflowTypes } from '../../../src/temporal/contract/ids.ts';
import type { Scheduler } from '../scheduler.ts';
import { applyCommands } from './apply-commands.ts';
import { isClosing } from './play-task.ts';
import type { WaitingQuery } from './queries.ts';
import { RpcError, codes } from './rpc-error.ts';
import type { Run, Update } from './run.ts';
import type { TemporalServer } from './server.ts';
import type { PlayedTask, SimulatedWorker } from './worker.ts';

/** From this try of a task on, each further one may take longer: this much, doubled each time, in ms. */
const longerFromTry = 4;
const longerByMs = 5_000;

/** How long a task waits before it is offered again when no worker polls, in ms. */
const withoutWorkerMs = 500;

/** The kind of fault by which the server suggests to continue as new, and the workflows that heed it. */
const suggestion = 'continue-as-new suggested';
/** The share of the seeds in which it suggests this in every task. */
const alwaysShare = 0.2;
const longTypes: readonly string[] = [workflowTypes.reconciliation, workflowTypes.replayWebhooks];

/** Hands the workflow tasks of runs to workers, and applies their answers. */
export class WorkflowTasks {
  readonly #server: TemporalServer;
  readonly #scheduler: Scheduler;
  #token = 0;

  constructor(server: TemporalServer) {
    this.#server = server;
    this.#scheduler = server.scheduler;
  }

  /** Schedules a task, unless there is one. */
  wake(run: Run): void {
    if (!run.isOpen || run.task !== null) return;
    run.delayed?.cancel();
    run.delayed = null;
    this.#token += 1;
    run.tries += 1;
    run.task = { token: this.#token, isStarted: false, owner: null };
    this.dispatch(run);
  }

  /** Offers a run's task to the workers. Without a worker that polls, the task waits. */
  dispatch(run: Run): void {
    const { task } = run;
    if (task === null) return;
    this.#scheduler.outside(this.#scheduler.delay(0.2, 6), null, () => {
      if (run.task !== task || task.isStarted) return;
      const worker = this.#server.pick(run.start.taskQueue, run);
      if (worker === null) {
        this.#scheduler.outside(withoutWorkerMs, null, () => this.#offerAgain(run, task));
        return;
      }
      task.isStarted = true;
      task.owner = worker.process;
      const atMs = this.#server.nowMs;
      run.countEvents();
      this.#scheduler.note(`${worker.process.name} gets a task of ${run.start.type}`);
      this.#scheduler.outside(timeoutMs(run), null, () => this.#timeOut(run, task.token));
      this.#scheduler.runAwake(
        worker.process,
        () => void this.#play(run, { token: task.token, atMs }, worker),
      );
    });
  }

  /** Workers that join are offered all tasks; one that was frozen polls again without joining. */
  #offerAgain(run: Run, task: Run['task']): void {
    if (run.task === task && task?.isStarted === false) this.dispatch(run);
  }

  async #play(
    run: Run,
    { token, atMs }: { token: number; atMs: number },
    worker: SimulatedWorker,
  ): Promise<void> {
    if (worker.has(run) && this.#scheduler.draws('worker forgot a run', 0.05)) await worker.evict(run);
    const jobs = [...run.jobs];
    const updates = run.waitingUpdates();
    for (const update of updates) update.state = 'sent';
    const queries = [...run.queries];
    const played = await worker.playNext(run, {
      atMs,
      suggestsNew: longTypes.includes(run.start.type) && this.#suggestsNew(),
      jobs,
      updates: updates.map(({ job }) => job),
      queries: queries.map(({ job }) => job),
    });
    // The task timed out meanwhile. The next one, which may be here already, must not continue from it.
    if (run.task?.token !== token) return worker.evict(run);
    const isLost = this.#scheduler.draws('answer to a workflow task lost', 0.01);
    await this.#scheduler.pause(0.2, 4);
    if (isLost || run.task?.token !== token) {
      await worker.evict(run);
      return;
    }
    if ('failed' in played) this.#fail(run);
    else await this.#complete(run, worker, played, { jobs: jobs.length, updates, queries });
  }

  /** Where the limit of a history is lowest, each task suggests it. */
  #suggestsNew(): boolean {
    const isAlways = this.#scheduler.isAmong(suggestion, alwaysShare) && this.#scheduler.allows(suggestion);
    return isAlways || this.#scheduler.draws(suggestion, 0.3);
  }

  async #complete(
    run: Run,
    worker: SimulatedWorker,
    played: Extract<PlayedTask, { task: object }>,
    given: { jobs: number; updates: Update[]; queries: WaitingQuery[] },
  ): Promise<void> {
    run.task = null;
    run.tries = 0;
    run.failedWith = null;
    const isUnhandled =
      played.commands.some(isClosing) &&
      (run.jobs.length > given.jobs || run.waitingUpdates().some(({ state }) => state === 'admitted'));
    if (isUnhandled) {
      await worker.evict(run);
      for (const update of given.updates) if (update.state === 'sent') update.state = 'admitted';
      this.#flush(run, given.jobs);
      this.wake(run);
      return;
    }
    run.sticky = worker;
    run.jobs.splice(0, given.jobs);
    this.#flush(run, 0);
    if (played.isOutOfOrder) {
      run.isOutOfOrder = true;
      this.#scheduler.met('events of a query came before signals');
    }
    run.record(played.task, { atMs: this.#server.nowMs, commands: played.commands });
    for (const [index, activated] of played.answers.entries()) given.queries[index]?.answer(activated);
    const answered = new Set(given.queries.slice(0, played.answers.length));
    run.queries = run.queries.filter((query) => !answered.has(query));
    applyCommands(this.#server, run, played.commands);
    const hasMore = played.isForced || run.jobs.length > 0 || run.waitingUpdates().length > 0;
    if (run.isOpen && hasMore) this.wake(run);
    else for (const query of run.queries.splice(0)) query.release();
  }

  /** Puts the events that arrived during a task in the order in which the server adds them to the history. */
  #flush(run: Run, from: number): void {
    if (run.flush(from)) this.#scheduler.met('events during a task reordered');
  }

  /** The first failure of a task is reported and tried again at once. Workers do not report further ones. */
  #fail(run: Run): void {
    run.sticky = null;
    if (run.tries > 1) return;
    run.failedWith = run.jobs.length;
    run.task = null;
    for (const update of run.waitingUpdates()) update.state = 'admitted';
    this.#scheduler.outside(10, null, () => this.wake(run));
  }

  /** Handles a task without an answer: it is tried again, and its updates are kept or dropped. */
  #timeOut(run: Run, token: number): void {
    if (run.task?.token !== token) return;
    run.task = null;
    run.sticky = null;
    run.failedWith = run.jobs.length;
    for (const update of run.waitingUpdates()) {
      if (update.state !== 'sent') continue;
      if (this.#scheduler.random.chance(0.5)) update.state = 'admitted';
      else {
        run.updates.delete(update.id);
        this.#scheduler.met('update dropped with its task');
        update.drop(new RpcError(codes.unavailable, 'Workflow Update was aborted.'));
      }
    }
    this.wake(run);
  }
}

const timeoutMs = ({ start, tries }: Run): number =>
  start.taskMs + (tries < longerFromTry ? 0 : longerByMs * 2 ** (tries - longerFromTry));
