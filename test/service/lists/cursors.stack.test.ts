import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import type { CursorPage } from '../../../src/db/server/cursor-page.ts';
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
import type { DisputeStatus } from '../../../src/domain/dispute.ts';
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

let database: Database;
let reads: TenantReads;
let merchantId: string;
beforeEach(async () => {
  const url = await cloneDatabase();
  database = openDatabase({ url, poolSize: 8, applicationName: 'test' });
  reads = openTenantReads({ url, poolSize: 2, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
  // Events of two months ago have no partition of their own.
  await makePastMonths(database, 1);
});
afterEach(async () => {
  await reads.end();
  await database.end();
});

const tenant = () => ({ merchantId, environment: 'sandbox' as const });
const startOfDay = (daysAgo: number): Date =>
  new Date((Math.floor(Date.now() / 1_000 / day) - daysAgo) * day * 1_000);

/** Reads a page that begins after a position. */
type Read<Row, Position> = (after: Position | null, limit: number) => Promise<CursorPage<Row, Position>>;

/** Returns the ids of a whole list, page by page; `between` runs after each page. */
async function walk<Row, Position>(
  read: Read<Row, Position>,
  idOf: (row: Row) => string,
  limit = 20,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<string[]> {
  const walked: string[] = [];
  const lengths: number[] = [];
  let position: Position | null = null;
  do {
    const page: CursorPage<Row, Position> = await read(position, limit);
    lengths.push(page.rows.length);
    walked.push(...page.rows.map(idOf));
    position = page.next;
    await between();
  } while (position !== null);
  // Only the last page may be short.
  expect(lengths.slice(0, -1).filter((length) => length !== limit)).toEqual([]);
  return walked;
}

const events =
  (filter: Partial<EventFilter>): Read<{ id: string }, EventPosition> =>
  (after, limit) =>
    reads.read(tenant(), (connection) =>
      listEvents(connection, tenant(), { ...allEvents, ...filter }, after, limit),
    );

const deliveries =
  (
    endpointId: string,
    filter: object = {},
    ofTenant = tenant(),
  ): Read<{ eventId: string }, DeliveryPosition> =>
  (after, limit) =>
    reads.read(ofTenant, (connection) =>
      listDeliveries(
        connection,
        endpointId,
        { status: null, from: null, until: null, ...filter },
        after,
        limit,
      ),
    );

const byDeadline =
  (dueBefore: Date | null, status: DisputeStatus | null): Read<{ id: string }, DisputePosition> =>
  (after, limit) =>
    reads.read(tenant(), (connection) =>
      listDisputesByDeadline(
        connection,
        tenant(),
        { status, dueBefore, paymentId: null, from: null, until: null },
        after,
        limit,
      ),
    );

const toHandle =
  (status: DisputeStatus | null): Read<{ id: string }, HandlingPosition> =>
  (after, limit) =>
    reads.read(tenant(), (connection) => disputesToHandle(connection, tenant(), status, after, limit));

const id = (row: { id: string }): string => row.id;
const eventId = (row: { eventId: string }): string => row.eventId;

async function ids(sql: string, values: unknown[]): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(sql, values);
  return rows.map((row) => row.id);
}

/** Gives many rows of a table the same time: 40 rows a second. */
const makeTies = (table: string, column: string) =>
  database.query(`UPDATE ${table} SET ${column} = date_trunc('second', ${column})`);

it('a walk over the events returns each once in its order, with every filter and through ties', async () => {
  const other = await ownerOfMany(database);
  for (const days of [70, 66, 3, 1, 0]) {
    await manyEvents(database, merchantId, { count: 120, ageSeconds: days * day, overSeconds: 3 });
    await manyEvents(database, other, { count: 7, ageSeconds: days * day });
  }
  await makeTies('events', 'created_at');
  const { rows } = await database.query<{ position: number }>(
    'SELECT position FROM events WHERE merchant_id = $1 ORDER BY position',
    [merchantId],
  );
  for (const type of [
    null,
    'payment.paid',
    'refund.*',
    rareEventType,
    'payment.refused',
    'payment.*',
    'x.*',
  ]) {
    for (const [from, until] of [
      [null, null],
      [startOfDay(66), startOfDay(0)],
    ] as const) {
      const newest = await walk(events({ type, from, until }), id);
      expect({ type, newest }).toEqual({
        type,
        newest: await ids(
          `SELECT id FROM events WHERE merchant_id = $1
             AND ($2::text IS NULL OR type = $2 OR split_part(type, '.', 1) || '.*' = $2)
             AND ($3::timestamptz IS NULL OR created_at >= $3) AND ($4::timestamptz IS NULL OR created_at < $4)
           ORDER BY created_at DESC, position DESC`,
          [merchantId, type, from, until],
        ),
      });
    }
    for (const afterPosition of [0, rows[250]?.position ?? 0, rows.at(-1)?.position ?? 0]) {
      const log = await walk(events({ type, afterPosition, oldestFirst: true }), id);
      expect({ type, afterPosition, log }).toEqual({
        type,
        afterPosition,
        log: await ids(
          `SELECT id FROM events WHERE merchant_id = $1
             AND ($2::text IS NULL OR type = $2 OR split_part(type, '.', 1) || '.*' = $2) AND position > $3
           ORDER BY position`,
          [merchantId, type, afterPosition],
        ),
      });
    }
  }
});

it('a walk over the deliveries of an endpoint returns each once in its order, and a stranger sees none', async () => {
  const endpointId = await endpointOfMany(database, merchantId);
  await manyDeliveries(database, endpointId, { count: 300, overSeconds: 40 * day });
  await manyDeliveries(database, endpointId, { count: 100, overSeconds: 2 });
  await manyDeliveries(database, await endpointOfMany(database, merchantId), { count: 50, overSeconds: day });
  await makeTies('webhook_deliveries', 'created_at');
  for (const status of [null, 'pending', 'delivered', 'failed', 'canceled']) {
    for (const [from, until] of [
      [null, null],
      [startOfDay(30), startOfDay(3)],
    ] as const) {
      const walked = await walk(deliveries(endpointId, { status, from, until }), eventId);
      expect({ status, walked }).toEqual({
        status,
        walked: await ids(
          `SELECT event_id AS id FROM webhook_deliveries WHERE endpoint_id = $1 AND ($2::text IS NULL OR status = $2)
             AND ($3::timestamptz IS NULL OR created_at >= $3) AND ($4::timestamptz IS NULL OR created_at < $4)
           ORDER BY created_at DESC, event_id DESC`,
          [endpointId, status, from, until],
        ),
      });
    }
  }
  const stranger = { merchantId: await ownerOfMany(database), environment: 'sandbox' as const };
  for (const other of [stranger, { ...tenant(), environment: 'live' as const }]) {
    expect(
      await reads.read(other, (connection) =>
        listDeliveries(connection, endpointId, { status: null, from: null, until: null }, null, 20),
      ),
    ).toEqual({ rows: [], next: null });
  }
});

it('a walk over the disputes by deadline, and over those to handle, returns each once in its order', async () => {
  const [paymentId = ''] = await manyPayments(database, merchantId, { count: 1, ageSeconds: 5, final: true });
  await manyDisputes(database, merchantId, { paymentId, count: 300, overSeconds: 30 * day });
  await manyDisputes(database, merchantId, { paymentId, count: 100, overSeconds: 3 });
  await makeTies('disputes', 'evidence_due_at');
  await makeTies('disputes', 'created_at');
  await database.query(
    `UPDATE disputes SET status = 'needsResponse', resolution = NULL, closed_at = NULL
     WHERE id IN (SELECT id FROM disputes WHERE status = 'lost' ORDER BY id LIMIT 56)`,
  );
  for (const status of [null, 'needsResponse', 'lost', 'won'] as const) {
    for (const dueBefore of [startOfDay(10), new Date(Date.now() - 3 * 86_399_000), startOfDay(-300), null]) {
      expect(await walk(byDeadline(dueBefore, status), id)).toEqual(
        await ids(
          `SELECT id FROM disputes WHERE merchant_id = $1 AND ($2::text IS NULL OR status = $2)
             AND evidence_due_at < coalesce($3::timestamptz, 'infinity') ORDER BY evidence_due_at, id`,
          [merchantId, status, dueBefore],
        ),
      );
    }
    const handled = await ids(
      `SELECT id FROM disputes WHERE merchant_id = $1 AND ($2::text IS NULL OR status = $2)
       ORDER BY status <> 'needsResponse', CASE WHEN status = 'needsResponse' THEN evidence_due_at END,
         CASE WHEN status = 'needsResponse' THEN id END, created_at DESC, id DESC`,
      [merchantId, status],
    );
    // 60 need a response. Pages of 20 and 60 rows end with them; pages of 25 and 7 do not.
    for (const limit of [20, 25, 7, 60, 100]) {
      expect(await walk(toHandle(status), id, limit)).toEqual(handled);
    }
  }
});

it('a page that is exactly full is the last one', async () => {
  await manyEvents(database, merchantId, { count: 40, ageSeconds: 5 });
  const first = await events({})(null, 20);
  const second = await events({})(first.next, 20);
  expect([first.rows.length, second.rows.length, second.next]).toEqual([20, 20, null]);
  expect(await events({ type: 'nothing.here' })(null, 20)).toEqual({ rows: [], next: null });
});

it('rows that are added during a walk move none of those that were there', async () => {
  const [paymentId = ''] = await manyPayments(database, merchantId, { count: 1, ageSeconds: 5, final: true });
  const endpointId = await endpointOfMany(database, merchantId);
  await manyEvents(database, merchantId, { count: 100, ageSeconds: day, overSeconds: day });
  await manyDeliveries(database, endpointId, { count: 100, overSeconds: day });
  await manyDisputes(database, merchantId, { paymentId, count: 100, overSeconds: day });
  const add = async (): Promise<void> => {
    await manyEvents(database, merchantId, { count: 3, ageSeconds: 0, overSeconds: 2 * day });
    await manyDeliveries(database, endpointId, { count: 3, overSeconds: day });
    await manyDisputes(database, merchantId, { paymentId, count: 3, overSeconds: day });
  };
  const before = {
    events: await ids('SELECT id FROM events', []),
    deliveries: await ids('SELECT event_id AS id FROM webhook_deliveries', []),
    disputes: await ids('SELECT id FROM disputes', []),
  };
  const expectWhole = (walked: string[], there: string[]): void => {
    expect(new Set(walked).size).toBe(walked.length);
    expect(there.filter((one) => !walked.includes(one))).toEqual([]);
  };
  expectWhole(await walk(events({}), id, 15, add), before.events);
  expectWhole(await walk(events({ type: 'payment.*' }), id, 15, add), []);
  expectWhole(await walk(deliveries(endpointId), eventId, 15, add), before.deliveries);
  expectWhole(await walk(byDeadline(null, null), id, 15, add), before.disputes);
  expectWhole(await walk(toHandle(null), id, 15, add), before.disputes);
});

it('a walk through the log ends with the events that were added during it', async () => {
  await manyEvents(database, merchantId, { count: 50, ageSeconds: 5 });
  let rounds = 0;
  const log = events({ afterPosition: 0, oldestFirst: true });
  const walked = await walk(log, id, 20, async () => {
    rounds += 1;
    if (rounds === 1) await manyEvents(database, merchantId, { count: 30, ageSeconds: 5 });
  });
  expect(walked).toEqual(await ids('SELECT id FROM events ORDER BY position', []));
});
