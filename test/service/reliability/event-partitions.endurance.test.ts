import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { clearLeftovers } from '../../../src/db/server/leftovers.ts';
import { openDatabase } from '../../../src/db/server/database.ts';
import { listAlerts } from '../../../src/db/server/operator-alerts.ts';
import { eventLog, listPartitions, maintainPartitions } from '../../../src/db/server/partitions.ts';
import { processRoles } from '../../../src/db/server/privileges.ts';
import { openTenantReads } from '../../../src/db/server/tenant-reads.ts';
import { renewDeliveries } from '../../../src/db/webhooks/deliveries.ts';
import { createPartitionSweep } from '../../../src/sweeps/sweep-partitions.ts';
import {
  eventAt,
  eventOfEarlierBuild,
  eventTables,
  homesOfEvent,
  tryOnce,
} from '../../support/event-rows.ts';
import { createTestLogger } from '../../support/logger.ts';
import { endpointOfMany, manyPayments, ownerOfMany } from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

const dayMs = 86_400_000;
const retention = { eventsDays: 90, requestsDays: 7 };
let url: string;
let database: pg.Pool;
let merchantId: string;
let endpointId: string;

beforeEach(async () => {
  url = await cloneDatabase();
  database = openDatabase({ url, poolSize: 2, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
  endpointId = await endpointOfMany(database, merchantId);
});
afterEach(() => database.end());

/** Returns an instant in the middle of the month that is `months` after this one. */
function inMonths(months: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15, 12));
}
const monthOf = (at: Date): string => at.toISOString().slice(0, 7).replace('-', '');
const namesOf = (at: Date): string[] => eventTables.map((table) => `${table}_${monthOf(at)}`);

const happenAt = (at: Date, paymentId: string | null = null) =>
  eventAt(database, { merchantId, endpointId, at, paymentId });
const happenBefore = (at: Date) => eventOfEarlierBuild(database, { merchantId, endpointId, at });
const homesOf = (id: string) => homesOfEvent(database, id);

const rest = eventTables.map((table) => `${table}_rest`);
const first = eventTables.map((table) => `${table}_first`);

const maintain = (at: Date, { pool = database, dryRun = false } = {}) =>
  maintainPartitions(pool, [eventLog], { at, retention, dryRun });

it('a migrated database has three months ahead, and later months are made once', async () => {
  const names = (await listPartitions(database, eventLog)).map(({ name }) => name);
  expect(names).toEqual([0, 1, 2, 3].map((months) => `events_${monthOf(inMonths(months))}`));
  const later = inMonths(2);
  const planned = await maintain(later, { dryRun: true });
  expect(planned).toEqual({ create: [4, 5].flatMap((months) => namesOf(inMonths(months))), drop: [] });
  expect(await maintain(later)).toEqual(planned);
  expect(await maintain(later)).toEqual({ create: [], drop: [] });
});

it('a year ahead, all months of today are dropped and four are made', async () => {
  const { create, drop } = await maintain(inMonths(12));
  expect(create).toEqual([12, 13, 14, 15].flatMap((months) => namesOf(inMonths(months))));
  expect(drop).toEqual([0, 1, 2, 3].flatMap((months) => namesOf(inMonths(months))));
});

it('an event, its delivery and its try are stored in the month of the event', async () => {
  for (const months of [0, 3]) {
    const at = inMonths(months);
    expect(await homesOf(await happenAt(at))).toEqual(namesOf(at));
  }
});

it('a month that is missing refuses no event, and takes its rows when it is made', async () => {
  const [early, late] = [inMonths(4), inMonths(5)];
  const ids = [await happenAt(early), await happenAt(late)];
  const positions = () => database.query('SELECT id, position FROM events ORDER BY position');
  const before = (await positions()).rows;
  expect(await homesOf(ids[0] ?? '')).toEqual(rest);
  await maintain(inMonths(1));
  expect(await homesOf(ids[0] ?? '')).toEqual(namesOf(early));
  expect(await homesOf(ids[1] ?? '')).toEqual(rest);
  expect((await positions()).rows).toEqual(before);
});

it('a month with more than 10,000 events in the rest keeps them there, and others are made', async () => {
  await database.query(
    `INSERT INTO events (id, merchant_id, environment, sequence, type, data, created_at)
     SELECT first_event_id($2) || lpad(n::text, 9, '0'), $1, 'sandbox', 0, 'payment.paid', '{}', $2
     FROM generate_series(1, 10001) AS n`,
    [merchantId, inMonths(4)],
  );
  expect((await maintain(inMonths(2))).create).toEqual(namesOf(inMonths(5)));
  expect((await database.query('SELECT FROM events')).rowCount).toBe(10_001);
});

it('a month is dropped with its deliveries and tries when its last event is past the retention', async () => {
  const gone = await happenAt(inMonths(0));
  const kept = await happenAt(inMonths(1));
  const nextMonth = new Date(Date.UTC(inMonths(1).getUTCFullYear(), inMonths(1).getUTCMonth()));
  const due = nextMonth.getTime() + 90 * dayMs;
  expect((await maintain(new Date(due - 1))).drop).toEqual([]);
  expect((await maintain(new Date(due))).drop).toEqual(namesOf(inMonths(0)));
  expect(await homesOf(gone)).toEqual([]);
  expect(await homesOf(kept)).toEqual(namesOf(inMonths(1)));
});

it('deleting an event deletes its delivery and its try, in every partition', async () => {
  const ids = [await happenAt(inMonths(0)), await happenAt(inMonths(9))];
  await database.query('DELETE FROM events WHERE id = ANY ($1)', [ids]);
  expect((await database.query('SELECT FROM webhook_deliveries')).rowCount).toBe(0);
  expect((await database.query('SELECT FROM webhook_attempts')).rowCount).toBe(0);
});

it("a month gives a number of a payment's events once, and takes no delivery of an unknown event", async () => {
  const [paymentId = ''] = await manyPayments(database, merchantId, { count: 1, ageSeconds: 60 });
  const at = inMonths(0);
  const id = await happenAt(at, paymentId);
  await expect(happenAt(at, paymentId)).rejects.toMatchObject({ code: '23505' });
  for (const missing of [id.slice(0, -1), 'evt_5g5SLmIUyUPNOjKUl2iEhwBJ']) {
    await expect(
      database.query(
        `INSERT INTO webhook_deliveries (event_id, endpoint_id, due_at, created_at) VALUES ($1, $2, now(), now())`,
        [missing, endpointId],
      ),
    ).rejects.toMatchObject({ code: '23503' });
  }
});

it('a failure in the middle leaves nothing half made, raises an alert, and the next run continues', async () => {
  const at = inMonths(4);
  // A table of that name makes one of the months fail, as a full disk would.
  const taken = `webhook_attempts_${monthOf(inMonths(5))}`;
  await database.query(`CREATE TABLE ${taken} (id int)`);
  const sweep = createPartitionSweep({
    database,
    now: () => at.getTime(),
    retention,
    logger: createTestLogger([]),
  });
  await expect(sweep.run(() => true)).rejects.toThrow('already exists');
  expect(await listAlerts(database, 10)).toMatchObject([
    { sweep: 'partitions', subject: 'events', detail: 'fewer_than_two_ahead' },
  ]);
  const names = async () => (await listPartitions(database, eventLog)).map(({ name }) => name);
  expect(await names()).toEqual(
    expect.arrayContaining([4, 6, 7].map((months) => `events_${monthOf(inMonths(months))}`)),
  );
  expect(await names()).not.toContain(`events_${monthOf(inMonths(5))}`);
  await database.query(`DROP TABLE ${taken}`);
  await sweep.run(() => true);
  expect(await names()).toContain(`events_${monthOf(inMonths(5))}`);
  expect(await listAlerts(database, 10)).toEqual([]);
});

it('the role of the worker makes months, drops none of the present, and reads no partition by itself', async () => {
  const worker = new URL(url);
  worker.username = processRoles.worker;
  worker.password = process.env['TEST_DATABASE_ROLES_PASSWORD'] ?? '';
  const limited = openDatabase({ url: worker.toString(), poolSize: 1, applicationName: 'test' });
  try {
    expect((await maintain(inMonths(1), { pool: limited })).create).toEqual(namesOf(inMonths(4)));
    await limited.query('SELECT FROM events');
    for (const name of [...namesOf(inMonths(0)), ...first, ...rest]) {
      await expect(limited.query(`SELECT FROM ${name}`)).rejects.toMatchObject({ code: '42501' });
    }
    const dropping = 'SELECT drop_event_partitions($1, $2) AS done';
    for (const before of [inMonths(2), new Date()]) {
      await expect(limited.query(dropping, [`events_${monthOf(inMonths(0))}`, before])).rejects.toMatchObject(
        { code: '42501' },
      );
    }
    // Neither a month of the present nor a table that is no month is ever dropped.
    const past = new Date(Date.now() - 2 * dayMs);
    for (const name of [`events_${monthOf(inMonths(0))}`, 'events_first', 'events_rest', 'payments']) {
      expect((await limited.query(dropping, [name, past])).rows).toEqual([{ done: false }]);
    }
  } finally {
    await limited.end();
  }
});

it('a merchant reads its own rows of every partition, and no partition by itself', async () => {
  const ids = [await happenAt(inMonths(0)), await happenAt(inMonths(9))];
  const reads = openTenantReads({ url, poolSize: 1, applicationName: 'test' });
  const read = (tenant: string, table: string) =>
    reads.read({ merchantId: tenant, environment: 'sandbox' }, async (connection) => {
      const { rowCount } = await connection.query(`SELECT FROM ${table}`);
      return rowCount;
    });
  try {
    for (const table of eventTables) {
      expect(await read(merchantId, table)).toBe(ids.length);
      expect(await read(uuidv7(), table)).toBe(0);
    }
    for (const name of [...namesOf(inMonths(0)), ...first, ...rest]) {
      await expect(read(merchantId, name)).rejects.toThrow('permission denied');
    }
  } finally {
    await reads.end();
  }
});

it('the sweep deletes by row what is in no month, and leaves the months to be dropped whole', async () => {
  const day = (ago: number) => new Date(Date.now() - ago * dayMs);
  // Past the retention, but not all of its month is.
  await database.query('SELECT create_event_partitions($1::date)', [day(91)]);
  const [inMonth, inRest, recent] = [
    await happenAt(day(91)),
    await happenAt(day(190)),
    await happenAt(day(1)),
  ];
  const [old, young] = [await happenBefore(day(91)), await happenBefore(day(89))];
  for (const kind of ['untimedEvents', 'events'] as const) {
    await clearLeftovers(database, kind, new Date(), 500, retention);
  }
  expect(await homesOf(inMonth)).toHaveLength(3);
  expect(await homesOf(inRest)).toEqual([]);
  expect(await homesOf(recent)).toHaveLength(3);
  expect(await homesOf(old)).toEqual([]);
  expect(await homesOf(young)).toEqual(first);
});

it('what an earlier build writes is stored, delivered and sent again as before', async () => {
  const id = await happenBefore(new Date());
  expect(await homesOf(id)).toEqual(first);
  const renewed = await renewDeliveries(database, id, endpointId, new Date());
  expect(renewed).toMatchObject([{ eventId: id, endpointId }]);
  // The same try of another worker.
  await tryOnce(database, { eventId: id, endpointId });
  expect(await homesOf(id)).toEqual(first);
});
