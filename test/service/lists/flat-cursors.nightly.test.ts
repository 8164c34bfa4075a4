import pg from 'pg';
import type { Database, Queryable } from '../../../src/db/server/database.ts';
import { type CursorPage } from '../../../src/db/server/cursor-page.ts';
import {
  type DisputePosition,
  disputesToHandle,
  type HandlingPosition,
  listDisputesByDeadline,
} from '../../../src/db/disputes/dispute-reads.ts';
import { type DeliveryPosition, listDeliveries } from '../../../src/db/webhooks/delivery-reads.ts';
import {
  allEvents,
  type EventFilter,
  type EventPosition,
  listEvents,
} from '../../../src/db/webhooks/event-lists.ts';
import { openTenantReads, type TenantReads } from '../../../src/db/server/tenant-reads.ts';
import { blocksOf, blocksOfRead, vacuumAll } from '../../support/blocks.ts';
import {
  endpointOfMany,
  makePastMonths,
  manyDeliveries,
  manyDisputes,
  manyEvents,
  manyPayments,
  ownerOfMany,
  rareEventType,
} from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

const day = 86_400;
const few = 1_000;
/** `LIST_ROWS=1000000` takes minutes to fill. docs/performance.md has its result. */
const many = Number(process.env['LIST_ROWS'] ?? 100_000);
/** How many times the blocks of the page of few a page of many may touch: indexes are one level deeper. */
const maxTimes = 2;
const tables = ['events', 'disputes', 'webhook_deliveries'];

/**
 * Returns a database with `rows` events, deliveries of one endpoint, and disputes of one merchant, of the
 * last 80 days.
 */
async function fill(rows: number) {
  const url = await cloneDatabase();
  // Without the service's deadlines: filling takes longer.
  const database: Database = new pg.Pool({ connectionString: url, max: 1 });
  const merchantId = await ownerOfMany(database);
  const [paymentId = ''] = await manyPayments(database, merchantId, { count: 1, ageSeconds: 5, final: true });
  const endpointId = await endpointOfMany(database, merchantId);
  await makePastMonths(database, 3);
  // Without triggers, because a million rows would take many minutes with them.
  await database.query(`SET session_replication_role = 'replica'`);
  await manyEvents(database, merchantId, { count: rows / 2, ageSeconds: 0, overSeconds: 80 * day });
  // Each delivery has its own event.
  await manyDeliveries(database, endpointId, { count: rows / 2, overSeconds: 80 * day });
  await manyDisputes(database, merchantId, { paymentId, count: rows, overSeconds: 80 * day });
  await database.query('RESET session_replication_role');
  await vacuumAll(database);
  // The rows of a busy minute, which the statistics do not include yet.
  await manyEvents(database, merchantId, { count: 100, ageSeconds: 5 });
  await manyDisputes(database, merchantId, { paymentId, count: 100, overSeconds: 60 });
  const tenants: TenantReads = openTenantReads({ url, poolSize: 1, applicationName: 'test' });
  const tenant: Tenant = { merchantId, environment: 'sandbox' };
  return {
    rows,
    database,
    tenant,
    endpointId,
    /** Returns the position after `share` of the rows of a list. */
    async positionAt<Position extends object>(sql: string, share: number): Promise<Position | null> {
      if (share === 0) return null;
      const { rows: found } = await database.query<Position>(`${sql} OFFSET $2 LIMIT 1`, [
        merchantId,
        Math.floor(share * rows),
      ]);
      return found[0] ?? null;
    },
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

const us = (column: string): string => `(extract(epoch FROM ${column}) * 1000000)::bigint`;

type Page = (filled: Filled) => Promise<{ length: number; isLast: boolean; blocks: number; scans: number }>;

/** Returns the cost of a page that `read` reads after a position. */
async function costOf<Row, Position>(
  filled: Filled,
  read: (database: Queryable, tenant: Tenant) => Promise<CursorPage<Row, Position>>,
) {
  const { rows, next, ...cost } = await filled.cost(read);
  return { length: rows.length, isLast: next === null, ...cost };
}

/** Events with a filter, after `share` of all events in the same order. */
const events =
  (filter: Partial<EventFilter>, share = 0): Page =>
  async (filled) => {
    const order = filter.oldestFirst ? 'position' : 'created_at DESC, position DESC';
    const position = await filled.positionAt<EventPosition>(
      `SELECT ${us('created_at')} AS "createdUs", position FROM events WHERE merchant_id = $1 ORDER BY ${order}`,
      share,
    );
    return costOf(filled, (connection, tenant) =>
      listEvents(connection, tenant, { ...allEvents, ...filter }, position, 20),
    );
  };

const log = (type: string | null, share = 0): Page =>
  events({ type, afterPosition: 0, oldestFirst: true }, share);

/** Deliveries after `share` of the rows, half of which are deliveries. */
const deliveries =
  (status: 'delivered' | 'failed' | 'canceled' | null, share = 0): Page =>
  async (filled) => {
    const position = await filled.positionAt<DeliveryPosition>(
      `SELECT ${us('d.created_at')} AS "createdUs", d.event_id AS "eventId"
       FROM webhook_deliveries d JOIN events e ON e.id = d.event_id WHERE e.merchant_id = $1
       ORDER BY d.created_at DESC, d.event_id DESC`,
      share,
    );
    return costOf(filled, (connection) =>
      listDeliveries(connection, filled.endpointId, { status, from: null, until: null }, position, 20),
    );
  };

const due =
  (dueBefore: Date, status: 'needsResponse' | 'lost' | null, share = 0): Page =>
  async (filled) => {
    const position = await filled.positionAt<DisputePosition>(
      `SELECT ${us('evidence_due_at')} AS us, id FROM disputes WHERE merchant_id = $1 ORDER BY evidence_due_at, id`,
      share,
    );
    const filter = { status, dueBefore, paymentId: null, from: null, until: null };
    return costOf(filled, (connection, tenant) =>
      listDisputesByDeadline(connection, tenant, filter, position, 20),
    );
  };

const toHandle =
  (share: number): Page =>
  async (filled) => {
    const position = await filled.positionAt<DisputePosition>(
      `SELECT ${us('created_at')} AS us, id FROM disputes WHERE merchant_id = $1 ORDER BY created_at DESC, id DESC`,
      share,
    );
    const after: HandlingPosition | null = position && { part: 'others', position };
    return costOf(filled, (connection, tenant) => disputesToHandle(connection, tenant, null, after, 20));
  };

it.each<[string, Page]>([
  ['the newest events', events({})],
  ['the oldest events', events({}, 0.97)],
  ['events in the middle', events({}, 0.5)],
  ['events of a type', events({ type: 'payment.paid' })],
  ['old events of a type', events({ type: 'payment.paid' }, 0.9)],
  ['old events of a group', events({ type: 'payment.*' }, 0.8)],
  ['old events of a window', events({ from: startOfDay(60), until: startOfDay(20) }, 0.5)],
  ['old events of a window and type', events({ type: 'refund.*', until: startOfDay(10) }, 0.6)],
  ['the beginning of the log', log(null)],
  ['the log from its middle', log(null, 0.5)],
  ['the last events of the log', log(null, 0.98)],
  ['a type, far behind the beginning of the log', log('payment.paid', 0.4)],
  ['a group, far behind the beginning of the log', log('refund.*', 0.4)],
  ['the newest deliveries', deliveries(null)],
  ['the oldest deliveries', deliveries(null, 0.45)],
  ['deliveries of a common status', deliveries('delivered', 0.3)],
  ['disputes that are due next', due(startOfDay(-3), null)],
  ['disputes that are due last', due(startOfDay(-6), null, 0.8)],
  ['disputes of a status by deadline', due(new Date(Date.now() + 5 * day * 1_000), 'lost', 0.5)],
  ['the newest disputes behind those that need a response', toHandle(0.5)],
])('%s cost of many rows what they cost of a thousand', async (name, page) => {
  const [ofFew, ofMany] = [await page(small), await page(large)];
  if (process.env['LIST_ROWS']) process.stderr.write(`${name}: ${ofFew.blocks} -> ${ofMany.blocks} blocks\n`);
  expect([ofFew.length, ofMany.length, ofFew.scans, ofMany.scans]).toEqual([20, 20, 0, 0]);
  expect(ofMany.blocks).toBeLessThan(maxTimes * ofFew.blocks);
});

it('a rare type or status is found without reading the rows between its own', async () => {
  for (const page of [
    events({ type: rareEventType }),
    log(rareEventType),
    deliveries('failed'),
    deliveries('canceled'),
    due(startOfDay(-3), 'needsResponse'),
  ]) {
    const { blocks, scans } = await page(large);
    expect(scans).toBe(0);
    expect(blocks).toBeLessThan(400);
  }
});

it('this measure sees a statement that reads the whole list', async () => {
  const text = 'SELECT count(*) FROM events WHERE merchant_id = $1';
  const ofFew = await blocksOf(small.database, tables, text, [small.tenant.merchantId]);
  const ofMany = await blocksOf(large.database, tables, text, [large.tenant.merchantId]);
  expect(ofMany.blocks).toBeGreaterThan(20 * maxTimes * ofFew.blocks);
});
