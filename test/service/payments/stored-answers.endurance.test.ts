import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createAttemptActivities } from '../../../src/activities/attempts.ts';
import type { AttemptActivityDeps } from '../../../src/activities/authorize.ts';
import { recordAnswer } from '../../../src/db/payments/attempt-answers.ts';
import { partial } from '../../support/partial.ts';
import { type World, createWorld } from '../../support/world.ts';
import { Shop } from '../../support/shop.ts';

let world: World;
let shop: Shop;
beforeAll(async () => {
  world = await createWorld();
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

/** Creates a payment with an attempt that was claimed, and that its worker recorded as never sent. */
async function neverSent(): Promise<{ paymentId: string; attemptNo: number }> {
  const attempt = { paymentId: await shop.customPayment(), attemptNo: 1 };
  await world.database.query(
    `INSERT INTO attempts (payment_id, attempt_no, status, method, request_id, started_at, claimed_at)
     VALUES ($1, 1, 'processing', 'card', $2, now(), now())`,
    [attempt.paymentId, randomUUID()],
  );
  await recordAnswer(world.database, attempt, 'not_sent');
  return attempt;
}

/** A network that must not be called, because its answer about an unknown key would contradict the rows. */
const connectors: AttemptActivityDeps['connectors'] = {
  simulated: [],
  portsOf: () => Promise.reject(new Error('the network was asked')),
};

it.each(['awaitAttempt', 'resolveAttempt'] as const)(
  '%s uses the answer that another process stored before it queries the network',
  async (activity) => {
    const attempt = await neverSent();
    const activities = createAttemptActivities(
      partial<AttemptActivityDeps>({ database: world.database, connectors }),
    );
    const input = { ...attempt, close: true, alerted: false };
    expect(await new MockActivityEnvironment().run(() => activities[activity](input))).toMatchObject({
      outcome: { status: 'notStarted', recorded: false },
    });
  },
);
