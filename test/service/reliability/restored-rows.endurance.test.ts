import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { holdWrites } from '../../../src/db/server/restore-watch.ts';
import { dataOf, idOf, paidPayment, payUntilAnswered, refund } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually, ledger } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

const admin = join(import.meta.dirname, '../../../dist/src/cli/admin.js');
let world: World;
let shop: Shop;

beforeAll(async () => {
  world = await createWorld({ SWEEP_SECONDS: '1', REFUND_DELAY_SECONDS: '0' });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

/** Runs the operator command. Returns its exit code and its output. */
async function restore(...args: string[]) {
  const run = promisify(execFile)(process.execPath, [admin, 'restore', ...args, '--json'], {
    env: { PATH: process.env['PATH'], ...world.environment },
  });
  const { code, stdout } = await run.then(
    (done) => ({ code: 0, ...done }),
    (error: { code: number; stdout: string }) => error,
  );
  return { code, answer: (stdout === '' ? {} : JSON.parse(stdout)) as Record<string, unknown> };
}

/** Deletes all rows of payments, like a restore of an older copy. */
async function forget(ids: readonly string[]): Promise<void> {
  const client = await world.database.connect();
  try {
    await client.query("BEGIN; SET LOCAL session_replication_role = 'replica'");
    await client.query(
      'DELETE FROM webhook_deliveries WHERE event_id IN (SELECT id FROM events WHERE payment_id = ANY ($1))',
      [ids],
    );
    await client.query('DELETE FROM idempotency_keys WHERE resource_id = ANY ($1)', [ids]);
    const tables = 'refunds events payment_versions payment_checks attempts capture_access'.split(' ');
    for (const table of tables) await client.query(`DELETE FROM ${table} WHERE payment_id = ANY ($1)`, [ids]);
    await client.query('DELETE FROM payments WHERE id = ANY ($1)', [ids]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

it('writes payments that lost their rows back, with refund and key, and refuses writes until then', async () => {
  const key = randomUUID();
  const body = { checkoutMode: 'custom', reference: 'order-77' };
  const id = idOf(await shop.create(body, key));
  await payUntilAnswered(shop, id, await shop.captureCard(id));
  const refundId = idOf(await refund(shop, id, { amountCents: 1000 }));
  await eventually(async () => ((await shop.read(id))['status'] === 'partiallyRefunded' ? true : undefined));
  const unpaidKey = randomUUID();
  const unpaid = idOf(await shop.create(body, unpaidKey));
  await eventually(async () => {
    const { rows } = await world.database.query(
      'SELECT FROM payments WHERE id = $1 AND workflow_started_at IS NOT NULL',
      [unpaid],
    );
    return rows.length > 0 ? true : undefined;
  });
  const kept = await paidPayment(shop);
  await forget([id, unpaid]);

  const found = await restore('check');
  expect(found.code).toBe(3);
  expect(found.answer).toMatchObject({
    rowsOlderThan: [],
    missingPayments: expect.arrayContaining([id]) as string[],
    missingRefunds: [refundId],
    orphanCharges: [],
  });
  await eventually(async () => ((await shop.create()).status === 503 ? true : undefined));
  const refused = await shop.create(body, key);
  expect(refused.status).toBe(503);
  expect(refused.body.error?.code).toBe('service_unavailable');
  expect(refused.headers.get('retry-after')).toBe('60');
  expect((await refund(shop, kept)).status).toBe(503);
  expect((await shop.read(kept))['status']).toBe('paid');
  const { rows: alerts } = await world.database.query(
    "SELECT detail FROM operator_alerts WHERE sweep = 'restored rows' AND cleared_at IS NULL",
  );
  expect(alerts).toHaveLength(1);

  const finished = await restore('finish');
  expect(finished.answer).toMatchObject({ failed: [], lost: [], ended: true });
  expect(finished.code).toBe(0);
  await eventually(async () => ((await shop.create()).status === 201 ? true : undefined));
  expect(await shop.read(id)).toMatchObject({
    status: 'partiallyRefunded',
    reference: 'order-77',
    refundedCents: 1000,
    restored: true,
    cardLast4: '4242',
  });
  for (const [each, itsKey] of [
    [id, key],
    [unpaid, unpaidKey],
  ] as const) {
    const again = await shop.create(body, itsKey);
    expect([again.status, dataOf(again)['id']]).toEqual([201, each]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await shop.create({ ...body, reference: 'another' }, itsKey)).status).toBe(409);
  }
  expect(await ledger(world.networkUrl, id)).toMatchObject({ charges: [{ status: 'captured' }] });
  expect((await restore('finish')).answer).toMatchObject({ restoredPayments: [], restoredRefunds: [] });
}, 90_000);

it('restore failover names what the rows lost and the steps, and writes it back with --finish', async () => {
  expect(await restore('failover', '--since', 'yesterday')).toMatchObject({ code: 2 });
  const id = await paidPayment(shop);
  await forget([id]);
  const found = await restore('failover');
  expect(found.code).toBe(3);
  expect(found.answer).toMatchObject({
    rowsMayHaveGoneBack: false,
    missingPayments: [id],
    steps: [expect.stringMatching(/^Write back what is lost: admin restore failover --finish --since /)],
  });
  const finished = await restore('failover', '--finish');
  expect(finished.code).toBe(0);
  expect(finished.answer['finished']).toMatchObject({ restoredPayments: [id], ended: true });
  expect(await shop.read(id)).toMatchObject({ status: 'paid', restored: true });
  expect(await restore('failover')).toMatchObject({ code: 0, answer: { missingPayments: [], steps: [] } });
  await eventually(async () => ((await shop.create()).status === 201 ? true : undefined));
}, 60_000);

it('the leader notices missing rows when its record of the comparison has gone back', async () => {
  const id = await paidPayment(shop);
  await forget([id]);
  await world.stopWorker();
  await world.startWorker();
  await eventually(async () => ((await shop.create()).status === 503 ? true : undefined));
  expect((await restore('finish')).code).toBe(0);
  expect(await holdWrites(world.database, { lostSince: new Date(), detail: 'test' })).toBe(true);
  expect(await holdWrites(world.database, { lostSince: new Date(), detail: 'test' })).toBe(false);
}, 60_000);
