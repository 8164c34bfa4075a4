import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { archiveSchema, moveBack } from '../../../src/db/payments/archive.ts';
import { knownPayments } from '../../../src/db/payments/known-payments.ts';
import { jsonData } from '../../support/answers.ts';
import { DashboardClient, ownerLink } from '../../support/dashboard.ts';
import { archiveAll, endLongAgo } from '../../support/harness/old-payments.ts';
import {
  dataOf,
  disputeOf,
  idOf,
  paidPayment,
  refund,
  untilField,
} from '../../support/refunds-and-disputes.ts';
import { eventually, retryWhileUnavailable, Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

const main = join(import.meta.dirname, '../../../dist/src/cli/admin.js');
const email = 'old.customer@customer.example';

let world: World;
let directory: string;
let merchantId: string;
let shop: Shop;
beforeAll(async () => {
  [world, directory] = await Promise.all([
    createWorld({ REFUND_DELAY_SECONDS: '0', SWEEP_SECONDS: '1', ARCHIVE_AFTER_MONTHS: '4' }),
    mkdtemp(join(tmpdir(), 'archive-')),
  ]);
  merchantId = await world.merchant();
  shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
});
afterAll(async () => {
  await world.close();
  await rm(directory, { recursive: true, force: true });
});

async function admin(...args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], ...world.environment };
  return (await promisify(execFile)(process.execPath, [main, ...args], { env })).stdout;
}

const archived = async (): Promise<number> =>
  (JSON.parse(await admin('storage', 'show', '--json')) as { archived: number }).archived;

/**
 * Archives a payment whose last changes are seconds old. Late reports of the network about these move it
 * back, once each.
 */
const archiveForGood = (id: string) =>
  eventually(async () => {
    await endLongAgo(world.database, [id]);
    await archiveAll(world.database);
    await sleep(1_500);
    const { rowCount } = await world.database.query(`SELECT FROM ${archiveSchema}.payments WHERE id = $1`, [
      id,
    ]);
    return rowCount === 1 ? true : undefined;
  });

/** Inserts a dispute that was won, so that no workflow reads the payment any more. Returns its id. */
async function wonDispute(paymentId: string): Promise<string> {
  const { rows } = await world.database.query<{ id: string }>(
    `INSERT INTO disputes (id, merchant_id, environment, payment_id, provider_reference, amount_cents, reason, stage, status,
       resolution, evidence_due_at, created_at, closed_at)
     SELECT gen_random_uuid(), merchant_id, environment, id, 'dp_' || id, 500, 'fraudulent', 'chargeback', 'won', 'decided',
       now(), now(), now() FROM payments WHERE id = $1 RETURNING id`,
    [paymentId],
  );
  return rows[0]?.id ?? '';
}

/** Returns the totals of the lists of payments, refunds and disputes. */
const totals = () =>
  Promise.all(
    ['payments', 'refunds', 'disputes'].map(async (list) => {
      const { body } = await shop.call('GET', `/v1/${list}`);
      return (body as { meta?: { total?: number } }).meta?.total;
    }),
  );

const sums = async (paymentId: string) =>
  (
    await world.database.query<{ type: string; cents: number }>(
      `SELECT type, sum(amount_cents)::int AS cents FROM movements WHERE payment_id = $1 GROUP BY type ORDER BY type`,
      [paymentId],
    )
  ).rows;

it('an archived payment is in no list, is read by id as before, and is moved back by a refund and an erasure', async () => {
  const id = await paidPayment(shop, undefined, {
    reference: 'old-order',
    customer: { email, name: 'Old Customer' },
  });
  const refundId = idOf(await refund(shop, id, { amountCents: 500 }));
  await untilField(shop, `/v1/refunds/${refundId}`, 'status', 'succeeded');
  const disputeId = await wonDispute(id);
  await archiveForGood(id);
  await moveBack(world.database, [id]);

  const paths = [
    `/v1/payments/${id}`,
    `/v1/payments/${id}/status`,
    `/v1/payments/${id}/checkout`,
    `/v1/payments/${id}/timeline`,
    `/v1/payments/${id}/refunds`,
    `/v1/payments/${id}/disputes`,
    `/v1/refunds/${refundId}`,
    `/v1/disputes/${disputeId}`,
  ];
  const readAll = (caller: Shop) =>
    Promise.all(
      paths.map(async (path) => {
        const { status, text } = await caller.call('GET', path);
        return [path, status, text];
      }),
    );
  const before = await readAll(shop);
  expect(before.map(([, status]) => status)).toEqual(paths.map(() => 200));
  const booked = await sums(id);
  expect(await totals()).toEqual([1, 1, 1]);
  const shown = await admin('payment', 'show', '--payment', id);

  expect(await archiveAll(world.database)).toBe(1);
  expect(await readAll(shop)).toEqual(before);
  expect(await totals()).toEqual([0, 0, 0]);
  expect((await shop.call('GET', '/v1/search/payments?reference=old-order')).text).not.toContain(id);
  expect(await sums(id)).toEqual(booked);
  expect(await archived()).toBe(1);
  expect(await admin('payment', 'show', '--payment', id)).toBe(shown);
  expect((await knownPayments(world.database, [id])).get(id)).toMatchObject({ isFinal: true, isPaid: true });

  const other = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  expect((await readAll(other)).map(([, status]) => status)).toEqual(paths.map(() => 404));
  expect((await refund(other, id)).status).toBe(404);
  expect(await archived()).toBe(1);

  const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
  const page = await client.get(`/dashboard/sandbox/payments/${id}`);
  expect([page.status, page.text.includes('data-testid="archived"')]).toEqual([200, true]);
  expect((await client.get(`/dashboard/sandbox/disputes/${disputeId}`)).status).toBe(200);

  const file = join(directory, 'merchant.jsonl');
  await admin('merchant', 'export', '--merchant', merchantId, '--file', file);
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
    end: { rows: { payments: 1, attempts: 1, refunds: 1, disputes: 1 } },
  });

  const key = randomUUID();
  const again = await retryWhileUnavailable(() => refund(shop, id, { amountCents: 700 }, key));
  expect(again.status).toBe(201);
  await untilField(shop, `/v1/refunds/${idOf(again)}`, 'status', 'succeeded');
  expect(dataOf(await shop.call('GET', `/v1/payments/${id}`))).toMatchObject({ refundedCents: 1200 });
  expect(await totals()).toEqual([1, 2, 1]);
  expect(await sums(id)).toEqual(
    booked.map(({ type, cents }) => ({ type, cents: type === 'refunded' ? cents - 700 : cents })),
  );

  await archiveForGood(id);
  await admin('customer', 'erase', '--merchant', merchantId, '--email', email);
  const { rows } = await world.database.query<{ left: number }>(
    `SELECT (SELECT count(*) FROM ${archiveSchema}.payments p WHERE p::text ILIKE '%old customer%')::int
       + (SELECT count(*) FROM payments p WHERE p::text ILIKE '%old customer%')::int AS left`,
  );
  expect(rows[0]?.left).toBe(0);
  expect(await archiveAll(world.database)).toBe(1);
  expect(dataOf(await shop.call('GET', `/v1/payments/${id}`))).toMatchObject({
    customer: { email: null, name: null },
    refundedCents: 1200,
  });
  // The sweep also ran, once, and found no id that is old enough.
  expect(world.logs.filter((line) => line.includes('a sweep failed'))).toEqual([]);
});

it('a dispute about an archived payment, which the network reports late, moves it back and is followed', async () => {
  const id = await paidPayment(shop, undefined, { reference: 'disputed-late' });
  await archiveForGood(id);
  const opened = await fetch(`${world.networkUrl}/v1/simulate/disputes`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.settings.NETWORK_SERVICE_KEY}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ paymentId: id, reason: 'fraudulent' }),
  });
  expect([opened.status, await opened.text()]).toEqual([200, expect.any(String)]);

  expect(await disputeOf(shop, id)).toMatchObject({ status: 'needsResponse', amountCents: 2500 });
  expect(dataOf(await shop.call('GET', `/v1/payments/${id}`))).toMatchObject({ status: 'disputed' });
  expect(await sums(id)).toEqual([
    { type: 'captured', cents: 2500 },
    { type: 'disputed', cents: -2500 },
  ]);
  const events = await shop.call('GET', `/v1/events?paymentId=${id}&type=dispute.created`);
  expect((jsonData(events) as unknown[]).length).toBe(1);
});
