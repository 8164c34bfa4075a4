import { randomUUID } from 'node:crypto';
import { operations } from '../../../src/api/docs/document.ts';
import type { Operation } from '../../../src/api/http/operation.ts';
import { requiredScope } from '../../../src/api/http/scope.ts';
import type { Scope } from '../../../src/domain/scopes.ts';
import { dataOf, idOf, keyed, paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { sampleBody } from '../../support/sample-body.ts';
import { type Answer, Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

const unknown = '01980a5d-1b2c-7d4e-8f90-a1b2c3d4e5f6';
const named = operations.filter(({ path }) => path.includes('{id}'));

let world: World;
/** Ids of a merchant's sandbox, by the segment of the path before the id. */
let things: Record<string, string>;
let owner: string;
let other: string;
beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '3600' });
  [owner, other] = [await world.merchant(), await world.merchant()];
  const shop = new Shop(world.baseUrl, await world.key(owner, 'sandbox'));
  const payment = await paidPayment(shop);
  const { body } = await shop.call('GET', `/v1/events?paymentId=${payment}`);
  things = {
    payments: payment,
    refunds: String(dataOf(await refund(shop, payment, { amountCents: 500 }))['id']),
    disputes: idOf(
      await keyed(shop, `/v1/sandbox/payments/${await paidPayment(shop)}/disputes`, { reason: 'fraudulent' }),
    ),
    'webhook-endpoints': idOf(
      await shop.call('POST', '/v1/webhook-endpoints', { url: 'https://shop.example/hook' }),
    ),
    events: String(body.data?.['0']?.['id']),
    'payment-links': idOf(await keyed(shop, '/v1/payment-links', { ...sampleBody('createPaymentLink') })),
  };
});
afterAll(() => world.close());

const call = (operation: Operation, shop: Shop, of: string): Promise<Answer> => {
  const { id, method, path } = operation;
  const body = method === 'get' || method === 'delete' ? undefined : (sampleBody(id) ?? {});
  return shop.call(method.toUpperCase(), path.replace('{id}', of), body, { 'idempotency-key': randomUUID() });
};
const thingOf = ({ path }: Operation): string => {
  const kind = /([a-z-]+)\/\{id\}/.exec(path)?.[1] ?? '';
  return things[kind] ?? '';
};
/** Returns everything that a call could change. */
const state = async (): Promise<string> => {
  const { rows } = await world.database.query<{ state: string }>(
    `SELECT json_build_array(
       (SELECT json_agg(p ORDER BY id) FROM (SELECT id, status, checkout_status, version FROM payments) p),
       (SELECT json_agg(r ORDER BY id) FROM (SELECT id, status FROM refunds) r),
       (SELECT json_agg(d ORDER BY id) FROM (SELECT id, status, evidence::text FROM disputes) d),
       (SELECT json_agg(w ORDER BY id) FROM (SELECT id, status, url, updated_at FROM webhook_endpoints) w),
       (SELECT json_agg(l ORDER BY id) FROM (SELECT id, active FROM payment_links) l),
       (SELECT count(*) FROM webhook_deliveries),
       (SELECT json_agg(h ORDER BY merchant_id) FROM (SELECT merchant_id, sequence FROM audit_heads) h))::text AS state`,
  );
  return rows[0]?.state ?? '';
};

it('knows an object of every operation that names one', () => {
  expect(named.length).toBeGreaterThan(25);
  expect(named.filter((operation) => thingOf(operation) === '').map(({ id }) => id)).toEqual([]);
});

it.each([
  ['another merchant', 'other', 'sandbox'],
  ['another merchant in live', 'other', 'live'],
  ['the other environment', 'owner', 'live'],
] as const)(
  '%s gets the answer of an unknown id to every operation, with any key',
  async (_who, who, environment) => {
    const merchantId = who === 'other' ? other : owner;
    const full = new Shop(world.baseUrl, await world.key(merchantId, environment));
    const restricted = new Map<Scope, Shop>();
    for (const scope of new Set(named.map(requiredScope))) {
      restricted.set(
        scope,
        new Shop(world.baseUrl, await world.key(merchantId, environment, { scopes: [scope] })),
      );
    }
    const before = await state();
    for (const operation of named) {
      const none = operation.idOf === 'event' ? `evt_${'A'.repeat(24)}` : unknown;
      for (const shop of [full, restricted.get(requiredScope(operation)) ?? full]) {
        const [foreign, nothing] = [
          await call(operation, shop, thingOf(operation)),
          await call(operation, shop, none),
        ];
        expect([operation.id, foreign.status, foreign.body]).toEqual([
          operation.id,
          nothing.status,
          nothing.body,
        ]);
        expect([operation.id, foreign.status]).toEqual([operation.id, 404]);
      }
    }
    expect(await state()).toBe(before);
  },
);
