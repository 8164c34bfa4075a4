import { partial } from '../../support/partial.ts';
import { Scheduler, newProcess } from '../scheduler.ts';
import { applyCommands } from './apply-commands.ts';
import type { Command, Job, Task } from './protocol.ts';
import { askRun } from './queries.ts';
import { resetRun } from './reset-run.ts';
import type { Run } from './run.ts';
import { TemporalServer } from './server.ts';
import { Service } from './service.ts';
import type { SimulatedWorker } from './worker.ts';

let server: TemporalServer;
beforeEach(() => {
  server = new TemporalServer(new Scheduler(1), new Map());
});

const begin = (): Run =>
  server.begin(
    {
      workflowId: 'payment-1',
      type: 'paymentWorkflow',
      taskQueue: 'payments',
      input: [],
      searchAttributes: {},
      taskMs: 10_000,
      requestId: 'first',
    },
    0,
  );
const signal = (signalName: string): Job => ({ signalWorkflow: { signalName } });
const update = (id: string): Job => ({ doUpdate: { id, protocolInstanceId: id, runValidator: false } });
const timer = (seq: number, seconds: number): Command => ({
  startTimer: { seq, startToFireTimeout: { seconds: seconds as never } },
});
const fired = (seq: number): Job => ({ fireTimer: { seq } });
const resolved = (seq: number): Job => ({ resolveActivity: { seq, result: { completed: {} } } });
const execution = { workflowId: 'payment-1' };

/** Adds a completed task to a run. */
function complete(run: Run, given: Partial<Task>, ...commands: Command[]): void {
  const nothing = { jobs: [], updates: [], local: [], patches: [], flags: [], commands: [] };
  run.record(
    { atMs: 0, suggestsNew: false, ...nothing, ...given },
    { atMs: server.scheduler.nowMs, commands },
  );
}

const namesOf = ({ jobs }: Run): (string | null | undefined)[] =>
  jobs.flatMap(({ signalWorkflow }) => signalWorkflow?.signalName ?? []);

it('offers a task again to a worker that was frozen when it came', async () => {
  const { scheduler } = server;
  const frozen = newProcess('worker-1');
  frozen.frozenUntilMs = scheduler.nowMs + 600_000;
  let playedAtMs: number | null = null;
  const worker = partial<SimulatedWorker>({
    process: frozen,
    runsWorkflows: true,
    options: partial<SimulatedWorker['options']>({ taskQueue: 'payments' }),
    has: () => false,
    evict: async () => undefined,
    playNext: async () => {
      playedAtMs ??= scheduler.nowMs;
      return { failed: 'enough is known' };
    },
  });
  server.join(worker);
  const thawsAtMs = frozen.frozenUntilMs;
  server.wake(begin());
  await scheduler.play(() => playedAtMs !== null);
  expect(playedAtMs).toBeGreaterThanOrEqual(thawsAtMs - 1_000);
});

describe('a reset', () => {
  it('ends the run and keeps its history up to the start of a task', () => {
    const run = begin();
    complete(run, { commands: ['start timer 1'] }, timer(1, 60), timer(2, 90));
    complete(run, { jobs: [fired(1)] }, timer(3, 60));
    run.jobs.push(resolved(4));
    resetRun(server, run, 1);
    const next = server.latest('payment-1');
    expect(run.status).toBe('TERMINATED');
    expect(next?.tasks).toEqual(run.tasks.slice(0, 1));
    expect(next?.start).toMatchObject({
      firstRunId: run.start.firstRunId,
      startedAtMs: run.start.startedAtMs,
    });
    expect(next?.start.runId).not.toBe(run.start.runId);
    expect(next?.jobs).toEqual([{ updateRandomSeed: { randomnessSeed: expect.any(Number) } }, fired(1)]);
    // The fired timer is in the history, and the third was not begun in it.
    expect([...(next?.timers.keys() ?? [])]).toEqual([2]);
  });

  it('gives later signals and updates again', () => {
    const run = begin();
    complete(run, { updates: [update('early')], commands: ['accept update early', 'complete update early'] });
    complete(run, { updates: [update('open')], commands: ['accept update open'] });
    complete(run, { jobs: [signal('kept')], updates: [update('late')], commands: ['accept update late'] });
    complete(run, { jobs: [signal('later'), resolved(9)] });
    for (const id of ['early', 'open', 'late']) server.admit(run, id, update(id));
    const [early] = run.updates.values();
    if (early) early.state = 'ended';
    run.jobs.push(signal('newest'));
    resetRun(server, run, 2);
    const next = server.latest('payment-1');
    expect(next && namesOf(next)).toEqual(['kept', 'later', 'newest']);
    expect([...(next?.updates.values() ?? [])].map(({ id, state }) => [id, state])).toEqual([
      ['early', 'ended'],
      ['open', 'accepted'],
      ['late', 'admitted'],
    ]);
  });
});

it('lists the runs of some types that began or ended since an instant, and shows what a run began with', async () => {
  const run = begin();
  const service = new Service(server);
  const list = async (type: string, since: number): Promise<number> => {
    const at = new Date(since).toISOString();
    const query = `WorkflowType IN ('${type}') AND (StartTime >= '${at}' OR CloseTime >= '${at}')`;
    return (await service.listWorkflowExecutions({ query })).executions.length;
  };
  expect(await list('paymentWorkflow', run.start.startedAtMs)).toBe(1);
  expect(await list('paymentWorkflow', run.start.startedAtMs + 1)).toBe(0);
  expect(await list('refundWorkflow', run.start.startedAtMs)).toBe(0);
  const { history } = await service.getWorkflowExecutionHistory({ execution });
  expect(history.events[0]).toEqual({
    workflowExecutionStartedEventAttributes: { input: { payloads: run.start.input } },
  });
});

it('has no run of a workflow whose latest run was deleted, and earlier runs only by their ids', () => {
  const [earlier, run] = [begin(), begin()];
  server.remove(run);
  expect(server.latest('payment-1')).toBeNull();
  expect(server.latest('payment-1', run.start.runId)).toBeNull();
  expect(server.latest('payment-1', earlier.start.runId)).toBe(earlier);
  expect(run.isOpen).toBe(false);
});

it('adds the ends of activities after the other events that arrived during a task', () => {
  const run = begin();
  run.jobs = [resolved(1), resolved(2), fired(3), signal('four')];
  expect(run.flush(1)).toBe(true);
  expect(run.jobs).toEqual([resolved(1), fired(3), signal('four'), resolved(2)]);
  expect(run.flush(0)).toBe(true);
  expect(run.flush(0)).toBe(false);
});

it('gives a refused update to the validator again, and the result of an accepted one once', () => {
  const run = begin();
  const refused = server.admit(run, 'refused', update('refused'));
  const accepted = server.admit(run, 'accepted', update('accepted'));
  expect(server.admit(run, 'refused', update('refused'))).toBe(refused);
  applyCommands(server, run, [
    { updateResponse: { protocolInstanceId: 'refused', rejected: { message: 'no' } } },
    { updateResponse: { protocolInstanceId: 'accepted', accepted: {} } },
    { updateResponse: { protocolInstanceId: 'accepted', rejected: { message: 'no' } } },
  ]);
  expect(server.admit(run, 'accepted', update('accepted'))).toBe(accepted);
  expect(server.admit(run, 'refused', update('refused'))).not.toBe(refused);
});

it('takes a repeated request to start or to signal for the same one', async () => {
  const service = new Service(server);
  const start = { ...execution, workflowType: { name: 'paymentWorkflow' }, requestId: 'start' };
  const { runId } = await service.startWorkflowExecution(start);
  expect(await service.startWorkflowExecution(start)).toEqual({ runId, started: true });
  const [sent, other] = ['one', 'other'].map((requestId) => ({
    workflowExecution: execution,
    signalName: 'resume',
    requestId,
  }));
  for (const request of [sent, sent, other]) await service.signalWorkflowExecution(request ?? {});
  expect(server.latest('payment-1')?.jobs).toHaveLength(2);
});

describe('a run whose task fails', () => {
  it('accepts no update and no query from the third try on', async () => {
    const run = begin();
    complete(run, {});
    run.tries = 3;
    expect(() => server.admit(run, 'late', update('late'))).toThrow('9: ');
    await expect(askRun(server, run, { queryWorkflow: { queryType: 'status' } })).rejects.toThrow('9: ');
  });

  it('counts its tries anew after an event', () => {
    const run = begin();
    run.tries = 3;
    run.failedWith = 0;
    run.countEvents();
    expect(run.tries).toBe(3);
    run.jobs.push(signal('resume'));
    run.countEvents();
    expect(run.tries).toBe(1);
  });
});

it('keeps one query for the next task of a run, and refuses more', async () => {
  const run = begin();
  complete(run, {});
  const job: Job = { queryWorkflow: { queryType: 'status' } };
  const first = askRun(server, run, job);
  await expect(askRun(server, run, job)).rejects.toThrow('8: ');
  run.queries[0]?.answer({ commands: [], flags: [7] });
  expect(await first).toEqual({ commands: [], flags: [7] });
});
