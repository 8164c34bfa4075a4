import type { Activated, WorkflowInstance } from './instance.ts';
import {
  type Command,
  type Job,
  type LocalResult,
  type Task,
  cancelledFailure,
  inWords,
} from './protocol.ts';

/** A local activity that a workflow scheduled. */
export type LocalOrder = NonNullable<Command['scheduleLocalActivity']>;

/** The input of a task to its workflow, in the order of the server's events. */
export type TaskInput = Omit<Task, 'local' | 'commands'>;

/** A run in the memory of one worker. */
export interface CachedRun {
  instance: WorkflowInstance;
  /** Number of tasks that it has played. One of them may have timed out, and is then not in the history. */
  seenTasks: number;
  /** The last of them. */
  lastTask: Task | null;
  /** Local activities without a result. */
  local: Map<number, LocalOrder>;
  /** Activities that may still be cancelled, by their numbers. */
  activities: Map<number, { activityId: string; type: string }>;
  /** Updates that any of its tasks accepted. */
  accepted: Set<string>;
  isOver: boolean;
  /** Whether a task of it is being played. */
  isBusy: boolean;
  /** Whether a query that came without a task is being answered. */
  isQueried: boolean;
  /** The time of the last event that it has seen, in epoch ms. */
  atMs: number;
  /** What it did because of events that a query brought before their task. */
  early: EarlyWork | null;
}

/** `events`: the number of events of the next task that a run has seen. */
interface EarlyWork {
  events: number;
  commands: Command[];
  flags: number[];
}

export const newCachedRun = (instance: WorkflowInstance): CachedRun => ({
  instance,
  seenTasks: 0,
  lastTask: null,
  local: new Map(),
  activities: new Map(),
  accepted: new Set(),
  isOver: false,
  isBusy: false,
  isQueried: false,
  atMs: instance.start.startedAtMs,
  early: null,
});

/**
 * `isOutOfOrder`: signals of the task were applied after other events, which a query had brought before. The
 * SDK replays signals first, so that the history may not replay.
 */
export type Played = { task: Task; commands: Command[]; isOutOfOrder: boolean } | { failed: string };

export interface PlayOptions {
  isReplaying: boolean;
  /** Returns the next local activity that ended; null when none ends in this task. */
  nextLocal: (run: CachedRun) => Promise<LocalResult | null>;
  /** Runs one activation while nothing else happens. */
  alone: (work: () => Promise<Activated>) => Promise<Activated>;
}

/**
 * Plays one workflow task: first the events, with signals and updates before the rest, then each local
 * activity as it ends. New tasks and tasks of the history are played the same way.
 */
export async function playTask(
  run: CachedRun,
  input: TaskInput,
  { isReplaying, nextLocal, alone }: PlayOptions,
): Promise<Played> {
  const early = run.early ?? nothingEarly();
  run.early = null;
  const commands = [...early.commands];
  const local: LocalResult[] = [];
  let flags = [...new Set([...input.flags, ...early.flags])];
  const laterEvents = input.jobs.slice(early.events);
  const isOutOfOrder = early.events > 0 && laterEvents.some(isSignal);
  let jobs = firstJobs(run, { ...input, jobs: laterEvents });
  let atMs = input.atMs;
  for (;;) {
    const batch = jobs;
    // A workflow's time never goes back, even when the server's clock does.
    const at = Math.max(run.atMs, atMs);
    const given = { atMs: at, isReplaying, flags, suggestsNew: input.suggestsNew };
    run.atMs = at;
    // A workflow is not activated without a job.
    const activated = batch.length === 0 ? nothing : await alone(() => run.instance.activate(batch, given));
    if ('failed' in activated) return activated;
    flags = [...new Set([...flags, ...activated.flags])];
    commands.push(...activated.commands);
    const cancelled = note(run, activated.commands);
    if (run.isOver) break;
    if (cancelled.length > 0) {
      jobs = cancelled;
      continue;
    }
    if (run.local.size === 0) break;
    const ended = await nextLocal(run);
    if (ended === null) break;
    run.local.delete(ended.seq);
    local.push(ended);
    atMs = ended.atMs;
    jobs = [{ resolveActivity: { seq: ended.seq, result: ended.result, isLocal: true } }];
  }
  run.seenTasks += 1;
  run.lastTask = recorded(run, input, commands, { local, flags });
  return { commands, task: run.lastTask, isOutOfOrder };
}

const isSignal = ({ signalWorkflow }: Job): boolean => Boolean(signalWorkflow);

const nothing = { commands: [], flags: [] };
const nothingEarly = (): EarlyWork => ({ events: 0, commands: [], flags: [] });

/**
 * Gives a run the events that a query brought before their task, at the time of the last task. What the
 * workflow does because of them becomes part of the next task. Throws when it fails.
 */
export async function applyEarly(
  run: CachedRun,
  events: readonly Job[],
  alone: PlayOptions['alone'],
): Promise<void> {
  const early = run.early ?? nothingEarly();
  let jobs = firstJobs(run, { jobs: events.slice(early.events), updates: [], patches: [] });
  while (jobs.length > 0) {
    const batch = jobs;
    const given = { atMs: run.atMs, isReplaying: false, flags: early.flags };
    const activated = await alone(() => run.instance.activate(batch, given));
    if ('failed' in activated) throw new Error(activated.failed);
    early.commands.push(...activated.commands);
    early.flags = [...new Set([...early.flags, ...activated.flags])];
    jobs = note(run, activated.commands);
  }
  run.early = { ...early, events: Math.max(early.events, events.length) };
}

function firstJobs(
  run: CachedRun,
  { jobs, updates, patches }: Pick<TaskInput, 'jobs' | 'updates' | 'patches'>,
): Job[] {
  const isSeed = ({ updateRandomSeed }: Job): boolean => Boolean(updateRandomSeed);
  for (const { resolveActivity } of jobs) {
    if (resolveActivity?.seq) run.activities.delete(resolveActivity.seq);
  }
  return [
    ...(run.seenTasks === 0 ? [run.instance.initialize()] : []),
    ...patches.map((patchId): Job => ({ notifyHasPatch: { patchId } })),
    ...jobs.filter(isSeed),
    ...jobs.filter(isSignal),
    ...updates,
    ...jobs.filter((job) => !isSignal(job) && !isSeed(job)),
  ];
}

/** Records the work that an activation began. Returns the results of the activities that it cancelled. */
function note(run: CachedRun, commands: readonly Command[]): Job[] {
  const cancelled: Job[] = [];
  for (const command of commands) {
    const { scheduleLocalActivity: order, scheduleActivity: activity } = command;
    if (order?.seq) run.local.set(order.seq, order);
    if (activity?.seq) {
      const { seq, activityId, activityType } = activity;
      run.activities.set(seq, { activityId: activityId ?? '', type: activityType ?? '' });
    }
    const seq = command.requestCancelActivity?.seq;
    const known = seq ? run.activities.get(seq) : undefined;
    if (seq && known) {
      run.activities.delete(seq);
      const failure = cancelledFailure(known.activityId, known.type);
      cancelled.push({ resolveActivity: { seq, result: { cancelled: { failure } } } });
    }
    if (isClosing(command)) run.isOver = true;
  }
  return cancelled;
}

export const isClosing = (command: Command): boolean =>
  Boolean(
    command.completeWorkflowExecution ??
    command.failWorkflowExecution ??
    command.cancelWorkflowExecution ??
    command.continueAsNewWorkflowExecution,
  );

function recorded(
  run: CachedRun,
  input: TaskInput,
  commands: readonly Command[],
  ended: Pick<Task, 'local' | 'flags'>,
): Task {
  const words: string[] = [];
  for (const command of commands) {
    const id = command.updateResponse?.protocolInstanceId ?? '';
    if (command.updateResponse?.accepted) run.accepted.add(id);
    // A validator's refusal leaves no history. A handler's refusal is the result of the update.
    if (command.updateResponse?.rejected)
      words.push(...(run.accepted.has(id) ? [`complete update ${id}`] : []));
    else words.push(...[inWords(command)].filter((each) => each !== null));
  }
  return {
    ...input,
    ...ended,
    updates: input.updates
      .filter(({ doUpdate }) => run.accepted.has(doUpdate?.protocolInstanceId ?? ''))
      .map(({ doUpdate }) => ({ doUpdate: { ...doUpdate, runValidator: false } })),
    patches: commands.flatMap(({ setPatchMarker }) => setPatchMarker?.patchId ?? []),
    commands: words,
  };
}
