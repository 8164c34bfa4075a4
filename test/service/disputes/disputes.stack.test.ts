import { randomUUID } from 'node:crypto';
import { jsonBody } from '../../support/answers.ts';
import {
  dataOf,
  disputeOf,
  idOf,
  keyed,
  paidPayment,
  refund,
  untilField,
} from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';
import { proves } from '../../support/proves.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

let world: World;
let shop: Shop;

beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '0' });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

const open = async (paymentId: string, body: Record<string, unknown> = {}) =>
  idOf(await keyed(shop, `/v1/sandbox/payments/${paymentId}/disputes`, { reason: 'fraudulent', ...body }));
const stage = (id: string, body: unknown) => shop.call('PUT', `/v1/disputes/${id}/evidence`, body);
const submit = (id: string, key?: string) => keyed(shop, `/v1/disputes/${id}/submit`, undefined, key);
const accept = (id: string, key?: string) => keyed(shop, `/v1/disputes/${id}/accept`, undefined, key);
const code = (answer: Awaited<ReturnType<typeof stage>>) => [answer.status, answer.body.error?.code];
const closed = (id: string, status: string) => untilField(shop, `/v1/disputes/${id}`, 'status', status);
/** Lets the network decide, and waits until the service has followed within seconds. */
const resolve = async (id: string, outcome: 'won' | 'lost' | 'withdrawn') => {
  await keyed(shop, `/v1/sandbox/disputes/${id}/resolve`, { outcome });
  return closed(id, outcome === 'lost' ? 'lost' : 'won');
};

const events = async (paymentId: string) => {
  const { rows } = await world.database.query<{ type: string; data: { evidence?: object } }>(
    'SELECT type, data FROM events WHERE payment_id = $1 ORDER BY sequence',
    [paymentId],
  );
  return rows;
};

describe('disputes', () => {
  test(
    proves(
      '4000000000000259 is paid, disputed, and won with winning evidence',
      'DISPUTE-01',
      'DISPUTE-02',
      'PSTATE-08',
    ),
    async () => {
      const id = await paidPayment(shop, '4000000000000259');
      const dispute = await disputeOf(shop, id);
      expect(dispute).toMatchObject({
        paymentId: id,
        amountCents: 2500,
        currency: 'USD',
        reason: 'fraudulent',
        stage: 'chargeback',
        status: 'needsResponse',
        resolution: null,
        evidence: {},
        autoSubmit: true,
        environment: 'sandbox',
        submittedAt: null,
        closedAt: null,
      });
      expect(await shop.read(id)).toMatchObject({ status: 'disputed', netCents: 2500 });
      expect(code(await refund(shop, id))).toEqual([409, 'payment_not_refundable']);

      const disputeId = String(dispute['id']);
      expect(code(await submit(disputeId))).toEqual([422, 'validation_failed']);
      const staged = await stage(disputeId, {
        evidence: { uncategorizedText: 'winning_evidence, with a photo' },
      });
      expect(dataOf(staged)['evidence']).toEqual({ uncategorizedText: 'winning_evidence, with a photo' });
      const key = randomUUID();
      const submitted = await submit(disputeId, key);
      expect([submitted.status, dataOf(submitted)['status']]).toEqual([200, 'underReview']);
      expect(dataOf(submitted)['submittedAt']).not.toBeNull();
      const replay = await submit(disputeId, key);
      expect([replay.text, replay.headers.get('idempotent-replayed')]).toEqual([submitted.text, 'true']);
      expect(code(await submit(disputeId))).toEqual([409, expect.stringMatching(/already_submitted|closed/)]);

      expect(await closed(disputeId, 'won')).toMatchObject({ resolution: 'decided' });
      expect(await shop.read(id)).toMatchObject({ status: 'disputeWon', netCents: 2500 });
      expect(code(await stage(disputeId, { evidence: { a: 'late' } }))).toEqual([409, 'dispute_closed']);
      expect(code(await submit(disputeId))).toEqual([409, 'dispute_closed']);
      expect(code(await accept(disputeId))).toEqual([409, 'dispute_closed']);

      const emitted = await events(id);
      expect(emitted.map(({ type }) => type)).toEqual([
        'payment.paid',
        'dispute.created',
        'payment.disputed',
        'dispute.underReview',
        'dispute.won',
        'payment.disputeWon',
      ]);
      expect(JSON.stringify(emitted)).not.toContain('winning_evidence');

      expect((await refund(shop, id, { amountCents: 500 })).status).toBe(201);
      await untilField(shop, `/v1/payments/${id}`, 'status', 'partiallyRefunded');
    },
  );

  test(
    proves(
      'losing evidence loses the dispute; nothing is kept and nothing can be refunded',
      'DISPUTE-03',
      'PSTATE-08',
      'AMB-20',
      'AMB-47',
    ),
    async () => {
      const id = await paidPayment(shop);
      const disputeId = await open(id);
      await stage(disputeId, { note: 'losing_evidence', autoSubmit: false });
      await submit(disputeId);
      await closed(disputeId, 'lost');
      expect(await shop.read(id)).toMatchObject({ status: 'disputeLost', netCents: 0, refundedCents: 0 });
      expect(code(await refund(shop, id))).toEqual([409, 'payment_not_refundable']);
    },
  );

  test('accepting is final: the dispute is lost at once, and a replay returns the same', async () => {
    const id = await paidPayment(shop);
    const disputeId = await open(id, { stage: 'inquiry', amountCents: 700 });
    const key = randomUUID();
    const accepted = await accept(disputeId, key);
    expect(dataOf(accepted)).toMatchObject({
      status: 'lost',
      resolution: 'accepted',
      stage: 'inquiry',
      amountCents: 700,
    });
    expect((await accept(disputeId, key)).text).toBe(accepted.text);
    expect(code(await accept(disputeId))).toEqual([409, 'dispute_closed']);
    expect(await shop.read(id)).toMatchObject({ status: 'disputeLost' });
  });

  test("a withdrawn dispute restores the payment's status, whatever was refunded before", async () => {
    const id = await paidPayment(shop);
    await refund(shop, id, { amountCents: 300 });
    await untilField(shop, `/v1/payments/${id}`, 'status', 'partiallyRefunded');
    const disputeId = await open(id);
    expect(await shop.read(id)).toMatchObject({ status: 'disputed', refundedCents: 300 });
    expect(await resolve(disputeId, 'withdrawn')).toMatchObject({ status: 'won', resolution: 'withdrawn' });
    expect(await shop.read(id)).toMatchObject({ status: 'partiallyRefunded', refundedCents: 300 });
    const again = await open(id);
    await resolve(again, 'won');
    expect(await shop.read(id)).toMatchObject({ status: 'disputeWon', refundedCents: 300, netCents: 2200 });
    const third = await open(id, { stage: 'preArbitration' });
    expect(await shop.read(id)).toMatchObject({ status: 'disputed' });
    await resolve(third, 'lost');
    expect(await shop.read(id)).toMatchObject({ status: 'disputeLost', netCents: 0 });
  });

  test('a refund that was pending when the dispute opened counts, and the dispute stays', async () => {
    const id = await paidPayment(shop, '4000000000007726');
    const pending = idOf(await refund(shop, id));
    const disputeId = await open(id);
    await untilField(shop, `/v1/refunds/${pending}`, 'status', 'succeeded');
    expect(await shop.read(id)).toMatchObject({ status: 'disputed', refundedCents: 2500, netCents: 0 });
    await resolve(disputeId, 'withdrawn');
    expect(await shop.read(id)).toMatchObject({ status: 'refunded' });
    const late = await open(id);
    expect(await shop.read(id)).toMatchObject({ status: 'refunded' });
    await resolve(late, 'lost');
    expect(await shop.read(id)).toMatchObject({ status: 'refunded' });
  });

  test('staged evidence is submitted automatically before the deadline', async () => {
    const id = await paidPayment(shop);
    const disputeId = await open(id, { dueInSeconds: 3_603 });
    await stage(disputeId, { evidence: { receipt: 'winning_evidence' } });
    await closed(disputeId, 'won');
    expect(await shop.read(id)).toMatchObject({ status: 'disputeWon' });
  });

  test('the merchant is reminded once when a reminder falls due, and nothing is submitted without consent', async () => {
    const id = await paidPayment(shop);
    const disputeId = await open(id, { dueInSeconds: 6 * 3_600 + 2 });
    // Time enough to stage evidence, even on a busy machine.
    const second = await open(id, { dueInSeconds: 15 });
    await stage(second, { evidence: { receipt: 'winning_evidence' }, autoSubmit: false });
    await eventually(async () =>
      (await events(id)).some(({ type }) => type === 'dispute.evidenceDueSoon') ? true : undefined,
    );
    await eventually(async () => {
      const answer = await stage(second, { evidence: { receipt: 'winning_evidence' } });
      return answer.body.error?.code === 'evidence_past_due' ? true : undefined;
    });
    expect(code(await submit(second))).toEqual([409, 'evidence_past_due']);
    expect((await shop.call('GET', `/v1/disputes/${second}`)).body.data).toMatchObject({
      status: 'needsResponse',
      submittedAt: null,
      evidence: { receipt: 'winning_evidence' },
    });
    const reminders = (await events(id)).filter(({ type }) => type === 'dispute.evidenceDueSoon');
    expect(reminders).toHaveLength(1);
    expect(dataOf(await accept(second))).toMatchObject({ status: 'lost', resolution: 'accepted' });
    expect(await shop.read(id)).toMatchObject({ status: 'disputed' });
    await resolve(disputeId, 'won');
    expect(await shop.read(id)).toMatchObject({ status: 'disputeLost' });
  });

  test('evidence is at most 150,000 characters in all, of plain texts under plain names', async () => {
    const disputeId = await open(await paidPayment(shop));
    const full = { evidence: { a: '€'.repeat(75_000), b: '😀'.repeat(75_000) } };
    const taken = await stage(disputeId, full);
    expect(taken.status).toBe(200);
    expect(dataOf(taken)['evidence']).toEqual(full.evidence);
    const named = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 'x']));
    expect((await stage(disputeId, { evidence: named(50), autoSubmit: true })).status).toBe(200);
    for (const evidence of [
      { a: 'x'.repeat(150_001) },
      { a: 1 },
      { 'no name': 'x' },
      { a: null },
      named(51),
      named(60_000),
    ]) {
      const answer = await stage(disputeId, { evidence });
      expect([...code(answer), answer.body.error?.field]).toEqual([422, 'validation_failed', 'evidence']);
    }
  });

  test('lists disputes with their filters, and other merchants see none', async () => {
    const id = await paidPayment(shop);
    const soon = await open(id, { dueInSeconds: 86_400 });
    const later = await open(id, { dueInSeconds: 30 * 86_400 });
    const ids = async (query: string) =>
      (jsonBody(await shop.call('GET', query)) as { data: { id: string }[] }).data.map((one) => one.id);
    const meta = async (query: string) =>
      (jsonBody(await shop.call('GET', query)) as { meta: Record<string, unknown> }).meta;
    expect(await ids(`/v1/payments/${id}/disputes`)).toEqual([later, soon]);
    const inTenDays = new Date(Date.now() + 10 * 86_400_000).toISOString();
    expect(await ids(`/v1/disputes?paymentId=${id}&dueBefore=${inTenDays.slice(0, 10)}`)).toEqual([soon]);
    expect(await ids(`/v1/disputes?paymentId=${id}&dueBefore=${inTenDays}`)).toEqual([soon]);
    expect(await ids(`/v1/disputes?paymentId=${id}&status=won`)).toEqual([]);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const both = `/v1/disputes?dueBefore=${inTenDays}`;
    expect(await ids(`${both}&from=${yesterday}`)).toContain(soon);
    expect(await ids(`${both}&from=${yesterday}`)).not.toContain(later);
    expect(await ids(`${both}&to=${yesterday}`)).toEqual([]);
    const byDeadline = `/v1/payments/${id}/disputes?dueBefore=2999-01-01&limit=1`;
    const [first, second] = [await meta(byDeadline), await meta(`/v1/payments/${id}/disputes`)];
    expect(second).toEqual({ page: 1, perPage: 20, total: 2 });
    expect(await ids(byDeadline)).toEqual([soon]);
    const next = `${byDeadline}&cursor=${String(first['nextCursor'])}`;
    expect(await ids(next)).toEqual([later]);
    expect(await meta(next)).toEqual({ nextCursor: null });
    for (const [query, field] of [
      ['dueBefore=2999-01-01&page=1', 'page'],
      ['dueBefore=2999-01-01&perPage=5', 'perPage'],
      ['limit=5', 'limit'],
      ['cursor=x', 'cursor'],
      [`dueBefore=2998-01-01&cursor=${String(first['nextCursor'])}`, 'cursor'],
    ] as const) {
      const answer = await shop.call('GET', `/v1/disputes?${query}`);
      expect([answer.status, answer.body.error?.code, answer.body.error?.field]).toEqual([
        400,
        'invalid_query',
        field,
      ]);
    }
    for (const query of ['dueBefore=soon', 'status=open', 'dueBefore=2030-02-30']) {
      expect(code(await shop.call('GET', `/v1/disputes?${query}`))).toEqual([400, 'invalid_query']);
    }
    const stranger = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
    for (const answer of [
      await stranger.call('GET', `/v1/disputes/${soon}`),
      await stranger.call('GET', `/v1/payments/${id}/disputes`),
      await stranger.call('PUT', `/v1/disputes/${soon}/evidence`, { evidence: { a: 'b' } }),
      await keyed(stranger, `/v1/disputes/${soon}/submit`),
      await keyed(stranger, `/v1/disputes/${soon}/accept`),
    ]) {
      expect(code(answer)).toEqual([404, 'not_found']);
    }
    expect(await shop.call('GET', `/v1/disputes/${soon}`)).toMatchObject({ status: 200 });
  });
});
