import { randomUUID } from 'node:crypto';
import { operations } from '../../../src/api/docs/document.ts';
import { requiredScope } from '../../../src/api/http/scope.ts';
import { newKey } from '../../../src/crypto/api-key.ts';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { rollKey } from '../../../src/db/merchants/merchant-keys.ts';
import { type Scope, includesScope, scopes } from '../../../src/domain/scopes.ts';
import { dataOf, idOf, keyed, paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { type Answer, Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let merchantId: string;
/** A shop with a full key. */
let shop: Shop;

beforeAll(async () => {
  world = await createWorld({ RATE_LIMITS: 'off', REFUND_DELAY_SECONDS: '3600' });
  merchantId = await world.merchant();
  shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
});
afterAll(() => world.close());

/** Returns a shop whose key has these limits. */
const limited = async (limits: { scopes?: Scope[]; refundCapCents?: number }): Promise<Shop> =>
  new Shop(world.baseUrl, await world.key(merchantId, 'sandbox', limits));

describe('a key with scopes', () => {
  it.each(scopes)('makes exactly the calls of %s: each operation, whatever exists', async (scope) => {
    const restricted = await limited({ scopes: [scope] });
    const call = (method: string, path: string): Promise<Answer> =>
      restricted.call(method, path, method === 'GET' ? undefined : {}, { 'idempotency-key': randomUUID() });
    for (const operation of operations) {
      const needed = requiredScope(operation);
      // The scope is checked before the id is read, so an impossible id shows it too.
      const path = operation.path.replace('{id}', 'no-id');
      const { status, body } = await call(operation.method.toUpperCase(), path);
      const isHeld = includesScope([scope], needed);
      const isRefused = body.error?.code === 'insufficient_scope' && body.error.message.includes(needed);
      expect([operation.id, isRefused, status === 403]).toEqual([operation.id, !isHeld, !isHeld]);
    }
  });

  it('reads with the scope to write, and with nothing else', () => {
    expect(includesScope(['refunds:write'], 'refunds:read')).toBe(true);
    expect(includesScope(['refunds:read'], 'refunds:write')).toBe(false);
    expect(includesScope(['payments:write'], 'refunds:read')).toBe(false);
  });

  it('does what its scopes allow', async () => {
    const reader = await limited({ scopes: ['payments:read'] });
    const id = await paidPayment(shop);
    expect((await reader.call('GET', `/v1/payments/${id}`)).status).toBe(200);
    expect((await refund(reader, id)).body.error).toMatchObject({ code: 'insufficient_scope' });
    const refunder = await limited({ scopes: ['refunds:write'] });
    expect((await refund(refunder, id)).status).toBe(201);
    expect((await refunder.call('GET', `/v1/payments/${id}`)).status).toBe(403);
  });

  it('is like one with another wrong key before that: 401', async () => {
    const unknown = new Shop(world.baseUrl, `${shop.key.slice(0, -1)}${shop.key.endsWith('A') ? 'B' : 'A'}`);
    expect((await unknown.call('GET', '/v1/payments')).status).toBe(401);
  });
});

describe('a key with a cap', () => {
  const give = (from: Shop, id: string, amountCents?: number): Promise<Answer> =>
    keyed(from, `/v1/payments/${id}/refunds`, amountCents === undefined ? {} : { amountCents }, randomUUID());

  it('refunds no more in a UTC day, however many refunds come at once', async () => {
    const capped = await limited({ refundCapCents: 1_000 });
    const ids = await Promise.all(Array.from({ length: 6 }, () => paidPayment(shop)));
    const answers = await Promise.all(ids.map((id) => give(capped, id, 300)));
    const codes = answers.map(({ status, body }) => body.error?.code ?? status);
    expect(codes.filter((code) => code === 201)).toHaveLength(3);
    expect(codes.filter((code) => code === 'cap_reached')).toHaveLength(3);
    const refused = answers.find(({ status }) => status === 403);
    expect(refused?.body.error?.message).toContain('1000 cents in a day, of which 100 are left');
    expect((await give(capped, ids[0] ?? '', 100)).status).toBe(201);
    // A refund without an amount refunds the whole payment.
    expect((await give(capped, await paidPayment(shop))).body.error).toMatchObject({ code: 'cap_reached' });
    // Refunds of another key do not count for this cap.
    expect((await give(shop, await paidPayment(shop))).status).toBe(201);
  });

  it('is given back what is canceled or failed, and a new day', async () => {
    const capped = await limited({ refundCapCents: 500 });
    const canceled = idOf(await give(capped, await paidPayment(shop), 500));
    expect((await give(capped, await paidPayment(shop), 1)).status).toBe(403);
    expect((await capped.call('POST', `/v1/refunds/${canceled}/cancel`)).status).toBe(200);
    const other = await paidPayment(shop);
    const failed = idOf(await give(capped, other, 500));
    expect((await give(capped, other, 1)).status).toBe(403);
    await world.database.query(
      `UPDATE refunds SET created_at = created_at - interval '1 day' WHERE id = $1`,
      [failed],
    );
    expect((await give(capped, await paidPayment(shop), 500)).status).toBe(201);
  });

  it('answers a repeated refund again, also at its cap', async () => {
    const capped = await limited({ refundCapCents: 500 });
    const id = await paidPayment(shop);
    const key = randomUUID();
    const first = await keyed(capped, `/v1/payments/${id}/refunds`, { amountCents: 500 }, key);
    const again = await keyed(capped, `/v1/payments/${id}/refunds`, { amountCents: 500 }, key);
    expect([again.status, dataOf(again)]).toEqual([201, dataOf(first)]);
  });

  it('passes its limits to the key that replaces it, and shares the cap with it', async () => {
    const capped = await limited({ scopes: ['payments:read', 'refunds:write'], refundCapCents: 500 });
    expect((await give(capped, await paidPayment(shop), 400)).status).toBe(201);
    const keyring = createKeyring(world.settings.ENCRYPTION_KEYS, world.settings.LOOKUP_KEYS);
    const { text, stored } = newKey(keyring, 'sandbox');
    const [, , id = ''] = capped.key.split('_');
    const by = {
      actor: { kind: 'operator', id: null, name: 'test', address: null },
      at: new Date(),
    } as const;
    const previous = {
      id,
      merchantId,
      environment: 'sandbox',
      endsAt: new Date(Date.now() + 60_000),
    } as const;
    expect(await rollKey(world.database, previous, stored, by)).toBe(true);
    const rolled = new Shop(world.baseUrl, text);
    expect((await give(rolled, await paidPayment(shop), 101)).body.error).toMatchObject({
      code: 'cap_reached',
    });
    expect((await give(rolled, await paidPayment(shop), 100)).status).toBe(201);
    expect((await give(capped, await paidPayment(shop), 1)).status).toBe(403);
    expect((await rolled.call('GET', '/v1/events')).body.error).toMatchObject({ code: 'insufficient_scope' });
  });
});

describe('Key-Scopes', () => {
  it('names what a key may do, also with a refusal, and says nothing about a key that does not work', async () => {
    const scopesOf = async (key: string, path = '/v1/payments'): Promise<string | null> =>
      (await new Shop(world.baseUrl, key).call('GET', path)).headers.get('key-scopes');
    const held = (await limited({ scopes: ['refunds:write', 'events:read'] })).key;
    expect(await scopesOf(shop.key)).toBe('full');
    expect(await scopesOf(held)).toBe('refunds:write, events:read');
    expect(await scopesOf(held, '/v1/refunds')).toBe('refunds:write, events:read');
    expect(await scopesOf('cps_sandbox_nonsense')).toBeNull();
  });
});

describe('the log of calls', () => {
  interface Calls {
    data: { path: string }[];
    meta: { nextCursor: string };
  }
  const read = async (key: string, query: string): Promise<Calls> => {
    const headers = { authorization: `Bearer ${key}` };
    return (await (await fetch(`${world.baseUrl}/v1/requests?${query}`, { headers })).json()) as Calls;
  };

  it('lists those of its merchant and environment, page by page, and nothing that was sent', async () => {
    // A merchant of its own: the calls of the tests before are still being written to the log.
    const caller = await world.merchant();
    const [full, key, stranger, live] = await Promise.all([
      world.key(caller, 'sandbox'),
      world.key(caller, 'sandbox', { scopes: ['events:read'] }),
      world.key(await world.merchant(), 'sandbox'),
      world.key(caller, 'live'),
    ]);
    const secret = randomUUID();
    for (let call = 0; call < 2; call += 1)
      await new Shop(world.baseUrl, full).call('GET', `/v1/payments/${secret}/timeline`);
    const path = '/v1/payments/{id}/timeline';
    // Two lines, because only then has the first of them a page after it.
    const found = await eventually(async () => {
      const calls = (await read(key, 'limit=100')).data.filter((call) => call.path === path);
      return calls.length === 2 ? calls[0] : undefined;
    });
    expect(found).toMatchObject({ method: 'GET', status: 404, errorCode: 'not_found' });
    expect(JSON.stringify(found)).not.toContain(secret);
    const first = await read(key, 'limit=1');
    const second = await read(key, `limit=1&cursor=${first.meta.nextCursor}`);
    expect(second.data).toHaveLength(1);
    expect(second.data).not.toEqual(first.data);
    for (const other of [stranger, live]) {
      expect((await read(other, 'limit=100')).data).not.toContainEqual(expect.objectContaining({ path }));
      expect(await read(other, `cursor=${first.meta.nextCursor}`)).toMatchObject({
        error: { code: 'invalid_query', field: 'cursor' },
      });
    }
  });
});
