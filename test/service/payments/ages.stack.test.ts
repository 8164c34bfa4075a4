import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { AttemptActivityDeps } from '../../../src/activities/authorize.ts';
import { createAttemptActivities } from '../../../src/activities/attempts.ts';
import { createDatabaseClock } from '../../../src/db/server/database-clock.ts';
import type { ProviderPorts } from '../../../src/providers/connectors.ts';
import type { PaymentNetwork } from '../../../src/providers/ports.ts';
import { partial } from '../../support/partial.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let shop: Shop;
beforeAll(async () => {
  world = await createWorld({}, { worker: false });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

const twentyMinutes = 20 * 60_000;
const right = Date.now;
const shiftDate = (): void => {
  Date.now = () => right() + twentyMinutes;
};
afterEach(() => {
  Date.now = right;
});

/** Resolves an attempt that was claimed this many seconds ago, at a network that has not seen its key yet. */
async function resolveAfter(seconds: number): Promise<unknown> {
  const attempt = { paymentId: await shop.customPayment(), attemptNo: 1 };
  await world.database.query(
    `WITH fence AS (UPDATE payments SET checkout_status = 'processing' WHERE id = $1)
     INSERT INTO attempts (payment_id, attempt_no, status, method, request_id, started_at, claimed_at)
     VALUES ($1, 1, 'processing', 'card', $2, now(), clock_timestamp() - $3::int * interval '1 second')`,
    [attempt.paymentId, randomUUID(), seconds],
  );
  const network = partial<PaymentNetwork>({
    prepare: null,
    declinesStayOpen: false,
    unseenKeys: { closedBy: 'horizon', afterMs: 60_000 },
    lookup: async () => null,
  });
  const activities = createAttemptActivities(
    partial<AttemptActivityDeps>({
      database: world.database,
      connectors: partial<AttemptActivityDeps['connectors']>({
        portsOf: async () => partial<ProviderPorts>({ network }),
      }),
      now: Date.now,
    }),
  );
  shiftDate();
  return new MockActivityEnvironment().run(() =>
    activities.resolveAttempt({ ...attempt, close: true, alerted: false }),
  );
}

it('a worker 20 minutes ahead does not take a charge of 10 s ago for one that never arrived', async () => {
  await expect(resolveAfter(10)).rejects.toMatchObject({ type: 'OUTCOME_UNKNOWN' });
});

it('a charge that is not seen within the horizon never arrived', async () => {
  expect(await resolveAfter(61)).toMatchObject({ outcome: { status: 'voided' } });
});

it('the clock of instants follows PostgreSQL, whatever the system says', async () => {
  const clock = createDatabaseClock(world.database);
  await clock.sync();
  shiftDate();
  const { rows } = await world.database.query<{ before: boolean; after: boolean }>(
    `SELECT $1::timestamptz <= clock_timestamp() + interval '2 seconds' AS before,
       $1::timestamptz > clock_timestamp() - interval '30 seconds' AS after`,
    [new Date(clock.now())],
  );
  expect(rows).toEqual([{ before: true, after: true }]);
});
