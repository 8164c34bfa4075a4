import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  dataOf,
  disputeOf,
  idOf,
  keyed,
  paidPayment,
  untilField,
} from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

const admin = join(import.meta.dirname, '../../../dist/src/cli/admin.js');
const day = 86_400;

let world: World;
let shop: Shop;

beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '0', SWEEP_SECONDS: '1' });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

interface Opened {
  id: string;
  paymentId: string;
  reference: string;
}

/** Opens a dispute of a new payment of 2,500 cents. */
async function open(body: Record<string, unknown> = {}): Promise<Opened> {
  const paymentId = await paidPayment(shop);
  const path = `/v1/sandbox/payments/${paymentId}/disputes`;
  const id = idOf(await keyed(shop, path, { reason: 'fraudulent', ...body }));
  const { rows } = await world.database.query<{ reference: string }>(
    'SELECT provider_reference AS reference FROM disputes WHERE id = $1',
    [id],
  );
  return { id, paymentId, reference: rows[0]?.reference ?? '' };
}

/** Orders the network to change a dispute. */
async function change(reference: string, order: Record<string, unknown>): Promise<void> {
  const answer = await fetch(`${world.networkUrl}/v1/simulate/disputes/${reference}/change`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.settings.NETWORK_SERVICE_KEY}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify(order),
  });
  if (answer.status !== 200) throw new Error(`the network answered ${answer.status}`);
}

const read = async (id: string) => dataOf(await shop.call('GET', `/v1/disputes/${id}`));
const until = (id: string, field: string, value: unknown) =>
  untilField(shop, `/v1/disputes/${id}`, field, value);
const stage = (id: string, text: string) =>
  shop.call('PUT', `/v1/disputes/${id}/evidence`, { evidence: { text }, autoSubmit: false });
const submit = (id: string) => keyed(shop, `/v1/disputes/${id}/submit`);
const resolve = (id: string, outcome: string) =>
  keyed(shop, `/v1/sandbox/disputes/${id}/resolve`, { outcome });

interface DisputeEvent {
  type: string;
  previousStatus: string | null;
  data: Record<string, unknown>;
}
async function eventsOf(paymentId: string): Promise<DisputeEvent[]> {
  const { rows } = await world.database.query<DisputeEvent>(
    `SELECT type, previous_status AS "previousStatus", data FROM events WHERE payment_id = $1
     ORDER BY sequence`,
    [paymentId],
  );
  return rows;
}
const typesOf = async (paymentId: string) => (await eventsOf(paymentId)).map(({ type }) => type);

interface Alert {
  sweep: string;
  subject: string | null;
  detail: string;
}
/** Returns the output of `admin alert list --json`. */
async function alerts(): Promise<Alert[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [admin, 'alert', 'list', '--json'], {
    env: { PATH: process.env['PATH'], ...world.environment },
  });
  return (JSON.parse(stdout) as { alerts: Alert[] }).alerts;
}

describe('a dispute that moves at the network', () => {
  test('an answered inquiry that becomes a chargeback can be answered again', async () => {
    const { id, paymentId, reference } = await open({ stage: 'inquiry', dueInSeconds: 3 * day });
    await stage(id, 'an answer to the inquiry');
    expect((await submit(id)).status).toBe(200);
    await change(reference, { stage: 'chargeback', amountCents: 900, dueInSeconds: 20 * day });
    const moved = await until(id, 'stage', 'chargeback');
    expect(moved).toMatchObject({
      status: 'needsResponse',
      amountCents: 900,
      submittedAt: null,
      resolution: null,
      closedAt: null,
      evidence: { text: 'an answer to the inquiry' },
    });
    const daysLeft = (Date.parse(String(moved['evidenceDueAt'])) - Date.now()) / (day * 1000);
    expect(Math.round(daysLeft)).toBe(20);
    const event = (await eventsOf(paymentId)).findLast(({ type }) => type === 'dispute.updated');
    expect(event).toMatchObject({
      previousStatus: 'underReview',
      data: { status: 'needsResponse', stage: 'chargeback', amountCents: 900, evidence: {} },
    });

    expect((await stage(id, 'winning_evidence')).status).toBe(200);
    const submitted = await submit(id);
    expect([submitted.status, submitted.body.data?.['status']]).toEqual([200, 'underReview']);
    // The network decides by the second evidence only. The second submission has its own key.
    expect(await until(id, 'status', 'won')).toMatchObject({ stage: 'chargeback', resolution: 'decided' });
    expect(await shop.read(paymentId)).toMatchObject({ status: 'disputeWon' });
  });

  test('a closed inquiry that becomes a chargeback disputes the payment again', async () => {
    const { id, paymentId, reference } = await open({ stage: 'inquiry' });
    await resolve(id, 'withdrawn');
    await until(id, 'resolution', 'withdrawn');
    expect(await shop.read(paymentId)).toMatchObject({ status: 'paid' });
    await change(reference, { stage: 'chargeback' });
    expect(await until(id, 'stage', 'chargeback')).toMatchObject({ status: 'needsResponse', closedAt: null });
    expect(await shop.read(paymentId)).toMatchObject({ status: 'disputed' });
    await resolve(id, 'lost');
    await until(id, 'status', 'lost');
    expect(await shop.read(paymentId)).toMatchObject({ status: 'disputeLost', netCents: 0 });
    // A lost dispute moves to pre-arbitration, so the money is in dispute again.
    await change(reference, { stage: 'preArbitration' });
    await until(id, 'stage', 'preArbitration');
    expect(await shop.read(paymentId)).toMatchObject({ status: 'disputed' });
    await resolve(id, 'won');
    await until(id, 'status', 'won');
    expect(await shop.read(paymentId)).toMatchObject({ status: 'disputeWon' });
  });

  test('a deadline and an amount that change alone are taken over, with one event each', async () => {
    const { id, paymentId, reference } = await open({ dueInSeconds: 2 * day });
    const before = await read(id);
    await change(reference, { dueInSeconds: 15 * day });
    await eventually(async () =>
      (await read(id))['evidenceDueAt'] === before['evidenceDueAt'] ? undefined : true,
    );
    expect(await read(id)).toMatchObject({ status: 'needsResponse', amountCents: 2500 });
    await change(reference, { amountCents: 1700 });
    expect(await until(id, 'amountCents', 1700)).toMatchObject({ status: 'needsResponse' });
    const updated = (await eventsOf(paymentId)).filter(({ type }) => type === 'dispute.updated');
    expect(updated.map(({ data, previousStatus }) => [data['amountCents'], previousStatus])).toEqual([
      [2500, 'needsResponse'],
      [1700, 'needsResponse'],
    ]);
  });

  test('a lost dispute whose funds are reinstated is won', async () => {
    const { id, paymentId, reference } = await open();
    await resolve(id, 'lost');
    await until(id, 'status', 'lost');
    expect(await shop.read(paymentId)).toMatchObject({ status: 'disputeLost' });
    await change(reference, { status: 'won' });
    expect(await until(id, 'status', 'won')).toMatchObject({ resolution: 'decided' });
    expect(await shop.read(paymentId)).toMatchObject({ status: 'disputeWon', netCents: 2500 });
    expect((await typesOf(paymentId)).slice(-4)).toEqual([
      'dispute.lost',
      'payment.disputeLost',
      'dispute.won',
      'payment.disputeWon',
    ]);
  });

  test('what is behind changes nothing', async () => {
    const { id, paymentId, reference } = await open({ stage: 'chargeback' });
    await resolve(id, 'won');
    await until(id, 'status', 'won');
    const known = await typesOf(paymentId);
    const before = await read(id);
    await change(reference, { status: 'lost' });
    await change(reference, { stage: 'inquiry', status: 'needsResponse', amountCents: 100 });
    // A later change is followed. None of the earlier ones was.
    await change(reference, { stage: 'preArbitration', status: 'needsResponse', amountCents: 2500 });
    await until(id, 'stage', 'preArbitration');
    expect((await typesOf(paymentId)).slice(known.length)).toEqual(['dispute.updated', 'payment.disputed']);
    expect(await read(id)).toMatchObject({ amountCents: before['amountCents'] });
  });
});

describe('a dispute that cannot be read', () => {
  /** Deletes a dispute and the read position of the network's list, so that only the list can restore it. */
  async function forget(...disputes: Opened[]): Promise<void> {
    for (const { id, paymentId } of disputes) {
      await world.database.query('DELETE FROM disputes WHERE id = $1', [id]);
      await world.database.query(`UPDATE payments SET status = 'paid' WHERE id = $1`, [paymentId]);
      await world.database.query('DELETE FROM dispute_hints WHERE id = $1', [id]);
    }
    await world.database.query('DELETE FROM provider_cursors');
  }

  it.each([
    ['in a status of tomorrow', { status: 'arbitration' }, { status: 'needsResponse' }, 'unknown_state'],
    ['in another currency', { currency: 'EUR' }, { currency: 'USD' }, 'other_currency'],
  ])('%s stops no list, is named by an alert, and is taken up when it can be read', async (...row) => {
    const [, broken, mended, detail] = row;
    const [first, poison, last] = [await open(), await open(), await open()];
    await change(poison.reference, broken);
    await forget(first, poison, last);
    await eventually(async () =>
      (await disputeOf(shop, last.paymentId))['id'] === last.id ? true : undefined,
    );
    expect(await disputeOf(shop, first.paymentId)).toMatchObject({ status: 'needsResponse' });
    const alert = await eventually(async () =>
      (await alerts()).find(({ subject }) => subject === poison.reference),
    );
    expect(alert).toMatchObject({ sweep: 'unreadable disputes', detail });
    expect(await shop.read(poison.paymentId)).toMatchObject({ status: 'paid' });

    await change(poison.reference, mended);
    await eventually(async () => {
      const { body } = await shop.call('GET', `/v1/disputes/${poison.id}`);
      return body.data?.['status'] === 'needsResponse' ? true : undefined;
    });
    expect((await alerts()).map(({ subject }) => subject)).not.toContain(poison.reference);
  });

  it('keeps what is known of it, takes no answer meanwhile, and is read again by itself', async () => {
    const { id, paymentId, reference } = await open();
    await stage(id, 'winning_evidence');
    await change(reference, { status: 'arbitration' });
    await eventually(async () => (await alerts()).find(({ subject }) => subject === reference));
    expect(await read(id)).toMatchObject({ status: 'needsResponse', stage: 'chargeback' });
    const answered = await submit(id);
    expect([answered.status, answered.body.error?.code]).toEqual([503, 'service_unavailable']);
    expect(await read(id)).toMatchObject({ status: 'needsResponse', submittedAt: null });
    expect(await shop.read(paymentId)).toMatchObject({ status: 'disputed' });

    const { rows } = await world.database.query<{ later: boolean }>(
      `SELECT next_check_at > now() + interval '20 seconds' AS later FROM disputes WHERE id = $1`,
      [id],
    );
    expect(rows).toEqual([{ later: true }]);
    await change(reference, { status: 'needsResponse' });
    await world.database.query('UPDATE disputes SET next_check_at = now() WHERE id = $1', [id]);
    await eventually(async () =>
      (await alerts()).some(({ subject }) => subject === reference) ? undefined : true,
    );
    expect((await submit(id)).status).toBe(200);
    await until(id, 'status', 'won');
  });
});
