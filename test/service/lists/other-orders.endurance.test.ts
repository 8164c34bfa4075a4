import { neededMigrations } from '../../../src/db/server/checks.ts';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { type DisputeFilter, dueDisputes, listDisputes } from '../../../src/db/disputes/dispute-reads.ts';
import { listEvents, readLog } from '../../../src/db/webhooks/event-lists.ts';
import { foldListChanges } from '../../../src/db/server/list-counts.ts';
import { openTenantReads, type TenantReads } from '../../../src/db/server/tenant-reads.ts';
import {
  manyDisputes,
  manyEvents,
  manyPayments,
  ownerOfMany,
  rareEventType,
} from '../../support/many-rows.ts';
import { moveMigrations } from '../../support/migrations.ts';
import { cloneDatabase } from '../../support/world.ts';

const day = 86_400;

let url: string;
let database: Database;
let reads: TenantReads;
let merchantId: string;
beforeEach(async () => {
  url = await cloneDatabase();
  database = openDatabase({ url, poolSize: 8, applicationName: 'test' });
  reads = openTenantReads({ url, poolSize: 2, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
});
afterEach(async () => {
  await reads.end();
  await database.end();
});

const tenant = () => ({ merchantId, environment: 'sandbox' as const });
const startOfDay = (daysAgo: number): Date =>
  new Date((Math.floor(Date.now() / 1_000 / day) - daysAgo) * day * 1_000);

/** Ids of the rows in an order, and those of one page of them with the total. */
async function truth(sql: string, values: unknown[], page: number) {
  const { rows } = await database.query<{ id: string }>(sql, [merchantId, ...values]);
  return { ids: rows.slice((page - 1) * 20, page * 20).map(({ id }) => id), total: rows.length };
}

const types = [null, 'payment.paid', 'refund.*', rareEventType, 'dispute.*', 'payment.refused', 'payment.*'];

async function expectNewest(type: string | null, from: Date | null, until: Date | null, page: number) {
  const read = await reads.read(tenant(), (connection) =>
    listEvents(connection, tenant(), { type, from, until, page, perPage: 20 }),
  );
  expect({ ids: read.events.map(({ id }) => id), total: read.total }).toEqual(
    await truth(
      `SELECT id FROM events WHERE merchant_id = $1
         AND ($2::text IS NULL OR type = $2 OR split_part(type, '.', 1) || '.*' = $2)
         AND ($3::timestamptz IS NULL OR created_at >= $3) AND ($4::timestamptz IS NULL OR created_at < $4)
       ORDER BY created_at DESC, position DESC`,
      [type, from, until],
      page,
    ),
  );
}

async function expectLog(type: string | null, afterPosition: number, page: number): Promise<void> {
  const read = await reads.read(tenant(), (connection) =>
    readLog(connection, tenant(), { type, afterPosition, page, perPage: 20 }),
  );
  expect({ ids: read.events.map(({ id }) => id), total: read.total }).toEqual(
    await truth(
      `SELECT id FROM events WHERE merchant_id = $1
         AND ($2::text IS NULL OR type = $2 OR split_part(type, '.', 1) || '.*' = $2) AND position > $3
       ORDER BY position`,
      [type, afterPosition],
      page,
    ),
  );
}

/** Every kind of page of the log there is. */
async function expectEventsTrue(): Promise<void> {
  const { rows } = await database.query<{ position: number }>(
    'SELECT position FROM events WHERE merchant_id = $1 ORDER BY position',
    [merchantId],
  );
  const places = [0, 500, 777, rows.length - 1].map((at) => rows[at]?.position ?? 0);
  for (const type of types) {
    for (const page of [1, 2, 12, 31, 60, 1_000]) {
      await expectNewest(type, null, null, page);
      await expectNewest(type, startOfDay(66), startOfDay(1), page);
      for (const place of [0, ...places]) await expectLog(type, place, page);
    }
  }
}

/** 1,400 events of 70 days, and another merchant's between them in the log. */
async function manyDays(): Promise<void> {
  const other = await ownerOfMany(database);
  for (const days of [70, 66, 64, 3, 2, 1, 0]) {
    await manyEvents(database, merchantId, { count: 200, ageSeconds: days * day, overSeconds: 2 * day });
    await manyEvents(database, other, { count: 7, ageSeconds: days * day });
  }
}

it('events are listed as in the rows, whether changes are folded, half folded or not', async () => {
  await manyDays();
  await expectEventsTrue();
  expect(await foldListChanges(database, 1_500)).toBe(1_500);
  await expectEventsTrue();
  while ((await foldListChanges(database, 5_000)) > 0);
  await expectEventsTrue();
  // What the retention deletes is counted no more.
  await database.query(`DELETE FROM events WHERE created_at < now() - interval '66 days'`);
  await expectEventsTrue();
  while ((await foldListChanges(database, 5_000)) > 0);
  await expectEventsTrue();
});

async function expectDue(filter: Partial<DisputeFilter>): Promise<void> {
  const all = {
    status: null,
    paymentId: null,
    dueBefore: null,
    from: null,
    until: null,
    page: 1,
    perPage: 20,
  };
  const given = { ...all, ...filter };
  const read = await reads.read(tenant(), (connection) => listDisputes(connection, tenant(), given));
  expect({ ids: read.disputes.map(({ id }) => id), total: read.total }).toEqual(
    await truth(
      `SELECT id FROM disputes WHERE merchant_id = $1 AND ($2::text IS NULL OR status = $2) AND evidence_due_at < $3
       ORDER BY evidence_due_at, id`,
      [given.status, given.dueBefore],
      given.page,
    ),
  );
}

async function expectDisputesTrue(): Promise<void> {
  for (const dueBefore of [startOfDay(20), new Date(Date.now() - 3 * 86_399_000), startOfDay(-300)]) {
    for (const status of [null, 'needsResponse', 'lost', 'won'] as const) {
      for (const page of [1, 2, 13, 29, 60, 1_000]) await expectDue({ dueBefore, status, page });
    }
  }
  for (const page of [1, 2, 3, 11, 12, 13, 40, 60, 61, 1_000]) {
    const read = await reads.read(tenant(), (connection) =>
      dueDisputes(connection, tenant(), { status: null, page, perPage: 20 }),
    );
    expect({ ids: read.disputes.map(({ id }) => id), total: read.total }).toEqual(
      await truth(
        `SELECT id FROM disputes WHERE merchant_id = $1
         ORDER BY status <> 'needsResponse', CASE WHEN status = 'needsResponse' THEN evidence_due_at END,
           CASE WHEN status = 'needsResponse' THEN id END, created_at DESC, id DESC`,
        [],
        page,
      ),
    );
  }
}

it('disputes by their deadline are listed as in the rows, also when deadline and status change', async () => {
  const [paymentId = ''] = await manyPayments(database, merchantId, { count: 1, ageSeconds: 5, final: true });
  await manyDisputes(database, merchantId, { paymentId, count: 1_200, overSeconds: 60 * day });
  await expectDisputesTrue();
  expect(await foldListChanges(database, 700)).toBe(700);
  await expectDisputesTrue();
  await database.query(
    `UPDATE disputes SET status = 'needsResponse', resolution = NULL, closed_at = NULL
     WHERE id IN (SELECT id FROM disputes WHERE status = 'lost' ORDER BY id LIMIT 300)`,
  );
  await database.query(
    `UPDATE disputes SET evidence_due_at = evidence_due_at + interval '5 days 3 seconds'
     WHERE id IN (SELECT id FROM disputes ORDER BY id LIMIT 400)`,
  );
  await expectDisputesTrue();
  while ((await foldListChanges(database, 5_000)) > 0);
  await expectDisputesTrue();
});

it('the migration counts existing events and disputes once, beside a writer', async () => {
  const later = (await neededMigrations()).filter((name) => name >= '0080');
  const [paymentId = ''] = await manyPayments(database, merchantId, { count: 1, ageSeconds: 5, final: true });
  await moveMigrations(url, 'down', later.length);
  await manyEvents(database, merchantId, { count: 300, ageSeconds: 0, overSeconds: 3 * day });
  await manyDisputes(database, merchantId, { paymentId, count: 300, overSeconds: 60 * day });
  await moveMigrations(url, 'up', 1);
  await manyEvents(database, merchantId, { count: 300, ageSeconds: 0, overSeconds: 3 * day });
  // A worker of the version before folds what the triggers note.
  expect(await foldListChanges(database, 200)).toBe(200);
  const open = await database.connect();
  try {
    await open.query('BEGIN');
    await manyEvents(open, merchantId, { count: 50, ageSeconds: 0 });
    await moveMigrations(url, 'up', 1);
    await open.query('COMMIT');
  } finally {
    open.release();
  }
  await moveMigrations(url, 'up', later.length - 2);
  await expectEventsTrue();
  await expectDisputesTrue();
  while ((await foldListChanges(database, 5_000)) > 0);
  await expectEventsTrue();
  await expectDisputesTrue();
});
