import { randomUUID } from 'node:crypto';
import { isAllowedStatusChange, type PaymentStatus } from '../../../src/domain/statuses.ts';
import { disputeOf, keyed, paidPayment, refund, untilField } from '../../support/refunds-and-disputes.ts';
import { type FlakyNetwork, type CallFault, flakyNetwork } from '../../support/flaky-network.ts';
import { Shop, eventually, retryWhileUnavailable } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

interface Place {
  relay: FlakyNetwork;
  world: World;
  shop: Shop;
}

/** Two worlds, so that faults of all calls and a lost worker do not affect the other tests. */
let quiet: Place;
let stormy: Place;

async function openPosition(): Promise<Place> {
  const relay = await flakyNetwork();
  const world = await createWorld({ NETWORK_URL: relay.url, REFUND_DELAY_SECONDS: '0' });
  relay.target = world.networkUrl;
  const shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  return { relay, world, shop };
}

beforeAll(async () => {
  [quiet, stormy] = await Promise.all([openPosition(), openPosition()]);
});
afterAll(async () => {
  await Promise.all([quiet.world.close(), stormy.world.close()]);
  await Promise.all([quiet.relay.close(), stormy.relay.close()]);
});

interface LedgerRefund {
  key: string;
  amountCents: number;
  status: string;
}

const ledgerRefunds = async (world: World, paymentId: string): Promise<LedgerRefund[]> => {
  const response = await fetch(`${world.networkUrl}/ledger?paymentId=${paymentId}`);
  return ((await response.json()) as { refunds: LedgerRefund[] }).refunds;
};

/** Waits until rows and ledger agree on every refund and none is open. Returns the refunds. */
const agreed = (world: World, paymentId: string): Promise<LedgerRefund[]> =>
  eventually(async () => {
    const { rows } = await world.database.query<{ id: string; status: string }>(
      `SELECT id, status FROM refunds WHERE payment_id = $1 AND status <> 'canceled' ORDER BY id`,
      [paymentId],
    );
    const listed = await ledgerRefunds(world, paymentId);
    const byKey = listed
      .map(({ key, status }) => ({ id: key, status }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const open = rows.some(({ status }) => status === 'pending');
    return !open && JSON.stringify(rows) === JSON.stringify(byKey) ? listed : undefined;
  });

const sumOf = (refunds: LedgerRefund[]): number =>
  refunds
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, { amountCents }) => sum + amountCents, 0);

/** Returns a generator of deterministic numbers in [0, 1). */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe("the network's ledger of refunds", () => {
  // Started first, because it takes the longest.
  test('agrees with the rows after random refunds, late failures, disputes, lost and doubled calls and a lost worker', async () => {
    const { relay, world, shop } = stormy;
    const seed = 20_261_121;
    const troubles = mulberry(seed);
    relay.trouble = (_method, path) => {
      if (!path.startsWith('/v1/refunds') && !path.startsWith('/v1/disputes')) return 'none';
      const dice = troubles();
      if (dice < 0.12) return 'loseAnswer';
      if (dice < 0.2) return 'twice';
      return dice < 0.26 ? 'loseRequest' : 'none';
    };
    const cards = ['4242424242424242', '4000000000007726', '4000000000005126', '4000000000000259'];
    const payments = await Promise.all(
      cards.map(async (card) => ({ card, id: await paidPayment(shop, card, { amountCents: 10_000 }) })),
    );
    const play = async ({ id, card }: { id: string; card: string }, seedOffset: number): Promise<void> => {
      const random = mulberry(seed + seedOffset);
      for (let step = 0; step < 8; step += 1) {
        const amountCents = 1 + Math.floor(random() * 4_000);
        const key = randomUUID();
        const first = await retryWhileUnavailable(() => refund(shop, id, { amountCents }, key));
        const again = await retryWhileUnavailable(() => refund(shop, id, { amountCents }, key));
        expect([201, 409, 422]).toContain(first.status);
        expect(again.status).toBe(first.status);
        // A refusal may change with time, but a created refund may not.
        expect(first.status === 201 ? again.text : first.text).toBe(first.text);
        const refundId = String(first.body.data?.['id']);
        const dice = first.status === 201 ? random() : 1;
        if (dice < 0.3) {
          await shop.call('POST', `/v1/refunds/${refundId}/cancel`);
        } else if (dice < 0.5) {
          await keyed(shop, `/v1/sandbox/refunds/${refundId}/outcome`, { outcome: 'failed' });
        }
        if (card === '4000000000000259' && step === 4) {
          const dispute = await disputeOf(shop, id);
          await keyed(shop, `/v1/sandbox/disputes/${String(dispute['id'])}/resolve`, { outcome: 'won' });
        }
      }
    };
    const restart = async (): Promise<void> => {
      await world.stopWorker();
      await world.startWorker();
    };
    await Promise.all([...payments.map(play), restart()]);
    for (const { id } of payments) {
      const refunds = await agreed(world, id);
      const payment = await shop.read(id);
      expect(payment['refundedCents']).toBe(sumOf(refunds));
      expect(payment['refundedCents']).toBeLessThanOrEqual(10_000);
      expect(payment['netCents']).toBe(10_000 - sumOf(refunds));
      const { rows } = await world.database.query<{
        type: string;
        previous: PaymentStatus;
        sequence: number;
      }>(
        `SELECT type, previous_status AS previous, sequence FROM events WHERE payment_id = $1 ORDER BY sequence`,
        [id],
      );
      expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1));
      let status: PaymentStatus = 'pending';
      for (const { type, previous } of rows.filter((row) => row.type.startsWith('payment.'))) {
        expect(previous).toBe(status);
        const next = type.slice('payment.'.length) as PaymentStatus;
        expect([status, next, isAllowedStatusChange(status, next)]).toEqual([status, next, true]);
        status = next;
      }
      expect(payment['status']).toBe(status);
    }
  });

  test.each(['loseRequest', 'loseAnswer', 'twice', 'error'] satisfies CallFault[])(
    'has one refund when its submission meets %s',
    async (trouble) => {
      const { relay, world, shop } = quiet;
      const id = await paidPayment(shop);
      const struck = relay.strike(new RegExp(`^POST /v1/refunds .*${id}`), trouble);
      const key = randomUUID();
      const answers = [await refund(shop, id, { amountCents: 800 }, key)];
      answers.push(await refund(shop, id, { amountCents: 800 }, key));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      await untilField(shop, `/v1/payments/${id}`, 'refundedCents', 800);
      expect(struck()).toBe(1);
      expect(await agreed(world, id)).toHaveLength(1);
    },
  );

  test('lets a refund that the network refuses fail permanently, which frees its amount', async () => {
    const { world, shop } = quiet;
    const id = await paidPayment(shop);
    // The network has already refunded most of it, which the rows do not show.
    const foreign = await fetch(`${world.networkUrl}/v1/refunds`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.settings.NETWORK_SERVICE_KEY}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify({ paymentId: id, chargeKey: `${id}:1`, amountCents: 2000 }),
    });
    expect(foreign.status).toBe(200);
    const refused = await refund(shop, id, { amountCents: 1000 });
    const path = `/v1/refunds/${String(refused.body.data?.['id'])}`;
    expect(await untilField(shop, path, 'status', 'failed')).toMatchObject({
      failureCode: 'refund_rejected',
      succeededAt: null,
    });
    expect(await shop.read(id)).toMatchObject({ status: 'paid', refundedCents: 0 });
    expect((await refund(shop, id, { amountCents: 400 })).status).toBe(201);
    await untilField(shop, `/v1/payments/${id}`, 'refundedCents', 400);
  });

  test('gives a lost refund up only after its key is closed, so that it cannot arrive later', async () => {
    const { relay, world, shop } = quiet;
    const id = await paidPayment(shop);
    const submission = new RegExp(`^POST /v1/refunds .*${id}`);
    const strikes = Array.from({ length: 50 }, () => relay.strike(submission, 'loseRequest'));
    const refundId = String((await refund(shop, id, { amountCents: 900 })).body.data?.['id']);
    await eventually(async () => (strikes.some((struck) => struck() > 0) ? true : undefined));
    await world.database.query(
      `UPDATE refunds SET submitted_at = now() - interval '13 hours' WHERE id = $1`,
      [refundId],
    );
    expect(await untilField(shop, `/v1/refunds/${refundId}`, 'status', 'failed')).toMatchObject({
      failureCode: 'refund_not_submitted',
    });
    const late = await fetch(`${world.networkUrl}/v1/refunds`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.settings.NETWORK_SERVICE_KEY}`,
        'content-type': 'application/json',
        'idempotency-key': refundId,
      },
      body: JSON.stringify({ paymentId: id, chargeKey: `${id}:1`, amountCents: 900 }),
    });
    expect(await late.json()).toMatchObject({ status: 'failed', failureCode: 'voided' });
    expect(await shop.read(id)).toMatchObject({ status: 'paid', refundedCents: 0 });
  });

  test.each(['loseAnswer', 'loseRequest', 'twice'] satisfies CallFault[])(
    'has one answer to a dispute when it meets %s, whatever was staged meanwhile',
    async (trouble) => {
      const { relay, world, shop } = quiet;
      const id = await paidPayment(shop);
      const opening = randomUUID();
      const opened = await retryWhileUnavailable(() =>
        keyed(shop, `/v1/sandbox/payments/${id}/disputes`, { reason: 'fraudulent' }, opening),
      );
      const dispute = `/v1/disputes/${String(opened.body.data?.['id'])}`;
      await shop.call('PUT', `${dispute}/evidence`, { evidence: { note: 'winning_evidence' } });
      const { rows } = await world.database.query<{ reference: string }>(
        'SELECT provider_reference AS reference FROM disputes WHERE payment_id = $1',
        [id],
      );
      const struck = relay.strike(new RegExp(` \\S*${rows[0]?.reference}\\S*/evidence `), trouble);
      const key = randomUUID();
      const [submitted, staged] = await Promise.all([
        keyed(shop, `${dispute}/submit`, undefined, key),
        eventually(async () => {
          const answer = await shop.call('PUT', `${dispute}/evidence`, {
            evidence: { note: 'winning_evidence' },
          });
          return answer.status === 200 ? undefined : answer;
        }),
      ]);
      expect([submitted.status, staged.status, struck()]).toEqual([200, 409, 1]);
      expect((await keyed(shop, `${dispute}/submit`, undefined, key)).text).toBe(submitted.text);
      expect(await untilField(shop, dispute, 'status', 'won')).toMatchObject({ resolution: 'decided' });
      expect(await shop.read(id)).toMatchObject({ status: 'disputeWon' });
    },
  );
});
