import { rm } from 'node:fs/promises';
import pg from 'pg';
import { uuidv7obj } from 'uuidv7';
import { openDatabase } from '../../../src/db/server/database.ts';
import { insertRequests } from '../../../src/db/server/api-requests.ts';
import { migrate } from '../../../src/db/server/migrate.ts';
import { listAlerts } from '../../../src/db/server/operator-alerts.ts';
import { processRoles } from '../../../src/db/server/privileges.ts';
import { listPartitions, maintainPartitions, requestLog } from '../../../src/db/server/partitions.ts';
import { createPartitionSweep } from '../../../src/sweeps/sweep-partitions.ts';
import type { ApiRequest } from '../../../src/domain/api-request.ts';
import { createTestLogger } from '../../support/logger.ts';
import { manyRequests, ownerOfMany } from '../../support/many-rows.ts';
import { migrationsBefore } from '../../support/migrations.ts';
import { cloneDatabase, emptyDatabase } from '../../support/world.ts';

const dayMs = 86_400_000;
const merchantId = '01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a11';
let url: string;
let database: pg.Pool;

beforeEach(async () => {
  url = await cloneDatabase();
  database = openDatabase({ url, poolSize: 2, applicationName: 'test' });
});
afterEach(() => database.end());

/** Returns the time `days` days from now. */
const inDays = (days: number): Date => new Date(Date.now() + days * dayMs);
const partitionOf = (at: Date): string => `api_requests_${at.toISOString().slice(0, 10).replaceAll('-', '')}`;

/** Returns a request that arrived at a given time. */
function requestAt(at: Date): ApiRequest {
  const id = uuidv7obj().toHex();
  const time = at.getTime().toString(16).padStart(12, '0');
  const hex = time + id.slice(12);
  return {
    id: [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-'),
    ...{ merchantId, environment: 'sandbox', at, method: 'GET', route: '/v1/payments', status: 200 },
    ...{ errorCode: null, ms: 1, keyId: 'abcdefgh', paymentId: null },
  };
}

/** Maintains the partitions of the request log for an instant. */
const maintain = (
  pool: pg.Pool,
  { at, requestsDays, dryRun = false }: { at: Date; requestsDays: number; dryRun?: boolean },
) => maintainPartitions(pool, [requestLog], { at, retention: { eventsDays: 90, requestsDays }, dryRun });

/** Returns the partition that contains a request. */
async function homeOf({ id }: ApiRequest): Promise<string | undefined> {
  const { rows } = await database.query<{ home: string }>(
    'SELECT tableoid::regclass::text AS home FROM api_requests WHERE id = $1',
    [id],
  );
  return rows[0]?.home;
}

const sweepWith = (pool: pg.Pool, at: Date) =>
  createPartitionSweep({
    database: pool,
    now: () => at.getTime(),
    retention: { eventsDays: 90, requestsDays: 7 },
    logger: createTestLogger([]),
  });

it('a migrated database has three days ahead, and a sweep makes those of later days once', async () => {
  const ahead = (await listPartitions(database, requestLog)).filter(
    ({ from }) => from !== null && from > new Date(),
  );
  expect(ahead).toHaveLength(3);
  const later = inDays(10);
  const work = { at: later, requestsDays: 30 };
  const planned = await maintain(database, { ...work, dryRun: true });
  expect(planned.create).toEqual([0, 1, 2, 3].map((days) => partitionOf(inDays(10 + days))));
  expect(await maintain(database, work)).toEqual(planned);
  expect(await maintain(database, work)).toEqual({ create: [], drop: [] });
});

it('a request of a day without a partition is stored, and moves into the partition when it is made', async () => {
  const [early, late] = [requestAt(inDays(20)), requestAt(inDays(21))];
  await insertRequests(database, [early, late]);
  expect(await homeOf(early)).toBe('api_requests_rest');
  await maintain(database, { at: inDays(20), requestsDays: 30 });
  expect([await homeOf(early), await homeOf(late)]).toEqual([inDays(20), inDays(21)].map(partitionOf));
  // A batch that is repeated changes nothing.
  await insertRequests(database, [early, late]);
  expect((await database.query('SELECT FROM api_requests')).rowCount).toBe(2);
});

it('drops whole days past the retention, and no other', async () => {
  const requests = [1, 2, 3].map((days) => requestAt(inDays(10 + days)));
  await insertRequests(database, requests);
  await maintain(database, { at: inDays(10), requestsDays: 30 });
  const { drop } = await maintain(database, { at: inDays(12 + 7), requestsDays: 7 });
  expect(drop).toContain(partitionOf(inDays(11)));
  expect(await Promise.all(requests.map(homeOf))).toEqual([
    undefined,
    ...[12, 13].map((d) => partitionOf(inDays(d))),
  ]);
});

it('a failure in the middle leaves nothing half made, and the next run continues', async () => {
  const at = inDays(10);
  // A table of that name makes the second of four partitions fail, as a full disk would.
  const taken = partitionOf(inDays(11));
  await database.query(`CREATE TABLE ${taken} (id int)`);
  await expect(maintain(database, { at, requestsDays: 30 })).rejects.toThrow('already exists');
  await sweepWith(database, at)
    .run(() => true)
    .catch(() => undefined);
  expect(await listAlerts(database, 10)).toMatchObject([
    { sweep: 'partitions', subject: 'api_requests', detail: 'fewer_than_two_ahead' },
  ]);
  await database.query(`DROP TABLE ${taken}`);
  await sweepWith(database, at).run(() => true);
  const names = (await listPartitions(database, requestLog)).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([10, 11, 12, 13].map((days) => partitionOf(inDays(days)))));
  expect(await listAlerts(database, 10)).toEqual([]);
});

it('the role of the worker makes and drops days of the past, and reads no partition by itself', async () => {
  const worker = new URL(url);
  worker.username = processRoles.worker;
  worker.password = process.env['TEST_DATABASE_ROLES_PASSWORD'] ?? '';
  const limited = openDatabase({ url: worker.toString(), poolSize: 1, applicationName: 'test' });
  try {
    expect((await maintain(limited, { at: inDays(10), requestsDays: 30 })).create).toHaveLength(4);
    await expect(limited.query('SELECT FROM api_requests_first')).rejects.toMatchObject({ code: '42501' });
    await expect(
      limited.query('SELECT drop_request_partition($1, $2)', ['api_requests_first', inDays(30)]),
    ).rejects.toMatchObject({ code: '42501' });
    // A table that is no partition is never dropped.
    const { rows } = await limited.query(`SELECT drop_request_partition('payments', now()) AS done`);
    expect(rows).toEqual([{ done: false }]);
  } finally {
    await limited.end();
  }
});

it('the rows of before become the first partition without a lock of more than a second', async () => {
  const before = await migrationsBefore('0040_bound_of_requests');
  const oldUrl = await emptyDatabase();
  await migrate(oldUrl, { directory: before });
  const old = openDatabase({ url: oldUrl, poolSize: 2, applicationName: 'test' });
  await manyRequests(old, await ownerOfMany(old), 100_000);
  let longest = 0;
  let written = 0;
  const state = { migrating: true };
  const writing = (async () => {
    while (state.migrating) {
      const began = performance.now();
      await insertRequests(old, [requestAt(new Date())]);
      written += 1;
      longest = Math.max(longest, performance.now() - began);
    }
  })();
  await migrate(oldUrl);
  state.migrating = false;
  await writing;
  const { rows } = await old.query<{ home: string; count: number }>(
    'SELECT tableoid::regclass::text AS home, count(*)::int FROM api_requests GROUP BY 1',
  );
  expect(rows).toEqual([{ home: 'api_requests_first', count: 100_000 + written }]);
  expect(written).toBeGreaterThan(10);
  expect(longest).toBeLessThan(1_000);
  await old.end();
  await rm(before, { recursive: true });
});
