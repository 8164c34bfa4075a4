import { randomUUID } from 'node:crypto';
import { createProviderRefundActivities } from '../../../src/activities/provider-refunds.ts';
import { createRefundActivities } from '../../../src/activities/refunds.ts';
import { listConnectors } from '../../../src/db/merchants/connectors.ts';
import {
  dueRefundHints,
  recordRefundHintChecks,
  scheduleRefundRead,
  storeListedRefunds,
} from '../../../src/db/refunds/provider-refund-hints.ts';
import type { Connectors, ProviderPorts } from '../../../src/providers/connectors.ts';
import { ProviderUnavailable } from '../../../src/providers/ports.ts';
import type { FoundRefund, RefundNetwork, RefundsElsewhere } from '../../../src/providers/refund-port.ts';
import { createSweepAlerts } from '../../../src/sweeps/alerts.ts';
import { createProviderRefundSweep } from '../../../src/sweeps/sweep-provider-refunds.ts';
import { createTestLogger } from '../../support/logger.ts';
import { ownConnector } from '../../support/own-connector.ts';
import { partial } from '../../support/partial.ts';
import { jsonData } from '../../support/answers.ts';
import { dataOf, disputeOf, idOf, paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

const twelveHoursMs = 12 * 3_600_000;

let world: World;
let shop: Shop;

beforeAll(async () => {
  // No refund is sent automatically. The tests advance them, with their own network.
  world = await createWorld({ REFUND_DELAY_SECONDS: '604800' });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

/** A provider's records of one charge, and the network of a connector that reads them. */
class Provider {
  found: FoundRefund[] = [];
  /** The answer to a new refund. */
  answer: () => Promise<'refused'> = () => Promise.reject(new ProviderUnavailable('network', true, 'away'));
  sent = 0;
  readonly dispatched: string[] = [];
  now = Date.now();

  readonly #refunds: RefundNetwork = {
    refund: async () => {
      this.sent += 1;
      return this.answer();
    },
    lookupRefund: async (request) => {
      const own = this.found.find(({ key }) => key === request.key);
      return own ? { ...request, status: own.status, failureCode: own.failureCode } : null;
    },
    voidRefund: null,
    elsewhere: {
      listNewRefunds: async (cursor) => ({ refunds: [], cursor, more: false }),
      listRefundsBehind: async () => [],
      refundsOf: async () => this.found,
    },
  };
  readonly #deps = {
    database: world.database,
    connectors: partial<Connectors>({
      portsOf: async () => partial<ProviderPorts>({ refunds: this.#refunds }),
    }),
    webhooks: { dispatch: (id: string) => void this.dispatched.push(id) },
    now: () => this.now,
  };
  readonly takeIn = (paymentId: string) =>
    createProviderRefundActivities(this.#deps).recordProviderRefunds({ paymentId });
  readonly follow = (refundId: string) => createRefundActivities(this.#deps).followRefund({ refundId });

  add(reference: string, amountCents: number, more: Partial<FoundRefund> = {}): void {
    const made = { key: null, reason: null, status: 'succeeded', failureCode: null } as const;
    this.found.push({ reference, amountCents, ...made, ...more });
  }
}

/** Creates a paid payment of 25 dollars, of a network that names its charges. */
async function paidAt(number?: string): Promise<string> {
  const id = await paidPayment(shop, number);
  await world.database.query(`UPDATE attempts SET provider_reference = $2 WHERE payment_id = $1`, [
    id,
    `pi_${id}`,
  ]);
  return id;
}

let references = 0;
const newReference = (): string => `re_${Date.now()}_${(references += 1)}`;

const refundsOf = async (id: string) =>
  jsonData(await shop.call('GET', `/v1/refunds?paymentId=${id}`)) as Record<string, unknown>[];
const eventsOf = async (id: string): Promise<string[]> => {
  const { rows } = await world.database.query<{ type: string }>(
    'SELECT type FROM events WHERE payment_id = $1 ORDER BY sequence',
    [id],
  );
  return rows.map(({ type }) => type);
};

describe('a refund that was made at the provider', () => {
  test('is recorded once as the payment’s refund, with its events and its origin', async () => {
    const id = await paidAt();
    const provider = new Provider();
    const reference = newReference();
    provider.add(reference, 700, { reason: 'requestedByCustomer' });
    await Promise.all(Array.from({ length: 10 }, () => provider.takeIn(id)));
    await provider.takeIn(id);

    expect(await shop.read(id)).toMatchObject({ status: 'partiallyRefunded', refundedCents: 700 });
    const [made, ...more] = await refundsOf(id);
    expect(more).toEqual([]);
    expect(made).toMatchObject({
      amountCents: 700,
      status: 'succeeded',
      reason: 'requestedByCustomer',
      metadata: { cause: 'made_at_provider', providerReference: reference },
    });
    expect((await eventsOf(id)).slice(-3)).toEqual([
      'refund.created',
      'refund.succeeded',
      'payment.partiallyRefunded',
    ]);
    const { rows } = await world.database.query(
      `SELECT actor_kind AS kind, action FROM audit_entries WHERE subject_id = $1`,
      [made?.['id']],
    );
    expect(rows).toEqual([{ kind: 'provider', action: 'refund.created' }]);
  });

  test('counts against the refundable amount, so that refunds never exceed the payment', async () => {
    const id = await paidAt();
    const provider = new Provider();
    provider.add(newReference(), 2_000);
    await provider.takeIn(id);
    const tooMuch = await refund(shop, id, { amountCents: 501 });
    expect([tooMuch.status, tooMuch.body.error]).toMatchObject([422, { field: 'amountCents' }]);
    expect((await refund(shop, id, { amountCents: 500 })).status).toBe(201);
  });

  test('that is undecided is queried there, and never sent', async () => {
    const id = await paidAt();
    const provider = new Provider();
    const reference = newReference();
    provider.add(reference, 2_500, { status: 'pending' });
    await provider.takeIn(id);
    expect(await shop.read(id)).toMatchObject({ status: 'paid', refundedCents: 0 });
    const refundId = String((await refundsOf(id))[0]?.['id']);
    expect(await provider.follow(refundId)).toMatchObject({ status: 'pending' });

    provider.found = provider.found.map((each) => ({ ...each, status: 'succeeded' }));
    expect(await provider.follow(refundId)).toMatchObject({ status: 'succeeded', paymentStatus: 'refunded' });
    expect(await shop.read(id)).toMatchObject({ status: 'refunded', refundedCents: 2_500 });

    // The customer's bank returns the money.
    provider.found = provider.found.map((each) => ({ ...each, status: 'failed' }));
    expect(await provider.follow(refundId)).toMatchObject({ status: 'failed', paymentStatus: 'paid' });
    expect(await shop.read(id)).toMatchObject({ status: 'paid', refundedCents: 0 });
    expect(provider.sent).toBe(0);
    const canceled = await shop.call('POST', `/v1/refunds/${refundId}/cancel`);
    expect(canceled.body.error).toMatchObject({ code: 'refund_not_cancelable' });
  });

  test('is not mixed up with the refunds that were made here', async () => {
    const id = await paidAt();
    const own = idOf(await refund(shop, id, { amountCents: 300 }));
    const provider = new Provider();
    provider.add(newReference(), 300, { key: own });
    await provider.takeIn(id);
    expect(await refundsOf(id)).toHaveLength(1);
    // The id of another installation, or one that a backup lacks. These rows did not create the refund then.
    provider.add(newReference(), 200, { key: 'b3ad4e37-52f4-4df0-94e3-3f1a6a8a7f1c' });
    await provider.takeIn(id);
    expect(await shop.read(id)).toMatchObject({ refundedCents: 200 });
  });

  test('leaves an open dispute open', async () => {
    const id = await paidAt('4000000000000259');
    await disputeOf(shop, id);
    const provider = new Provider();
    provider.add(newReference(), 1_000);
    await provider.takeIn(id);
    expect(await shop.read(id)).toMatchObject({ status: 'disputed', refundedCents: 1_000 });
  });

  test('that failed before it was first read is not recorded', async () => {
    const id = await paidAt();
    const provider = new Provider();
    provider.add(newReference(), 1_000, { status: 'failed', failureCode: 'refund_rejected' });
    await provider.takeIn(id);
    expect(await refundsOf(id)).toEqual([]);
  });

  test('beyond the paid amount is not recorded before the others were read again', async () => {
    const id = await paidAt();
    const provider = new Provider();
    provider.add(newReference(), 2_500);
    await provider.takeIn(id);
    const earlier = String((await refundsOf(id))[0]?.['id']);
    // The first refund was returned, which the rows do not show yet, and another one was created.
    provider.found = provider.found.map((each) => ({ ...each, status: 'failed' }));
    const second = newReference();
    const [came] = provider.found;
    provider.found = [];
    provider.add(second, 2_500);
    await expect(provider.takeIn(id)).rejects.toThrow(`${second} too_much`);
    expect(await shop.read(id)).toMatchObject({ refundedCents: 2_500 });
    const { rows } = await world.database.query<{ due: boolean }>(
      'SELECT next_check_at <= $2 AS due FROM refunds WHERE id = $1',
      [earlier, new Date(provider.now)],
    );
    expect(rows).toEqual([{ due: true }]);
    if (came) provider.found.push(came);
    await provider.follow(earlier);
    await provider.takeIn(id);
    expect(await shop.read(id)).toMatchObject({ status: 'refunded', refundedCents: 2_500 });
  });

  test('that came back, before the rows know it, delays a refund of ours for a minute at most', async () => {
    const id = await paidAt();
    const own = idOf(await refund(shop, id, { amountCents: 2_500 }));
    const provider = new Provider();
    provider.add(newReference(), 2_500);
    await provider.takeIn(id);
    const earlier = String((await refundsOf(id)).find((one) => one['id'] !== own)?.['id']);
    // The customer's bank returned the first one, so the provider accepted ours.
    provider.found = provider.found.map((each) => ({ ...each, status: 'failed' }));
    provider.add(newReference(), 2_500, { key: own });
    await expect(provider.follow(own)).rejects.toThrow(ProviderUnavailable);
    expect(await provider.follow(own)).toMatchObject({ status: 'pending', nextLookInMs: 60_000 });
    const { rows } = await world.database.query<{ due: boolean }>(
      'SELECT next_check_at <= $2 AS due FROM refunds WHERE id = $1',
      [earlier, new Date(provider.now)],
    );
    expect(rows).toEqual([{ due: true }]);
    expect(await provider.follow(earlier)).toMatchObject({ status: 'failed' });
    expect(await provider.follow(own)).toMatchObject({ status: 'succeeded', paymentStatus: 'refunded' });
    expect(await shop.read(id)).toMatchObject({ status: 'refunded', refundedCents: 2_500 });
  });

  test('waits for the payment to be paid here', async () => {
    const id = await shop.customPayment();
    const provider = new Provider();
    provider.add(newReference(), 100);
    await expect(provider.takeIn(id)).rejects.toThrow('not paid in the rows');
    expect(await refundsOf(id)).toEqual([]);
  });
});

describe('the sweep of the provider’s refunds', () => {
  test('reads a refund that was listed out of order, behind the cursor', async () => {
    const merchantId = await world.merchant();
    await ownConnector(world, merchantId, 'sandbox', randomUUID());
    const [connector] = await listConnectors(world.database, { merchantId }, null, 1);
    const id = await paidAt();
    await world.database.query(
      `BEGIN; SET LOCAL session_replication_role = 'replica';
       UPDATE payments SET connector_id = '${connector?.id}' WHERE id = '${id}'; COMMIT`,
    );
    const ordered = (reference: string) => ({ reference, key: null, chargeReference: `pi_${id}` });
    const listed = ['re_1'];
    let nowMs = Date.now();
    const read: string[] = [];
    const elsewhere: RefundsElsewhere = {
      listNewRefunds: async (cursor) => {
        const newer = cursor === null ? listed : listed.slice(listed.indexOf(cursor) + 1);
        return { refunds: [], cursor: newer.at(-1) ?? cursor, more: false };
      },
      listRefundsBehind: async (cursor) => listed.slice(0, listed.indexOf(cursor)).map(ordered),
      refundsOf: async () => [],
    };
    const sweep = createProviderRefundSweep({
      database: world.database,
      connectors: {
        simulated: [],
        portsOf: async () =>
          partial<ProviderPorts>({ refunds: partial<ProviderPorts['refunds']>({ elsewhere }) }),
      },
      network: { recordProviderRefunds: async ({ paymentId }) => void read.push(paymentId) },
      alerts: createSweepAlerts({ database: world.database, logger: createTestLogger([]), now: () => nowMs }),
      now: () => nowMs,
      everyMs: 1_000,
    });
    const turn = async (): Promise<void> => {
      nowMs += 120_000;
      await sweep.run(() => true);
      nowMs += 1_000;
      await sweep.run(() => true);
    };
    await turn();
    expect(read).not.toContain(id);
    listed.unshift('re_late');
    await turn();
    expect(read).toContain(id);
  });
});

describe('a hint about a payment’s refunds', () => {
  test('from behind the cursor is of a paid attempt, and keeps the back-off of one that does not fit', async () => {
    const merchantId = await world.merchant();
    await ownConnector(world, merchantId, 'sandbox', randomUUID());
    const [connector] = await listConnectors(world.database, { merchantId }, null, 1);
    const connectorId = connector?.id ?? '';
    const [paid, unpaid] = [await paidAt(), await paidAt()];
    await world.database.query(
      `BEGIN; SET LOCAL session_replication_role = 'replica';
       UPDATE payments SET connector_id = '${connectorId}' WHERE id IN ('${paid}', '${unpaid}');
       UPDATE attempts SET status = 'declined' WHERE payment_id = '${unpaid}'; COMMIT`,
    );
    const at = new Date('2031-01-01T00:00:00Z');
    const takeIn = (lists: { refunds?: string[]; behind?: string[] }, now: Date): Promise<void> => {
      const listed = (ids: string[] = []) =>
        ids.map((id) => ({ reference: `re_of_${id}`, key: null, chargeReference: `pi_${id}` }));
      const page = { provider: `stripe:${connectorId}`, cursor: 're_1' };
      const [refunds, behind] = [listed(lists.refunds), listed(lists.behind)];
      return storeListedRefunds(world.database, connectorId, { ...page, refunds, behind }, now);
    };
    const due = async (now: Date): Promise<string[]> =>
      (await dueRefundHints(world.database, now, 100))
        .map(({ id }) => id)
        .filter((id) => id === paid || id === unpaid);

    await takeIn({ behind: [paid, unpaid] }, at);
    expect(await due(at)).toEqual([paid]);
    const later = new Date(at.getTime() + 600_000);
    await recordRefundHintChecks(world.database, [{ id: paid, at: later, failures: 1 }], at);
    await takeIn({ behind: [paid] }, new Date(at.getTime() + 1_000));
    expect(await due(new Date(at.getTime() + 2_000))).toEqual([]);
    expect(await due(later)).toEqual([paid]);
    // A refund that is listed for the first time is read at once.
    await takeIn({ refunds: [paid] }, new Date(at.getTime() + 3_000));
    expect(await due(new Date(at.getTime() + 3_000))).toEqual([paid]);
  });

  test('is processed until a check succeeds, and again when another hint arrives meanwhile', async () => {
    const id = await paidAt();
    const at = new Date('2030-01-01T00:00:00Z');
    const due = async (now: Date) => (await dueRefundHints(world.database, now, 100)).map((one) => one.id);
    await scheduleRefundRead(world.database, id, at);
    await scheduleRefundRead(world.database, id, at);
    expect((await due(at)).filter((one) => one === id)).toEqual([id]);

    const later = new Date(at.getTime() + 60_000);
    await recordRefundHintChecks(world.database, [{ id, at: later, failures: 1 }], at);
    expect(await due(at)).not.toContain(id);
    await scheduleRefundRead(world.database, id, new Date(at.getTime() + 1_000));
    // The check began before the second hint, so it may have read too early.
    await recordRefundHintChecks(world.database, [{ id, at: null, failures: 0 }], at);
    expect(await due(later)).toContain(id);
    await recordRefundHintChecks(world.database, [{ id, at: null, failures: 0 }], later);
    expect(await due(later)).not.toContain(id);
  });
});

describe('a refund without a trace at a network that closes no keys', () => {
  const lost = async () => {
    const id = await paidAt();
    const refundId = idOf(await refund(shop, id, { amountCents: 900 }));
    const provider = new Provider();
    await expect(provider.follow(refundId)).rejects.toThrow(ProviderUnavailable);
    return { id, refundId, provider };
  };
  const statusOf = async (refundId: string) =>
    dataOf(await shop.call('GET', `/v1/refunds/${refundId}`))['status'];

  test('never fails by its age: it is queried and sent again', async () => {
    const { refundId, provider } = await lost();
    for (const hours of [12, 24, 24 * 30]) {
      provider.now = Date.now() + (hours / 12) * twelveHoursMs + 1;
      await expect(provider.follow(refundId)).rejects.toThrow(ProviderUnavailable);
      expect(await statusOf(refundId)).toBe('pending');
    }
    expect(provider.sent).toBe(4);
    // It had arrived after all.
    provider.add(newReference(), 900, { key: refundId });
    expect(await provider.follow(refundId)).toMatchObject({ status: 'succeeded' });
    expect(provider.sent).toBe(4);
  });

  test('fails once the network refuses it and lists none', async () => {
    const { id, refundId, provider } = await lost();
    provider.answer = async () => 'refused';
    expect(await provider.follow(refundId)).toMatchObject({ status: 'failed' });
    expect(await shop.read(id)).toMatchObject({ status: 'paid', refundedCents: 0 });
  });

  test('succeeds where the refusal is caused by an earlier send', async () => {
    const { refundId, provider } = await lost();
    provider.answer = async () => {
      provider.add(newReference(), 900, { key: refundId });
      return 'refused';
    };
    expect(await provider.follow(refundId)).toMatchObject({ status: 'succeeded' });
  });
});
