import { Scheduler, newProcess, runIn } from './scheduler.ts';
import { freezeOnlyIf, onStall, stallAfterCharge, stallBefore, stallBeforeActivity } from './stalls.ts';

/** A seed in which processes are often frozen before a claim. */
const seed = 1;
const claim = { text: 'UPDATE attempts a SET claimed_at = clock_timestamp()', paymentId: null };

const troubled = (): Scheduler => Object.assign(new Scheduler(seed), { troubled: true });

it('freezes a process before a claim, and sends the claim before the timers of the process fire', async () => {
  const scheduler = troubled();
  const owner = newProcess('worker-1');
  const lost: unknown[] = [];
  onStall(scheduler, ({ owner: frozen }) => lost.push(frozen));
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
  for (let tries = 0; tries < 200; tries += 1)
    await stallBefore({ text: 'SELECT 1', paymentId: null }, owner, scheduler);
  expect(scheduler.isFrozen(owner)).toBe(false);
});

/**
 * Plays a worker that is frozen before a claim and another one before a statement, in one seed after the
 * other until the claim came first. Returns the order then, and what the other worker met in all seeds.
 */
async function meet(text: string): Promise<{ order: string[]; met: string[]; frozenMs: number }> {
  const order: string[] = [];
  const met: string[] = [];
  for (let tried = 1; tried < 400 && order.length === 0; tried += 1) {
    const scheduler = Object.assign(new Scheduler(tried), { troubled: true });
    const [first, second] = [newProcess('worker-1'), newProcess('worker-2')];
    const beganAtMs = scheduler.nowMs;
    const ofPayment = { ...claim, paymentId: 'payment' };
    const claiming = runIn(first, () => stallBefore(ofPayment, first, scheduler));
    if (!scheduler.isFrozen(first)) continue;
    const untilMs = first.frozenUntilMs;
    const rival = runIn(second, () => stallBefore({ text, paymentId: 'payment' }, second, scheduler));
    void claiming.then(() => order.push('claim'));
    void rival.then((result) => {
      met.push(result);
      order.push('rival');
    });
    await scheduler.play(() => order.length === 2);
    if (order[0] === 'claim') return { order, met, frozenMs: scheduler.nowMs - beganAtMs };
    if (met.at(-1) === 'lost' && scheduler.nowMs < untilMs - 1) met.push('thawed too early');
    order.length = 0;
  }
  return { order, met, frozenMs: 0 };
}

it('lets a frozen process write just before a rival writes the same payment, or loses its statement', async () => {
  const cancellation =
    "UPDATE attempts SET answer = 'not_sent' WHERE payment_id = $1 AND attempt_no = $2 AND";
  const { order, met, frozenMs } = await meet(cancellation);
  expect(order).toEqual(['claim', 'rival']);
  expect(frozenMs).toBeLessThan(100);
  expect([...new Set(met)].toSorted()).toEqual(['lost', 'sent']);
});

it('freezes a worker before an activity only where that is allowed', async () => {
  const scheduler = troubled();
  const owner = newProcess('worker-1');
  let frozen = 0;
  onStall(scheduler, () => {
    frozen += 1;
  });
  freezeOnlyIf(scheduler, () => false);
  for (let tries = 0; tries < 300; tries += 1) await stallBeforeActivity('authorize', null, owner, scheduler);
  expect(frozen).toBe(0);
  freezeOnlyIf(scheduler, () => true);
  for (let tries = 0; tries < 300; tries += 1) void stallBeforeActivity('authorize', null, owner, scheduler);
  await scheduler.settle();
  expect(frozen).toBe(1);
});

it.each([true, false])('freezes a worker after the answer to a charge, declined: %s', async (isDeclined) => {
  const scheduler = troubled();
  const owner = newProcess('worker-1');
  const keys: (string | null)[] = [];
  onStall(scheduler, ({ chargeKey, paymentId }) => keys.push(chargeKey, paymentId));
  const answered = { chargeKey: 'payment:1', isDeclined };
  for (let tries = 0; tries < 300; tries += 1) void stallAfterCharge(answered, owner, scheduler);
  await scheduler.settle();
  expect(keys).toEqual(['payment:1', 'payment']);
});

/** Freezes a worker before the claim of a lost run. Another process sends a statement of the payment. */
async function meetProlonged(text: string): Promise<boolean> {
  for (let tried = 1; tried < 400; tried += 1) {
    const scheduler = Object.assign(new Scheduler(tried), { troubled: true });
    const [first, second] = [newProcess('worker-1'), newProcess('worker-2')];
    onStall(scheduler, ({ prolong }) => prolong(100_000));
    const ofPayment = { ...claim, paymentId: 'payment' };
    void runIn(first, () => stallBefore(ofPayment, first, scheduler));
    if (!scheduler.isFrozen(first)) continue;
    const other = { text, paymentId: 'payment' };
    for (let tries = 0; tries < 20; tries += 1)
      void runIn(second, () => stallBefore(other, second, scheduler).catch(() => undefined));
    const endsAtMs = scheduler.nowMs + 50;
    scheduler.outside(50, null, () => undefined);
    await scheduler.play(() => scheduler.nowMs >= endsAtMs);
    return scheduler.isFrozen(first);
  }
  throw new Error('no seed freezes a process before a claim');
}

it('keeps a worker whose run is lost frozen until another one cancels what it claims', async () => {
  expect(await meetProlonged('WITH paying AS (SELECT 1)')).toBe(true);
  const cancellation =
    "UPDATE attempts SET answer = 'not_sent' WHERE payment_id = $1 AND attempt_no = $2 AND";
  expect(await meetProlonged(cancellation)).toBe(false);
  const release =
    'WITH locked AS MATERIALIZED (\n SELECT id FROM payments WHERE id = $1 FOR UPDATE\n ), released AS (';
  expect(await meetProlonged(release)).toBe(false);
});
