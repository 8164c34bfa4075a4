import { randomUUID } from 'node:crypto';
import { scheduleActivity, startTimer } from './apply-commands.ts';
import type { Command, Job } from './protocol.ts';
import { Run, newUpdate } from './run.ts';
import type { TemporalServer } from './server.ts';

/**
 * Resets a run to one of its completed tasks, as `temporal workflow reset` does. The run ends, and a new one
 * begins with the history up to the start of that task. It gets later signals and updates again.
 */
export function resetRun(server: TemporalServer, run: Run, taskNo: number): void {
  const [again, ...later] = run.tasks.slice(taskNo);
  if (again === undefined) throw new Error('a run is reset to a task that it has completed');
  const next = new Run({ ...run.start, runId: randomUUID(), requestId: '' });
  const laterJobs = [...later.flatMap(({ jobs }) => jobs), ...run.jobs];
  server.end(run);
  for (let index = 0; index < taskNo; index += 1) {
    const [task, effects] = [run.tasks[index], run.effects[index]];
    if (task && effects) next.record(task, effects);
  }
  next.jobs = [
    { updateRandomSeed: { randomnessSeed: seedOf(next) as never } },
    ...again.jobs,
    ...laterJobs.filter(({ signalWorkflow }) => Boolean(signalWorkflow)),
  ];
  copyUpdates(run, next, taskNo);
  beginPending(server, next);
  server.add(next);
  server.wake(next);
}

const seedOf = ({ start }: Run): number => Number.parseInt(start.runId.slice(0, 8), 16);

/** Keeps the updates of the tasks that the new run has. Those that were accepted later are admitted again. */
function copyUpdates(run: Run, next: Run, taskNo: number): void {
  const ended = new Set(next.tasks.flatMap(({ commands }) => commands));
  for (const [index, { updates }] of run.tasks.entries()) {
    for (const { doUpdate } of updates) {
      const id = doUpdate?.id ?? '';
      const known = run.updates.get(id);
      const isEnded = index < taskNo && ended.has(`complete update ${id}`);
      if (isEnded && known) next.updates.set(id, known);
      else {
        const update = newUpdate(id, { doUpdate: { ...doUpdate, runValidator: true } });
        if (index < taskNo) update.state = 'accepted';
        next.updates.set(id, update);
      }
    }
  }
}

/** Begins the timers and activities that the tasks of a run began and that have not ended. */
function beginPending(server: TemporalServer, run: Run): void {
  const timers = new Map<number, { order: NonNullable<Command['startTimer']>; atMs: number }>();
  const activities = new Map<number, NonNullable<Command['scheduleActivity']>>();
  for (const { atMs, commands } of run.effects) {
    for (const {
      startTimer: timer,
      cancelTimer,
      scheduleActivity: activity,
      requestCancelActivity,
    } of commands) {
      if (timer) timers.set(timer.seq ?? 0, { order: timer, atMs });
      if (cancelTimer) timers.delete(cancelTimer.seq ?? 0);
      if (activity) activities.set(activity.seq ?? 0, activity);
      if (requestCancelActivity) activities.delete(requestCancelActivity.seq ?? 0);
    }
  }
  const ended = (job: Job): void => {
    if (job.fireTimer) timers.delete(job.fireTimer.seq ?? 0);
    if (job.resolveActivity) activities.delete(job.resolveActivity.seq ?? 0);
  };
  for (const { jobs } of run.tasks) for (const job of jobs) ended(job);
  for (const job of run.jobs) ended(job);
  for (const { order, atMs } of timers.values()) startTimer(server, run, order, atMs);
  for (const activity of activities.values()) scheduleActivity(server, run, activity);
}
