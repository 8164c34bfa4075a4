import { randomUUID } from 'node:crypto';
import createClient from 'openapi-fetch';
import type { paths } from '../../../sdk/typescript/src/openapi.ts';
import { Shop, sendCard } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/*
 * A client that a merchant generates from the document, with the default openapi-typescript. Its types are
 * those of sdk/typescript, which a test compares with the generator's output for the document.
 */

let world: World;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

async function clientOf(): Promise<{ client: ReturnType<typeof createClient<paths>>; shop: Shop }> {
  const key = await world.key(await world.merchant(), 'sandbox');
  const headers = { Authorization: `Bearer ${key}` };
  return {
    client: createClient<paths>({ baseUrl: world.baseUrl, headers }),
    shop: new Shop(world.baseUrl, key),
  };
}

describe('a client that is generated from the document', () => {
  it("makes the README's payment", async () => {
    const { client } = await clientOf();
    const { data: created } = await client.POST('/v1/payments', {
      params: { header: { 'Idempotency-Key': randomUUID() } },
      body: {
        amountCents: 2500,
        currency: 'USD',
        reference: 'order-1001',
        successUrl: 'http://127.0.0.1:3000/demo/thanks',
        cancelUrl: 'https://shop.example/cart',
      },
    });
    expect(created?.data.checkoutUrl).toContain(`${world.baseUrl}/c/`);
    const path = { id: created?.data.id ?? '' };
    await client.POST('/v1/sandbox/payments/{id}/outcome', {
      params: { path, header: { 'Idempotency-Key': randomUUID() } },
      body: { outcome: 'paid' },
    });
    const { data: read } = await client.GET('/v1/payments/{id}', { params: { path } });
    expect(read?.data.status).toBe('paid');
  });

  it('pays by card capture, and knows the results of an attempt by their status', async () => {
    const { client, shop } = await clientOf();
    const path = { id: await shop.customPayment() };
    const { data: checkout } = await client.POST('/v1/payments/{id}/capture', { params: { path } });
    if (checkout?.data.capture === undefined) throw new Error('there is no capture access');
    const body = await sendCard(checkout.data.capture, '4000000000000002');
    const { data: attempt } = await client.POST('/v1/payments/{id}/pay', { params: { path }, body });
    expect(attempt?.data.status === 'failed' && attempt.data.failureCode).toBe('card_declined');
  });

  it('gets a refusal as the one error of the document', async () => {
    const { client } = await clientOf();
    const { error, response } = await client.GET('/v1/payments/{id}', {
      params: { path: { id: randomUUID() } },
    });
    expect([response.status, error?.error.code]).toEqual([404, 'not_found']);
  });
});
