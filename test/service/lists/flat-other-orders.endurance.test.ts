import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { Database, Queryable } from '../../../src/db/server/database.ts';
import { listDisputes } from '../../../src/db/disputes/dispute-reads.ts';
import { listEvents, readLog } from '../../../src/db/webhooks/event-lists.ts';
import { openTenantReads, type TenantReads } from '../../../src/db/server/tenant-reads.ts';
import { blocksOf, blocksOfRead, vacuumAll } from '../../support/blocks.ts';
import {
  manyDisputes,
  manyEvents,
  manyPayments,
  ownerOfMany,
  rareEventType,
} from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

const day = 86_400;
const few = 1_000;
/** `LIST_ROWS=1000000` takes minutes to fill: docs/performance.md says what it showed. */
const many = Number(process.env['LIST_ROWS'] ?? 100_000);
/** What a page of many may touch for each block that the page of few touches. */
const mostTimes = 1.5;
const tables = ['events', 'disputes', 'list_counts', 'list_changes'];

/** What counts rows that no trigger has noted. */
const recount = readFileSync(
  new URL('../../../src/db/migrations/0081_more_counted_lists_of_old_rows.sql', import.meta.url),
  'utf8',
).split(/^-- (?:Up|Down) Migration$/m)[1];

/**
 * A database with so many events and disputes of one merchant, of the last 80 days. `middle` and `late` are
 * the places of the log that 40 % of its events and all but 30 come behind.
 */
async function fill(rows: number) {
  const url = await cloneDatabase();
  // Without the service's deadlines: filling takes longer.
  const database: Database = new pg.Pool({ connectionString: url, max: 1 });
  const merchantId = await ownerOfMany(database);
  const [paymentId = ''] = await manyPayments(database, merchantId, { count: 1, ageSeconds: 5, final: true });
  // No trigger runs: by themselves a million rows take many minutes.
  await database.query(`SET session_replication_role = 'replica'`);
  await manyEvents(database, merchantId, { count: rows, ageSeconds: 0, overSeconds: 80 * day });
  await manyDisputes(database, merchantId, { paymentId, count: rows, overSeconds: 80 * day });
  await database.query('RESET session_replication_role');
  await database.query(recount ?? '');
  await vacuumAll(database);
  // What a busy minute leaves to be folded.
  await manyEvents(database, merchantId, { count: 100, ageSeconds: 5 });
  await manyDisputes(database, merchantId, { paymentId, count: 100, overSeconds: 60 });
  const placeAt = async (skipped: number): Promise<number> => {
    const { rows: found } = await database.query<{ position: number }>(
      'SELECT position FROM events ORDER BY position OFFSET $1 LIMIT 1',
      [skipped],
    );
    return found[0]?.position ?? 0;
  };
  const tenants: TenantReads = openTenantReads({ url, poolSize: 1, applicationName: 'test' });
  const tenant: Tenant = { merchantId, environment: 'sandbox' };
  return {
    rows,
    database,
    tenant,
    middle: await placeAt(Math.floor(rows * 0.6)),
    late: await placeAt(rows + 69),
    cost: <T>(read: (database: Queryable, tenant: Tenant) => Promise<T>) =>
      blocksOfRead(tenants, tenant, tables, (connection) => read(connection, tenant), rows === few),
    async end(): Promise<void> {
      await tenants.end();
      await database.end();
    },
  };
}

type Filled = Awaited<ReturnType<typeof fill>>;

interface Tenant {
  merchantId: string;
  environment: 'sandbox';
}

let small: Filled;
let large: Filled;
beforeAll(async () => {
  small = await fill(few);
  large = await fill(many);
}, 900_000);
afterAll(async () => {
  await small?.end();
  await large?.end();
});

const startOfDay = (daysAgo: number): Date =>
  new Date((Math.floor(Date.now() / 1_000 / day) - daysAgo) * day * 1_000);

const all = { page: 1, perPage: 20 };
/** The page that lies behind `share` of a list of `rows` rows. */
const pageAt = (share: number, rows: number): number => Math.floor((share * rows) / 20) + 1;

type Page = (filled: Filled) => Promise<{ length: number; total: number; blocks: number; scans: number }>;

const newest =
  (filter: { type?: string; from?: Date; until?: Date }, share = 0): Page =>
  async (filled) => {
    const { events, ...cost } = await filled.cost((connection, tenant) =>
      listEvents(connection, tenant, {
        ...all,
        type: filter.type ?? null,
        from: filter.from ?? null,
        until: filter.until ?? null,
        page: pageAt(share, filled.rows),
      }),
    );
    return { length: events.length, ...cost };
  };

const log =
  (type: string | null, place: 'start' | 'middle' | 'late', share = 0): Page =>
  async (filled) => {
    const { events, ...cost } = await filled.cost((connection, tenant) =>
      readLog(connection, tenant, {
        ...all,
        type,
        afterPosition: place === 'start' ? 0 : filled[place],
        page: pageAt(share, filled.rows),
      }),
    );
    return { length: events.length, ...cost };
  };

const due =
  (dueBefore: Date, status: 'needsResponse' | 'lost' | null, share = 0): Page =>
  async (filled) => {
    const { disputes, ...cost } = await filled.cost((connection, tenant) =>
      listDisputes(connection, tenant, {
        ...all,
        status,
        dueBefore,
        paymentId: null,
        from: null,
        until: null,
        page: pageAt(share, filled.rows),
      }),
    );
    return { length: disputes.length, ...cost };
  };

it.each<[string, Page]>([
  ['the newest events', newest({})],
  ['the oldest events', newest({}, 0.97)],
  ['events in the middle', newest({}, 0.5)],
  ['events of a type', newest({ type: 'payment.paid' })],
  ['old events of a type', newest({ type: 'payment.paid' }, 0.22)],
  ['old events of a group', newest({ type: 'payment.*' }, 0.4)],
  ['old events of a window', newest({ from: startOfDay(60), until: startOfDay(20) }, 0.4)],
  ['old events of a window and type', newest({ type: 'refund.*', until: startOfDay(10) }, 0.3)],
  ['the beginning of the log', log(null, 'start')],
  ['the log from its middle', log(null, 'middle')],
  ['the last events of the log', log(null, 'late')],
  ['far behind a place of the log', log(null, 'middle', 0.3)],
  ['a type, far behind the beginning of the log', log('payment.paid', 'start', 0.22)],
  ['a group, far behind the beginning of the log', log('refund.*', 'start', 0.4)],
  ['disputes that are due next', due(startOfDay(-3), null)],
  ['disputes that are due last', due(startOfDay(3), null, 0.8)],
  ['disputes of a status by deadline', due(new Date(Date.now() - 10 * day * 1_000), 'lost', 0.5)],
])('%s read no more blocks of many rows than of a thousand', async (name, page) => {
  const [ofFew, ofMany] = [await page(small), await page(large)];
  if (process.env['LIST_ROWS']) process.stderr.write(`${name}: ${ofFew.blocks} -> ${ofMany.blocks} blocks\n`);
  expect([ofFew.length, ofMany.length, ofFew.scans, ofMany.scans]).toEqual([20, 20, 0, 0]);
  expect(ofMany.blocks).toBeLessThan(mostTimes * ofFew.blocks);
});

it('rare types and statuses are found without reading the rows between them', async () => {
  for (const page of [newest({ type: rareEventType }), due(startOfDay(-3), 'needsResponse')]) {
    const { blocks, scans, total } = await page(large);
    expect(scans).toBe(0);
    expect(total).toBeGreaterThan(800);
    expect(blocks).toBeLessThan(400);
  }
});

it('a query that counts the rows is detected', async () => {
  const text = 'SELECT count(*) FROM events WHERE merchant_id = $1';
  const ofFew = await blocksOf(small.database, tables, text, [small.tenant.merchantId]);
  const ofMany = await blocksOf(large.database, tables, text, [large.tenant.merchantId]);
  expect(ofMany.blocks).toBeGreaterThan(20 * mostTimes * ofFew.blocks);
});
