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
export type TaskInput = Pick<Task, 'atMs' | 'jobs' | 'updates' | 'patches' | 'flags'>;

/** A run in the memory of one worker. */
export interface CachedRun {
  instance: WorkflowInstance;
  /** Number of the history's tasks that it has seen. */
  seenTasks: number;
  /** Local activities without a result. */
  local: Map<number, LocalOrder>;
  /** Activities that may still be cancelled, by their numbers. */
  activities: Map<number, { activityId: string; type: string }>;
  /** Updates that any of its tasks accepted. */
  accepted: Set<string>;
  isOver: boolean;
  /** Whether a task of it is being played. */
  isBusy: boolean;
}

export const newCachedRun = (instance: WorkflowInstance): CachedRun => ({
  instance,
  seenTasks: 0,
  local: new Map(),
  activities: new Map(),
  accepted: new Set(),
  isOver: false,
  isBusy: false,
});

export type Played = { task: Task; commands: Command[] } | { failed: string };

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
  const commands: Command[] = [];
  const local: LocalResult[] = [];
  let flags = input.flags;
  let jobs = firstJobs(run, input);
  let atMs = input.atMs;
  for (;;) {
    const batch = jobs;
    const at = atMs;
    const given = { atMs: at, isReplaying, flags };
    const activated = await alone(() => run.instance.activate(batch, given));
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
  return { commands, task: recorded(run, input, commands, { local, flags }) };
}

function firstJobs(run: CachedRun, { jobs, updates, patches }: TaskInput): Job[] {
  const isSignal = ({ signalWorkflow }: Job): boolean => Boolean(signalWorkflow);
  for (const { resolveActivity } of jobs) {
    if (resolveActivity?.seq) run.activities.delete(resolveActivity.seq);
  }
  return [
    ...(run.seenTasks === 0 ? [run.instance.initialize()] : []),
    ...patches.map((patchId): Job => ({ notifyHasPatch: { patchId } })),
    ...jobs.filter(isSignal),
    ...updates,
    ...jobs.filter((job) => !isSignal(job)),
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
