import pg from 'pg';
import { neededMigrations } from '../../../src/db/server/checks.ts';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import type { DeliveryStatus } from '../../../src/db/webhooks/deliveries.ts';
import { listDeliveries } from '../../../src/db/webhooks/delivery-reads.ts';
import { foldListChanges } from '../../../src/db/server/list-counts.ts';
import { openTenantReads, type TenantReads } from '../../../src/db/server/tenant-reads.ts';
import { blocksOf, blocksOfRead, vacuumAll } from '../../support/blocks.ts';
import { endpointOfMany, manyDeliveries, ownerOfMany } from '../../support/many-rows.ts';
import { moveMigrations } from '../../support/migrations.ts';
import { cloneDatabase } from '../../support/world.ts';

const day = 86_400;
const tables = ['webhook_deliveries', 'events', 'list_counts', 'list_changes'];
/** Blocks that a page may touch: 20 deliveries with their events and tries, and the counts of spans. */
const mostBlocks = 1_500;

let url: string;
let database: Database;
let reads: TenantReads;
let merchantId: string;
let endpointId: string;
beforeEach(async () => {
  url = await cloneDatabase();
  database = openDatabase({ url, poolSize: 8, applicationName: 'test' });
  reads = openTenantReads({ url, poolSize: 2, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
  endpointId = await endpointOfMany(database, merchantId);
});
afterEach(async () => {
  await reads.end();
  await database.end();
});

const startOfDay = (daysAgo: number): Date =>
  new Date((Math.floor(Date.now() / 1_000 / day) - daysAgo) * day * 1_000);

interface Asked {
  status: DeliveryStatus | null;
  from: Date | null;
  until: Date | null;
  page: number;
}
const all: Asked = { status: null, from: null, until: null, page: 1 };
const tenant = () => ({ merchantId, environment: 'sandbox' as const });

async function expectTrue(asked: Asked): Promise<void> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT event_id AS id FROM webhook_deliveries WHERE endpoint_id = $1 AND ($2::text IS NULL OR status = $2)
       AND ($3::timestamptz IS NULL OR created_at >= $3) AND ($4::timestamptz IS NULL OR created_at < $4)
     ORDER BY created_at DESC, event_id DESC`,
    [endpointId, asked.status, asked.from, asked.until],
  );
  const found = await reads.read(tenant(), (connection) =>
    listDeliveries(connection, endpointId, { ...asked, perPage: 20 }),
  );
  expect({ asked, ids: found.deliveries.map(({ eventId }) => eventId), total: found.total }).toEqual({
    asked,
    ids: rows.slice((asked.page - 1) * 20, asked.page * 20).map(({ id }) => id),
    total: rows.length,
  });
}

async function expectAllTrue(): Promise<void> {
  for (const status of [null, 'pending', 'delivered', 'failed', 'canceled'] as const) {
    for (const [from, until] of [
      [null, null],
      [startOfDay(40), startOfDay(3)],
      [startOfDay(10), null],
      [null, startOfDay(10)],
    ] as const) {
      for (const page of [1, 11, 12, 25, 1_000]) await expectTrue({ status, from, until, page });
    }
  }
}

const foldAll = async (): Promise<void> => {
  while ((await foldListChanges(database, 20_000)) > 0);
};

it('deliveries are listed as in the rows, whether changes are folded, half folded or not', async () => {
  await manyDeliveries(database, endpointId, { count: 600, overSeconds: 60 * day });
  await manyDeliveries(database, await endpointOfMany(database, merchantId), { count: 50, overSeconds: day });
  await expectAllTrue();
  expect(await foldListChanges(database, 300)).toBe(300);
  await expectAllTrue();
  await foldAll();
  await expectAllTrue();
  await database.query(`UPDATE webhook_deliveries SET status = 'canceled' WHERE status = 'failed'`);
  // What the retention deletes is counted no more.
  await database.query(`DELETE FROM events WHERE created_at < now() - interval '50 days'`);
  await expectAllTrue();
  await foldAll();
  await expectAllTrue();
});

it('the migration counts existing deliveries once, beside a writer', async () => {
  const later = (await neededMigrations()).filter((name) => name >= '0084');
  await moveMigrations(url, 'down', later.length);
  await manyDeliveries(database, endpointId, { count: 300, overSeconds: 60 * day });
  await moveMigrations(url, 'up', 1);
  await manyDeliveries(database, endpointId, { count: 300, overSeconds: 60 * day });
  // A worker of the version before folds what the triggers note.
  expect(await foldListChanges(database, 200)).toBe(200);
  const open = await database.connect();
  try {
    await open.query('BEGIN');
    await manyDeliveries(open, endpointId, { count: 50, overSeconds: day });
    await moveMigrations(url, 'up', 1);
    await open.query('COMMIT');
  } finally {
    open.release();
  }
  await moveMigrations(url, 'up', later.length - 2);
  await expectAllTrue();
  await foldAll();
  await expectAllTrue();
});

it('another merchant’s endpoint lists no deliveries and no count', async () => {
  await manyDeliveries(database, endpointId, { count: 30, overSeconds: day });
  await foldAll();
  const stranger = { merchantId: await ownerOfMany(database), environment: 'sandbox' as const };
  for (const other of [stranger, { ...tenant(), environment: 'live' as const }]) {
    const found = await reads.read(other, (connection) =>
      listDeliveries(connection, endpointId, { ...all, perPage: 20 }),
    );
    expect(found).toEqual({ deliveries: [], total: 0 });
  }
});

/** Every kind of page of `rows` deliveries and 200 that are not folded yet. */
const kindsOf = (rows: number): [string, Partial<Asked>][] => [
  ['first', {}],
  ['middle', { page: rows / 40 }],
  ['last', { page: (rows + 200) / 20 }],
  ['behind the last', { page: 1_000_000 }],
  ['first of a common status', { status: 'delivered' }],
  ['last of a common status', { status: 'delivered', page: rows / 25 }],
  ['first of a rare status', { status: 'failed' }],
  ['last of a rare status', { status: 'failed', page: rows / 2_000 }],
  ['of a status that none has', { status: 'canceled' }],
  ['late of a window', { from: startOfDay(70), until: startOfDay(20), page: rows / 40 }],
  [
    'late of a window and status',
    { from: startOfDay(70), until: startOfDay(20), status: 'delivered', page: rows / 50 },
  ],
];

it('a page reads no more blocks with four times the rows, and scans no table', async () => {
  // Without the service's deadlines: filling takes longer.
  const filling = new pg.Pool({ connectionString: url, max: 1 });
  const fill = async (count: number) => {
    await manyDeliveries(filling, endpointId, { count, overSeconds: 80 * day });
    while ((await foldListChanges(filling, 20_000)) > 0);
    await vacuumAll(filling);
  };
  /** Blocks of each kind of page, and of a count of the rows. */
  const costs = async (rows: number): Promise<Map<string, number>> => {
    const blocksOfEach = new Map<string, number>();
    for (const [name, asked] of kindsOf(rows)) {
      const { deliveries, total, blocks, scans } = await blocksOfRead(reads, tenant(), tables, (connection) =>
        listDeliveries(connection, endpointId, { ...all, ...asked, perPage: 20 }),
      );
      expect({ name, scans, empty: deliveries.length === 0 }).toEqual({
        name,
        scans: 0,
        empty: total === 0 || name === 'behind the last',
      });
      blocksOfEach.set(name, blocks);
    }
    const count = 'SELECT count(ended_at) FROM webhook_deliveries WHERE endpoint_id = $1';
    return blocksOfEach.set('count', (await blocksOf(filling, tables, count, [endpointId])).blocks);
  };
  try {
    await fill(10_000);
    // What a busy minute leaves to be folded.
    await manyDeliveries(filling, endpointId, { count: 200, overSeconds: 60 });
    const few = await costs(10_000);
    await fill(29_800);
    await manyDeliveries(filling, endpointId, { count: 200, overSeconds: 60 });
    const many = await costs(40_000);
    const grown = (name: string) => (many.get(name) ?? 0) / (few.get(name) ?? 1);
    expect(grown('count')).toBeGreaterThan(3);
    const dear = [...many].filter(
      ([name, blocks]) => name !== 'count' && (blocks > mostBlocks || grown(name) > 2),
    );
    expect({ dear, few: [...few] }).toEqual({ dear: [], few: [...few] });
  } finally {
    await filling.end();
  }
}, 300_000);
