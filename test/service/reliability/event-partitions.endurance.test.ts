import { rm } from 'node:fs/promises';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { randomBase62 } from '../../../src/crypto/secrets.ts';
import { clearLeftovers } from '../../../src/db/server/leftovers.ts';
import { openDatabase } from '../../../src/db/server/database.ts';
import { migrate } from '../../../src/db/server/migrate.ts';
import { listAlerts } from '../../../src/db/server/operator-alerts.ts';
import { eventLog, listPartitions, maintainPartitions } from '../../../src/db/server/partitions.ts';
import { processRoles } from '../../../src/db/server/privileges.ts';
import { openTenantReads } from '../../../src/db/server/tenant-reads.ts';
import { recordAttempt, renewDeliveries } from '../../../src/db/webhooks/deliveries.ts';
import { insertEvent } from '../../../src/db/webhooks/events.ts';
import { createPartitionSweep } from '../../../src/sweeps/sweep-partitions.ts';
import { createTestLogger } from '../../support/logger.ts';
import { endpointOfMany, manyPayments, ownerOfMany } from '../../support/many-rows.ts';
import { migrationsBefore } from '../../support/migrations.ts';
import { cloneDatabase, emptyDatabase } from '../../support/world.ts';

const dayMs = 86_400_000;
const retention = { eventsDays: 90, requestsDays: 7 };
const tables = ['events', 'webhook_deliveries', 'webhook_attempts'] as const;
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
const namesOf = (at: Date): string[] => tables.map((table) => `${table}_${monthOf(at)}`);

/** Stores an event of an instant, with a delivery that was tried once. Returns its id. */
async function happenAt(at: Date, { paymentId = null }: { paymentId?: string | null } = {}): Promise<string> {
  const { id } = await insertEvent(database, {
    payment: { merchantId, environment: 'sandbox', id: paymentId },
    ...{ type: 'risk.cardTesting', sequence: 0, stateSeq: null, previousStatus: null, data: {}, at },
  });
  await tryOnce(id);
  return id;
}

/** Stores an event with the statements and the random id of an earlier build. Returns its id. */
async function happenBefore(at: Date, id = `evt_a${randomBase62(23)}`): Promise<string> {
  await database.query(
    `WITH event AS (
       INSERT INTO events (id, merchant_id, environment, payment_id, sequence, type, data, created_at)
       VALUES ($1, $2, $3, NULL, 0, $4, $5, $6) RETURNING id
     )
     INSERT INTO webhook_deliveries (event_id, endpoint_id, due_at, created_at) SELECT id, $7, now(), now() FROM event`,
    [id, merchantId, 'sandbox', 'endpoint.test', '{}', at, endpointId],
  );
  await tryOnce(id);
  return id;
}

const tryOnce = (eventId: string) =>
  recordAttempt(
    database,
    { eventId, endpointId },
    { attemptNo: 1, startedAt: new Date(), durationMs: 1, statusCode: 500, error: null, excerpt: null },
    { status: 'pending', dueAt: new Date(), at: new Date() },
  );

/** Returns the partitions that contain an event, its delivery and its try. */
async function homesOf(id: string): Promise<string[]> {
  const { rows } = await database.query<{ home: string }>(
    `SELECT tableoid::regclass::text AS home FROM events WHERE id = $1
     UNION ALL SELECT tableoid::regclass::text FROM webhook_deliveries WHERE event_id = $1
     UNION ALL SELECT tableoid::regclass::text FROM webhook_attempts WHERE event_id = $1`,
    [id],
  );
  return rows.map(({ home }) => home);
}

const rest = tables.map((table) => `${table}_rest`);
const first = tables.map((table) => `${table}_first`);

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
  const id = await happenAt(at, { paymentId });
  await expect(happenAt(at, { paymentId })).rejects.toMatchObject({ code: '23505' });
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
    for (const table of tables) {
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
  await database.query('SELECT create_event_partitions($1::date)', [day(100)]);
  const [inMonth, inRest, recent] = [
    await happenAt(day(100)),
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
  await tryOnce(id);
  expect(await homesOf(id)).toEqual(first);
});

it('the rows of before become the first partitions without a lock of more than a second', async () => {
  const before = await migrationsBefore('0055_bound_of_events');
  const current = database;
  const oldUrl = await emptyDatabase();
  await migrate(oldUrl, { directory: before });
  database = openDatabase({ url: oldUrl, poolSize: 2, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
  endpointId = await endpointOfMany(database, merchantId);
  const chance = await happenBefore(new Date(), `evt_00000${'x'.repeat(19)}`);
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
      last = await happenBefore(new Date());
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
  expect(await homesOf(last)).toEqual(first);
  expect(await homesOf(chance)).toEqual(rest);
  const next = await happenAt(new Date());
  expect(await homesOf(next)).toEqual(namesOf(inMonths(0)));
  const { rows } = await database.query(
    'SELECT max(position) = (SELECT position FROM events WHERE id = $1) AS is_last FROM events',
    [next],
  );
  expect(rows).toEqual([{ is_last: true }]);
  expect(written).toBeGreaterThan(10);
  expect(longest).toBeLessThan(1_000);
  await database.end();
  database = current;
  await rm(before, { recursive: true });
});
