import type { StartableDelivery } from '../../../src/domain/event.ts';
import { createDeliveryStarter } from '../../../src/webhooks/delivery-starter.ts';
import { databaseOf } from '../../support/partial.ts';

it('a delivery that cannot be started does not block the others, and the first fault is thrown', async () => {
  const deliveries = Array.from({ length: 30 }, (_, at) => ({ eventId: `evt_${at}` }) as StartableDelivery);
  const tried: string[] = [];
  const starter = createDeliveryStarter({
    database: databaseOf(() => Promise.resolve({ rows: [], rowCount: 1 })),
    workflows: {
      start: (delivery) => {
        tried.push(delivery.eventId);
        return delivery.eventId === 'evt_0' ? Promise.reject(new Error('unavailable')) : Promise.resolve();
      },
      recover: () => Promise.reject(new Error('not used')),
      deliverNow: () => Promise.resolve(),
      startReplay: () => Promise.reject(new Error('not used')),
    },
    now: () => 0,
  });
  await expect(starter.startOnce(deliveries)).rejects.toThrow('unavailable');
  expect(tried).toHaveLength(30);
});
