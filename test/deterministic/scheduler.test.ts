import { Scheduler, newProcess, runIn, runningProcess } from './scheduler.ts';

it('runs the work of a frozen process in that process, once it continues', async () => {
  const scheduler = new Scheduler(1);
  const owner = newProcess('worker-1');
  owner.frozenUntilMs = scheduler.nowMs + 500;
  const seen: unknown[] = [];
  scheduler.runAwake(owner, () => seen.push(runningProcess(), scheduler.nowMs));
  const wakesAtMs = owner.frozenUntilMs;
  await scheduler.play(() => seen.length > 0);
  expect(seen).toEqual([owner, wakesAtMs]);
});

it('runs a planned step in the process that planned it', async () => {
  const scheduler = new Scheduler(1);
  const owner = newProcess('api-1');
  const seen: unknown[] = [];
  runIn(owner, () => scheduler.after(10, null, () => void seen.push(runningProcess())));
  scheduler.outside(20, null, () => void seen.push(runningProcess()));
  await scheduler.play(() => seen.length === 2);
  expect(seen).toEqual([owner, null]);
});
