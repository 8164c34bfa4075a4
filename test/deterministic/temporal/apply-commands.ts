import { randomUUID } from 'node:crypto';
import type { Planned } from '../scheduler.ts';
import { type Command, type RunStart, msOf } from './protocol.ts';
import { Run } from './run.ts';
import { ServerActivity } from './server-activity.ts';
import { queryAtTimer } from './query-at-timer.ts';
import type { TemporalServer } from './server.ts';

/** Applies the commands of a completed task. */
export function applyCommands(server: TemporalServer, run: Run, commands: readonly Command[]): void {
  for (const command of commands) apply(server, run, command);
}

function apply(server: TemporalServer, run: Run, command: Command): void {
  const { cancelTimer, requestCancelActivity, updateResponse } = command;
  if (command.startTimer) startTimer(server, run, command.startTimer, server.nowMs);
  else if (command.scheduleActivity) scheduleActivity(server, run, command.scheduleActivity);
  else if (cancelTimer) {
    run.timers.get(cancelTimer.seq ?? 0)?.cancel();
    run.timers.delete(cancelTimer.seq ?? 0);
    run.jobs = run.jobs.filter(({ fireTimer }) => fireTimer?.seq !== cancelTimer.seq);
  } else if (requestCancelActivity) {
    const seq = requestCancelActivity.seq ?? 0;
    // The workflow already knows of the cancellation; the worker learns of it at its next heartbeat.
    run.activities.get(seq)?.abandon();
    run.activities.delete(seq);
    run.jobs = run.jobs.filter(({ resolveActivity }) => resolveActivity?.seq !== seq);
  } else if (updateResponse) answerUpdate(run, updateResponse);
  else if (command.upsertWorkflowSearchAttributes) {
    const changed = command.upsertWorkflowSearchAttributes.searchAttributes;
    Object.assign(
      run.start.searchAttributes,
      (changed as { indexedFields?: object })?.indexedFields ?? changed,
    );
  } else close(server, run, command);
}

/** Starts a timer of a run. `fromMs`: when the task that began it was completed, by the server's clock. */
export function startTimer(
  server: TemporalServer,
  run: Run,
  order: NonNullable<Command['startTimer']>,
  fromMs: number,
): void {
  const { scheduler } = server;
  const seq = order.seq ?? 0;
  const firesAtMs = fromMs + (msOf(order.startToFireTimeout) ?? 0);
  const fire = (): void => {
    run.timers.delete(seq);
    server.give(run, { fireTimer: { seq } });
    queryAtTimer(server, run);
  };
  let planned: Planned | null = null;
  const plan = (): void => {
    planned?.cancel();
    planned = scheduler.outside(firesAtMs - server.nowMs, null, fire);
  };
  plan();
  run.timers.set(seq, { plan, cancel: () => planned?.cancel() });
}

/** Schedules an activity of a run. */
export function scheduleActivity(
  server: TemporalServer,
  run: Run,
  order: NonNullable<Command['scheduleActivity']>,
): void {
  const seq = order.seq ?? 0;
  const activity = new ServerActivity(run, order, {
    scheduler: server.scheduler,
    offer: (offered) => server.offer(offered),
    onEnd: (result) => {
      run.activities.delete(seq);
      server.give(run, { resolveActivity: { seq, result } });
    },
  });
  run.activities.set(seq, activity);
}

function answerUpdate(run: Run, response: NonNullable<Command['updateResponse']>): void {
  const update = run.updates.get(response.protocolInstanceId ?? '');
  if (!update) return;
  if (response.accepted) update.state = 'accepted';
  else {
    // An update that a validator refused is forgotten, so that a repeat comes to the validator again.
    if (update.state !== 'accepted') run.updates.delete(update.id);
    update.state = 'ended';
    if (response.completed) update.end({ success: { payloads: [response.completed] } });
    else update.end({ failure: response.rejected ?? {} });
  }
}

function close(server: TemporalServer, run: Run, command: Command): void {
  if (command.completeWorkflowExecution) {
    const { result } = command.completeWorkflowExecution;
    run.result = result ? [result] : [];
    run.close('COMPLETED', server.nowMs);
  } else if (command.failWorkflowExecution) {
    run.failure = command.failWorkflowExecution.failure ?? {};
    run.close('FAILED', server.nowMs);
  } else if (command.cancelWorkflowExecution) {
    // An operator canceled it, and the workflow has not continued.
    run.close('CANCELED', server.nowMs);
  } else if (command.continueAsNewWorkflowExecution) {
    run.close('CONTINUED_AS_NEW', server.nowMs);
    const start: RunStart = {
      ...run.start,
      runId: randomUUID(),
      input: command.continueAsNewWorkflowExecution.arguments ?? [],
      startedAtMs: server.nowMs,
      requestId: '',
    };
    const next = new Run(start);
    server.add(next);
    server.wake(next);
  } else if (
    !command.scheduleLocalActivity &&
    !command.setPatchMarker &&
    !command.modifyWorkflowProperties &&
    !command.respondToQuery
  ) {
    throw new Error(`the simulation has no command ${Object.keys(command).join(', ')}`);
  }
}
