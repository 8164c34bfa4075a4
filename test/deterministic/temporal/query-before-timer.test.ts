import { Scheduler } from '../scheduler.ts';
import type { Run } from './run.ts';
import { startTimer } from './apply-commands.ts';
import { TemporalServer } from './server.ts';

/** Plays a timer of a run in some seeds. Returns how often the run lost its worker's memory before. */
async function queriesOf(type: string, cancels = false): Promise<number> {
  let queried = 0;
  for (let seed = 1; seed <= 60; seed += 1) {
    const scheduler = Object.assign(new Scheduler(seed), { troubled: true });
    const server = new TemporalServer(scheduler, new Map());
    const start = { workflowId: 'one', type, taskQueue: 'queue', input: [], searchAttributes: {} };
    const run: Run = server.begin({ ...start, taskMs: 10_000, requestId: '' }, 60_000);
    run.sticky = server;
    startTimer(server, run, { seq: 1, startToFireTimeout: { seconds: 5 as never } }, server.nowMs);
    if (cancels) run.timers.get(1)?.cancel();
    const atMs = scheduler.nowMs + 4_999;
    scheduler.outside(4_999, null, () => undefined);
    await scheduler.play(() => scheduler.nowMs >= atMs);
    if (run.sticky === null) queried += 1;
  }
  return queried;
}

it('queries a payment just before its timer fires, at a worker that does not have it in memory', async () => {
  expect(await queriesOf('paymentWorkflow')).toBeGreaterThan(3);
});

it('queries no other workflow, and no payment whose timer was canceled', async () => {
  expect(await queriesOf('refundWorkflow')).toBe(0);
  expect(await queriesOf('paymentWorkflow', true)).toBe(0);
});
