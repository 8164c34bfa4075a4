import { endDelivery, loadDelivery, recordAttempt } from '../../../src/db/webhooks/deliveries.ts';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { endpointOfMany, manyDeliveries, ownerOfMany } from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

let database: Database;
let ref: { eventId: string; endpointId: string };
beforeEach(async () => {
  database = openDatabase({ url: await cloneDatabase(), poolSize: 2, applicationName: 'test' });
  const merchantId = await ownerOfMany(database);
  const endpointId = await endpointOfMany(database, merchantId);
  await manyDeliveries(database, endpointId, { count: 1, overSeconds: 1 });
  const { rows } = await database.query<{ eventId: string }>(
    'UPDATE webhook_deliveries SET status = $1, ended_at = NULL RETURNING event_id AS "eventId"',
    ['pending'],
  );
  ref = { eventId: rows[0]?.eventId ?? '', endpointId };
});
afterEach(() => database.end());

const at = new Date('2026-03-01T12:00:00.000Z');
const record = (attemptNo: number, status: 'pending' | 'delivered' | 'failed') =>
  recordAttempt(
    database,
    ref,
    {
      attemptNo,
      startedAt: at,
      durationMs: 10,
      statusCode: status === 'delivered' ? 200 : 500,
      error: null,
      excerpt: null,
    },
    { status, dueAt: at, at: new Date(at.getTime() + attemptNo * 1_000) },
  );
const state = async () => {
  const delivery = await loadDelivery(database, ref);
  const { rows } = await database.query<{ endedAt: Date | null }>(
    'SELECT ended_at AS "endedAt" FROM webhook_deliveries',
  );
  return { status: delivery?.status, tries: delivery?.tries, endedAt: rows[0]?.endedAt };
};

it('a try that fails after its delivery was canceled does not make it pending again', async () => {
  await endDelivery(database, ref, 'canceled', at);
  await record(1, 'pending');
  expect(await state()).toEqual({ status: 'canceled', tries: 1, endedAt: at });
});

it('a try that the endpoint accepted after its delivery was canceled has delivered it', async () => {
  await endDelivery(database, ref, 'canceled', at);
  await record(1, 'delivered');
  expect(await state()).toMatchObject({ status: 'delivered', endedAt: new Date(at.getTime() + 1_000) });
});

it('a delivered delivery keeps its time when another try of it fails later', async () => {
  await record(1, 'delivered');
  await record(2, 'pending');
  expect(await state()).toEqual({ status: 'delivered', tries: 2, endedAt: new Date(at.getTime() + 1_000) });
});

it('a failed try leaves a pending delivery pending, and the last one ends it', async () => {
  await record(1, 'pending');
  expect(await state()).toEqual({ status: 'pending', tries: 1, endedAt: null });
  await record(2, 'failed');
  expect(await state()).toMatchObject({ status: 'failed', endedAt: new Date(at.getTime() + 2_000) });
});
