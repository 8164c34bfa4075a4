import type { LeasedDelivery } from '../../../src/db/webhooks/first-tries.ts';
import { createEndpointSlots } from '../../../src/webhooks/endpoint-slots.ts';
import { createFirstTries } from '../../../src/webhooks/first-tries.ts';
import { databaseOf, partial } from '../../support/partial.ts';

/**
 * Leaves this many deliveries to workflows, because no endpoint has a free slot. Returns how many of them
 * were started, and the most concurrent starts.
 */
async function leave(endpoints: number): Promise<{ started: number; maxRunning: number }> {
  let [now, maxRunning, started] = [0, 0, 0];
  const rows = Array.from({ length: endpoints }, (_, at) => ({
    ...partial<LeasedDelivery>({ endpointId: `endpoint-${at}` }),
    status: 'pending',
    endpointUsable: true,
  }));
  const tries = createFirstTries({
    database: databaseOf(async (text) => ({ rows: text.includes('WITH leased') ? rows : [] })),
    keyring: partial({}),
    send: () => Promise.reject(new Error('nothing is sent')),
    // No endpoint has a free slot.
    slots: { ...createEndpointSlots(), run: async () => null },
    schedule: [0],
    now: () => 0,
    random: () => 0,
    starter: {
      startOnce: async (deliveries) => {
        now += 1;
        maxRunning = Math.max(maxRunning, now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        started += deliveries.length;
      },
    },
    onFault: (error) => {
      throw error;
    },
  });
  await tries.begin('evt_1');
  await tries.ended();
  return { started, maxRunning };
}

it('starts few workflows at a time for deliveries that are left to them, and waits for all at its end', async () => {
  expect(await leave(300)).toEqual({ started: 300, maxRunning: 8 });
});

it('leaves the deliveries to the sweep that do not fit into the queue of starts', async () => {
  // The deliveries that were starting, and those that waited.
  expect(await leave(1_500)).toEqual({ started: 8 + 1_000, maxRunning: 8 });
});
