import { randomUUID } from 'node:crypto';
import { type Command, type RunStart, msOf } from './protocol.ts';
import { Run } from './run.ts';
import { ServerActivity } from './server-activity.ts';
import type { TemporalServer } from './server.ts';

/** Applies the commands of a completed task. */
export function applyCommands(server: TemporalServer, run: Run, commands: readonly Command[]): void {
  for (const command of commands) apply(server, run, command);
}

function apply(server: TemporalServer, run: Run, command: Command): void {
  const { scheduler } = server;
  const { startTimer, cancelTimer, scheduleActivity, requestCancelActivity, updateResponse } = command;
  if (startTimer) {
    const seq = startTimer.seq ?? 0;
    const fire = (): void => {
      run.timers.delete(seq);
      server.give(run, { fireTimer: { seq } });
    };
    run.timers.set(seq, scheduler.outside(msOf(startTimer.startToFireTimeout) ?? 0, null, fire));
  } else if (cancelTimer) {
    run.timers.get(cancelTimer.seq ?? 0)?.cancel();
    run.timers.delete(cancelTimer.seq ?? 0);
    run.jobs = run.jobs.filter(({ fireTimer }) => fireTimer?.seq !== cancelTimer.seq);
  } else if (scheduleActivity) {
    const seq = scheduleActivity.seq ?? 0;
    const activity = new ServerActivity(run, scheduleActivity, {
      scheduler,
      offer: (offered) => server.offer(offered),
      onEnd: (result) => {
        run.activities.delete(seq);
        server.give(run, { resolveActivity: { seq, result } });
      },
    });
    run.activities.set(seq, activity);
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

function answerUpdate(run: Run, response: NonNullable<Command['updateResponse']>): void {
  const update = run.updates.get(response.protocolInstanceId ?? '');
  if (!update) return;
  if (response.accepted) update.state = 'accepted';
  else {
    update.state = 'ended';
    if (response.completed) update.end({ success: { payloads: [response.completed] } });
    else update.end({ failure: response.rejected ?? {} });
  }
}

function close(server: TemporalServer, run: Run, command: Command): void {
  const { scheduler } = server;
  if (command.completeWorkflowExecution) {
    const { result } = command.completeWorkflowExecution;
    run.result = result ? [result] : [];
    run.close('COMPLETED', scheduler);
  } else if (command.failWorkflowExecution) {
    run.failure = command.failWorkflowExecution.failure ?? {};
    run.close('FAILED', scheduler);
  } else if (command.continueAsNewWorkflowExecution) {
    run.close('CONTINUED_AS_NEW', scheduler);
    const start: RunStart = {
      ...run.start,
      runId: randomUUID(),
      input: command.continueAsNewWorkflowExecution.arguments ?? [],
      startedAtMs: scheduler.nowMs,
    };
    const next = new Run(start);
    server.runs.get(start.workflowId)?.push(next);
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
