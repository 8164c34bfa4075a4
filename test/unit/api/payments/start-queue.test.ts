import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import type { Database } from '../../../../src/db/database.ts';
import { createStartQueue } from '../../../../src/api/payments/start-queue.ts';
import type { StartablePayment } from '../../../../src/temporal/contract/start-payment.ts';

/** A queue whose starts end when told, and those under way. */
function queueOf(payments: number) {
  const underWay: (() => void)[] = [];
  const queue = createStartQueue({
    database: { query: async () => ({ rows: [], rowCount: 0 }) } as unknown as Database,
    workflows: { start: () => new Promise<void>((resolve) => underWay.push(resolve)) },
    logger: pino({ level: 'silent' }),
  });
  for (let index = 0; index < payments; index += 1) {
    queue.add({ id: `payment ${index}` } as unknown as StartablePayment);
  }
  /** Ends the starts under way, and returns how many began instead. */
  const endAll = async (): Promise<number> => {
    for (const end of underWay.splice(0)) end();
    await turn();
    return underWay.length;
  };
  return { queue, endAll, underWay };
}

it('starts eight workflows at a time', async () => {
  const { endAll, underWay } = queueOf(20);
  expect(underWay).toHaveLength(8);
  expect(await endAll()).toBe(8);
  expect(await endAll()).toBe(4);
});

it('starts one at a time while a customer waits, and goes on as before when none does', async () => {
  const { queue, endAll, underWay } = queueOf(20);
  let answer = (_result: string): void => {};
  const paid = queue.first(() => new Promise<string>((resolve) => (answer = resolve)));
  expect(underWay).toHaveLength(8);
  expect(await endAll()).toBe(1);
  expect(await endAll()).toBe(1);
  answer('paid');
  expect(await paid).toBe('paid');
  expect(underWay).toHaveLength(8);
});

it('goes on when what a customer waited for failed', async () => {
  const { queue, endAll } = queueOf(20);
  const fails = queue.first(() => Promise.reject(new Error('away')));
  await expect(fails).rejects.toThrow('away');
  expect(await endAll()).toBe(8);
});

it('takes no more than can be started within seconds', () => {
  const { queue } = queueOf(1_007);
  expect(queue.isFull).toBe(false);
  queue.add({ id: 'one more' } as unknown as StartablePayment);
  expect(queue.isFull).toBe(true);
});
