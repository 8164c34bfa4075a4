import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { createStartQueue } from '../../../src/operations/payments/start-queue.ts';
import type { StartablePayment } from '../../../src/temporal/contract/start-payment.ts';
import { databaseOf, partial } from '../../support/partial.ts';

/** Returns a queue whose starts the test ends, and the open starts. */
function queueOf(payments: number) {
  const underWay: (() => void)[] = [];
  const queue = createStartQueue({
    database: databaseOf(async () => ({ rows: [] })),
    workflows: { start: () => new Promise<void>((resolve) => underWay.push(resolve)) },
    logger: pino({ level: 'silent' }),
  });
  for (let index = 0; index < payments; index += 1) {
    queue.add(partial<StartablePayment>({ id: `payment ${index}` }));
  }
  /** Ends the open starts. Returns how many began after them. */
  const endAll = async (): Promise<number> => {
    for (const end of underWay.splice(0)) end();
    await turn();
    return underWay.length;
  };
  return { queue, endAll, underWay };
}

it('starts three workflows at a time', async () => {
  const { endAll, underWay } = queueOf(8);
  expect(underWay).toHaveLength(3);
  expect(await endAll()).toBe(3);
  expect(await endAll()).toBe(2);
});

it('starts one at a time while a customer waits, and three again when none does', async () => {
  const { queue, endAll, underWay } = queueOf(20);
  let answer = (_result: string): void => {};
  const paid = queue.prioritize('another', () => new Promise<string>((resolve) => (answer = resolve)));
  expect(underWay).toHaveLength(3);
  expect(await endAll()).toBe(1);
  expect(await endAll()).toBe(1);
  answer('paid');
  expect(await paid).toBe('paid');
  expect(underWay).toHaveLength(3);
});

it('continues when the work that a customer waited for fails', async () => {
  const { queue, endAll } = queueOf(20);
  const fails = queue.prioritize('another', () => Promise.reject(new Error('away')));
  await expect(fails).rejects.toThrow('away');
  expect(await endAll()).toBe(3);
});

describe('a payment that still waits for its start when it is paid', () => {
  /** Returns a queue with one free place, three open starts, and what it starts and marks. */
  const recorded = () => {
    const begun: string[] = [];
    const marked = new Set<unknown>();
    const open: (() => void)[] = [];
    const queue = createStartQueue({
      database: databaseOf(async (_text, values) => {
        for (const id of (values?.[0] ?? []) as string[]) marked.add(id);
        return { rows: [] };
      }),
      workflows: {
        start: ({ id }) => {
          begun.push(id);
          return new Promise<void>((resolve) => open.push(resolve));
        },
      },
      logger: pino({ level: 'silent' }),
    });
    for (const id of ['1', '2', '3', '4', '5']) queue.add(partial<StartablePayment>({ id }));
    const finish = async (): Promise<void> => {
      while (open.length > 0) {
        for (const end of open.splice(0)) end();
        await turn();
      }
      await queue.drain(1_000);
    };
    return { queue, begun, marked, finish };
  };

  it('is not started a second time, and counts as started', async () => {
    const { queue, begun, marked, finish } = recorded();
    expect(await queue.prioritize('4', async () => 'paid')).toBe('paid');
    await finish();
    expect(begun).toEqual(['1', '2', '3', '5']);
    expect(marked).toEqual(new Set(['1', '2', '3', '4', '5']));
  });

  it('waits for its start again when the pay fails', async () => {
    const { queue, begun, marked, finish } = recorded();
    await expect(queue.prioritize('4', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    await finish();
    expect(begun).toEqual(['1', '2', '3', '4', '5']);
    expect(marked).toEqual(new Set(['1', '2', '3', '4', '5']));
  });
});

it('leaves the waiting payments to the sweep after eight failed starts in a row, and accepts later ones', async () => {
  let starts = 0;
  const queue = createStartQueue({
    database: databaseOf(async () => ({ rows: [] })),
    workflows: { start: () => Promise.reject(new Error(`away ${(starts += 1)}`)) },
    logger: pino({ level: 'silent' }),
  });
  const add = (): void => queue.add(partial<StartablePayment>({ id: `payment ${(added += 1)}` }));
  let added = 0;
  for (let index = 0; index < 30; index += 1) add();
  await queue.drain(1_000);
  // The starts that were open when the eighth failed also end.
  expect(starts).toBeGreaterThanOrEqual(8);
  expect(starts).toBeLessThan(11);
  const before = starts;
  add();
  await queue.drain(1_000);
  expect(starts).toBe(before + 1);
});

it('is full with a thousand waiting payments', () => {
  const { queue } = queueOf(1_002);
  expect(queue.isFull).toBe(false);
  queue.add(partial<StartablePayment>({ id: 'one more' }));
  expect(queue.isFull).toBe(true);
});
