import { Scheduler } from '../scheduler.ts';
import { startTimer } from './apply-commands.ts';
import { TemporalServer } from './server.ts';

/** Plays a timer of a run in some seeds. Returns in how many of them a query came with the fired timer. */
async function queriesOf(type: string): Promise<number> {
  let queried = 0;
  for (let seed = 1; seed <= 60; seed += 1) {
    const scheduler = Object.assign(new Scheduler(seed), { troubled: true });
    const server = new TemporalServer(scheduler, new Map());
    const start = { workflowId: 'one', type, taskQueue: 'queue', input: [], searchAttributes: {} };
    const run = server.begin({ ...start, taskMs: 10_000, requestId: '' }, 60_000);
    const nothing = { jobs: [], updates: [], local: [], patches: [], flags: [], commands: [] };
    run.record({ atMs: 0, suggestsNew: false, ...nothing }, { atMs: 0, commands: [] });
    run.sticky = server;
    startTimer(server, run, { seq: 1, startToFireTimeout: { seconds: 5 as never } }, server.nowMs);
    await scheduler.play(() => run.jobs.length > 0);
    if (run.sticky === null) queried += 1;
  }
  return queried;
}

it('lets a query come between a timer of a payment and its task, to a worker without the run', async () => {
  expect(await queriesOf('paymentWorkflow')).toBeGreaterThan(3);
});

it('lets none come at the timers of other workflows', async () => {
  expect(await queriesOf('refundWorkflow')).toBe(0);
});
