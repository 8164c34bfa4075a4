import { Scheduler, newProcess, runIn } from './scheduler.ts';
import { loseRunsAtStalls, stallBefore } from './stalls.ts';

/** A seed in which processes are often frozen before a claim. */
const seed = 1;
const claim = 'UPDATE attempts a SET claimed_at = clock_timestamp()';

const troubled = (): Scheduler => Object.assign(new Scheduler(seed), { troubled: true });

it('freezes a process before a claim, and sends the claim before the timers of the process fire', async () => {
  const scheduler = troubled();
  const owner = newProcess('worker-1');
  const lost: unknown[] = [];
  loseRunsAtStalls(scheduler, (frozen) => lost.push(frozen));
  const seen: string[] = [];
  const untilClaimed = async (): Promise<void> => {
    for (let tries = 0; tries < 200 && seen.length === 0; tries += 1) {
      const claiming = stallBefore(claim, owner, scheduler);
      if (!scheduler.isFrozen(owner)) continue;
      scheduler.after(1, null, () => void seen.push('timer'));
      await claiming;
      seen.push('claim');
    }
  };
  void runIn(owner, untilClaimed);
  await scheduler.play(() => seen.length === 2);
  expect(seen).toEqual(['claim', 'timer']);
  expect(lost).toEqual([owner]);
});

it('freezes no process before other statements', async () => {
  const scheduler = troubled();
  const owner = newProcess('worker-1');
  for (let tries = 0; tries < 200; tries += 1) await stallBefore('SELECT 1', owner, scheduler);
  expect(scheduler.isFrozen(owner)).toBe(false);
});
