import { rm } from 'node:fs/promises';
import { openDatabase } from '../../../src/db/server/database.ts';
import { migrate } from '../../../src/db/server/migrate.ts';
import { eventAt, eventOfEarlierBuild, eventTables, homesOfEvent } from '../../support/event-rows.ts';
import { endpointOfMany, ownerOfMany } from '../../support/many-rows.ts';
import { migrationsBefore } from '../../support/migrations.ts';
import { emptyDatabase } from '../../support/world.ts';

it('the rows of before become the first partitions without a lock of more than a second', async () => {
  const before = await migrationsBefore('0055_bound_of_events');
  const oldUrl = await emptyDatabase();
  await migrate(oldUrl, { directory: before });
  const database = openDatabase({ url: oldUrl, poolSize: 2, applicationName: 'test' });
  const merchantId = await ownerOfMany(database);
  const endpointId = await endpointOfMany(database, merchantId);
  const happening = () => ({ merchantId, endpointId, at: new Date() });
  const chance = await eventOfEarlierBuild(database, { ...happening(), id: `evt_00000${'x'.repeat(19)}` });
  await database.query(
    `WITH made AS (
       INSERT INTO events (id, merchant_id, environment, sequence, type, data, created_at)
       SELECT 'evt_1' || lpad(n::text, 23, '0'), $1, 'sandbox', 0, 'payment.paid', '{}', now()
       FROM generate_series(1, 50000) AS n RETURNING id)
     INSERT INTO webhook_deliveries (event_id, endpoint_id, due_at, created_at) SELECT id, $2, now(), now() FROM made`,
    [merchantId, endpointId],
  );
  let longest = 0;
  let last = '';
  let written = 0;
  const state = { migrating: true };
  const writing = (async () => {
    while (state.migrating) {
      const began = performance.now();
      last = await eventOfEarlierBuild(database, happening());
      written += 1;
      longest = Math.max(longest, performance.now() - began);
    }
  })();
  await migrate(oldUrl);
  state.migrating = false;
  await writing;
  const counts = `SELECT tableoid::regclass::text AS home, count(*)::int FROM`;
  for (const table of ['events', 'webhook_deliveries']) {
    const { rows } = await database.query(`${counts} ${table} GROUP BY 1 ORDER BY 1`);
    expect(rows).toEqual([
      { home: `${table}_first`, count: 50_000 + written },
      { home: `${table}_rest`, count: 1 },
    ]);
  }
  expect(await homesOfEvent(database, last)).toEqual(eventTables.map((table) => `${table}_first`));
  expect(await homesOfEvent(database, chance)).toEqual(eventTables.map((table) => `${table}_rest`));
  const next = await eventAt(database, { ...happening(), paymentId: null });
  const month = new Date().toISOString().slice(0, 7).replace('-', '');
  expect(await homesOfEvent(database, next)).toEqual(eventTables.map((table) => `${table}_${month}`));
  const { rows } = await database.query(
    'SELECT max(position) = (SELECT position FROM events WHERE id = $1) AS is_last FROM events',
    [next],
  );
  expect(rows).toEqual([{ is_last: true }]);
  expect(written).toBeGreaterThan(10);
  expect(longest).toBeLessThan(1_000);
  await database.end();
  await rm(before, { recursive: true });
});
