import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { ChargeRequest, PaymentNetwork } from '../../src/providers/ports.ts';
import { createStripe, createStripeAgent } from '../../src/providers/stripe/client.ts';
import { createStripeNetwork } from '../../src/providers/stripe/network.ts';
import { createStripeRefunds } from '../../src/providers/stripe/refunds.ts';
import { freePorts } from '../support/free-ports.ts';

/** A key that no text may hold. */
const secretKey = 'sk_test_51NeverInAText0000000000';
type Reply = (request: IncomingMessage, response: ServerResponse) => void;

const agent = createStripeAgent();
let reply: Reply = (_request, response) => void response.end('{}');
let seen: { call: string; key: string | undefined; body: string }[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    const key = request.headers['idempotency-key'];
    seen.push({ call: `${request.method} ${request.url?.replace(/\?.*/, '')}`, key: key as string, body });
    reply(request, response);
  });
});
let apiBase = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  apiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await agent.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen = [];
});

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (_request, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));

const attempt: ChargeRequest = (() => {
  const paymentId = randomUUID();
  return {
    key: `${paymentId}:2`,
    paymentId,
    merchantId: randomUUID(),
    environment: 'live',
    amountCents: 2_500,
    method: 'card',
    cardToken: 'tok',
    cardReference: 'cap_1',
    customer: { name: 'Ann Example', email: 'ann@example.test', documentNumber: '123', phone: '555' },
    checkoutExpiresAt: new Date(0).toISOString(),
    returnUrl: 'https://pay.example/a/secret/return',
    providerReference: 'pi_1',
  };
})();

const intent = (more: Record<string, unknown>) => ({
  id: 'pi_1',
  object: 'payment_intent',
  amount: 2_500,
  amount_received: 0,
  currency: 'usd',
  client_secret: 'pi_1_secret',
  metadata: { paymentId: attempt.paymentId, attempt: '2' },
  last_payment_error: null,
  latest_charge: null,
  next_action: null,
  payment_method: null,
  status: 'requires_confirmation',
  ...more,
});

const stripe = () => createStripe({ secretKey, apiBase, agent });
const network = (): PaymentNetwork =>
  createStripeNetwork({
    stripe: stripe(),
    publishableKey: 'pk_test_1',
    makePaymentMethod: async () => ({ status: 'made', paymentMethod: 'pm_1', card: null }),
  });

/** Throws nothing definite, and says nothing secret. */
const expectDoubt = async (call: Promise<unknown>): Promise<{ retryAfterMs?: number }> => {
  const error: unknown = await call.then(
    (value) => Promise.reject(new Error(`answered ${JSON.stringify(value)}`)),
    (fault: unknown) => fault,
  );
  expect(error).toMatchObject({ name: 'ProviderUnavailable', sent: true });
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('NeverInAText');
  return error as { retryAfterMs?: number };
};

describe('an answer of Stripe that proves nothing', () => {
  it.each<[string, Reply]>([
    ['HTML', (_, response) => void response.writeHead(200).end('<html>Sorry</html>')],
    ['HTML with 502', (_, response) => void response.writeHead(502).end('<html>Bad gateway</html>')],
    [
      'half a body',
      (_, response) => {
        response.writeHead(200, { 'content-length': '5000' });
        response.write(JSON.stringify(intent({ status: 'succeeded' })).slice(0, 80), () =>
          response.socket?.destroy(),
        );
      },
    ],
    ['a redirect', (_, response) => void response.writeHead(302, { location: apiBase }).end()],
    ['a key in use', json(409, { error: { type: 'idempotency_error', message: `in use ${secretKey}` } })],
    ['another request under the key', json(400, { error: { type: 'idempotency_error', message: 'x' } })],
    ['a server error', json(500, { error: { type: 'api_error', message: secretKey } })],
    [
      'a refused key',
      json(401, { error: { type: 'invalid_request_error', message: `Expired ${secretKey}` } }),
    ],
    [
      'an expired key',
      json(401, { error: { type: 'invalid_request_error', code: 'api_key_expired', message: secretKey } }),
    ],
    [
      'a missing capability',
      json(403, { error: { type: 'invalid_request_error', message: `${secretKey} may not charge cards` } }),
    ],
    ['a dead connection', (request) => void request.socket.destroy()],
  ])('is %s: the outcome is unknown, and no call is repeated', async (_, answer) => {
    reply = answer;
    await expectDoubt(network().charge(attempt));
    expect(seen).toHaveLength(1);
  });

  it.each<[string, Reply]>([
    ['another intent', json(200, intent({ id: 'pi_2', status: 'succeeded', amount_received: 2_500 }))],
    [
      'another payment',
      json(200, intent({ metadata: { paymentId: randomUUID(), attempt: '2' }, status: 'succeeded' })),
    ],
    [
      'another attempt',
      json(200, intent({ metadata: { paymentId: attempt.paymentId, attempt: '1' }, status: 'succeeded' })),
    ],
    ['an unknown status', json(200, intent({ status: 'settling' }))],
    ['money that is only held', json(200, intent({ status: 'requires_capture' }))],
  ])('is %s: the charge is unreadable, and no call is repeated', async (_, answer) => {
    reply = answer;
    expect(await network().charge(attempt)).toMatchObject({ status: 'unreadable' });
    expect(seen).toHaveLength(1);
  });

  it('is 429 with the time to wait', async () => {
    reply = json(
      429,
      { error: { type: 'invalid_request_error', code: 'rate_limit' } },
      { 'retry-after': '7' },
    );
    expect((await expectDoubt(network().charge(attempt))).retryAfterMs).toBe(7_000);
    expect(seen).toHaveLength(1);
  });

  it('is a failed connection: nothing was sent', async () => {
    const [port] = await freePorts(1);
    const closed = createStripe({ secretKey, apiBase: `http://127.0.0.1:${port}`, agent });
    const unreachable = createStripeRefunds(closed);
    const refund = { key: 'k', paymentId: 'p', chargeKey: 'c', chargeReference: 'pi_1', amountCents: 1 };
    await expect(unreachable.refund(refund)).rejects.toMatchObject({ sent: false });
  });
});

describe('a capture at Stripe', () => {
  it.each([
    [{ id: 'ch_1', created: 1_700_000_000 }, 1_700_000_000_000],
    [{ id: 'ch_1', created: 'yesterday' }, null],
    ['ch_1', null],
    [null, null],
  ])('is of the instant of its charge: %j', async (latestCharge, capturedAtMs) => {
    const amounts = { status: 'succeeded', amount_received: 2_500 };
    reply = json(200, intent({ ...amounts, latest_charge: latestCharge }));
    expect(await network().lookup(attempt)).toMatchObject({ status: 'captured', capturedAtMs });
  });
});

describe('an answer of Stripe about a refund that proves nothing', () => {
  const request = {
    key: randomUUID(),
    paymentId: attempt.paymentId,
    chargeKey: attempt.key,
    chargeReference: 'pi_1',
    amountCents: 900,
  };
  const refund = (more: object) => ({
    id: 're_1',
    object: 'refund',
    amount: 900,
    currency: 'usd',
    metadata: { paymentId: attempt.paymentId, refundId: request.key },
    status: 'succeeded',
    ...more,
  });

  it.each<[string, Reply]>([
    ['HTML', (_, response) => void response.writeHead(200).end('<html>Sorry</html>')],
    [
      'half a body',
      (_, response) => {
        response.writeHead(200, { 'content-length': '5000' });
        response.write(JSON.stringify(refund({})).slice(0, 40), () => response.socket?.destroy());
      },
    ],
    ['an unknown status', json(200, refund({ status: 'settling' }))],
    ['another amount', json(200, refund({ amount: 901 }))],
    ['another currency', json(200, refund({ currency: 'eur' }))],
    ['another refund', json(200, refund({ metadata: { refundId: randomUUID() } }))],
    ['a key in use', json(409, { error: { type: 'idempotency_error', message: secretKey } })],
    ['too many requests', json(429, { error: { type: 'invalid_request_error', message: secretKey } })],
    ['a server error', json(503, { error: { type: 'api_error', message: secretKey } })],
    ['a refused key', json(401, { error: { type: 'invalid_request_error', message: secretKey } })],
    ['a missing capability', json(403, { error: { type: 'invalid_request_error', message: secretKey } })],
  ])('is %s: neither refunded nor refused, and sent once', async (_, answer) => {
    reply = answer;
    await expectDoubt(createStripeRefunds(stripe()).refund(request));
    expect(seen).toHaveLength(1);
  });

  it('is a refusal only where Stripe answers that the request is wrong', async () => {
    reply = json(400, { error: { type: 'invalid_request_error', code: 'charge_already_refunded' } });
    expect(await createStripeRefunds(stripe()).refund(request)).toBe('refused');
  });
});

it('refunds behind the cursor are those of the last hour, however old the newest one is', async () => {
  const now = new Date('2026-01-01T12:00:00Z');
  const made = (id: string, minutesAgo: number) => ({
    ...{ id, object: 'refund', status: 'succeeded', payment_intent: `pi_of_${id}`, metadata: {} },
    created: now.getTime() / 1_000 - minutesAgo * 60,
  });
  const behind = async (...data: object[]) => {
    reply = json(200, { object: 'list', url: '/v1/refunds', has_more: false, data });
    const { elsewhere } = createStripeRefunds(stripe());
    return (await elsewhere?.listRefundsBehind('re_9', now))?.map(({ reference }) => reference);
  };
  expect(await behind(made('re_3', 59), made('re_2', 61))).toEqual(['re_3']);
  expect(await behind(made('re_2', 61), made('re_1', 62))).toEqual([]);
});

describe('an answer of Stripe', () => {
  it('about another amount or currency is returned unchanged, and the service distrusts it', async () => {
    reply = json(200, intent({ status: 'succeeded', amount_received: 2_499 }));
    expect(await network().charge(attempt)).toMatchObject({ status: 'captured', amountCents: 2_499 });
    reply = json(200, intent({ status: 'succeeded', amount_received: 2_500, currency: 'eur' }));
    expect(await network().charge(attempt)).toMatchObject({ currency: 'EUR' });
  });

  it('is a decline by the code in the answer', async () => {
    const last_payment_error = { type: 'card_error', code: 'card_declined', decline_code: 'stolen_card' };
    const declined = intent({ status: 'requires_payment_method', last_payment_error });
    reply = json(402, { error: { ...last_payment_error, payment_intent: declined } });
    expect(await network().charge(attempt)).toMatchObject({
      status: 'failed',
      failureCode: 'stolen_card',
      message: null,
    });
  });

  it('that the charge cannot be cancelled is followed by reading the charge', async () => {
    reply = (request, response) =>
      request.method === 'POST'
        ? json(400, { error: { type: 'invalid_request_error', code: 'payment_intent_unexpected_state' } })(
            request,
            response,
          )
        : json(200, intent({ status: 'succeeded', amount_received: 2_500 }))(request, response);
    expect(await network().cancel(attempt)).toMatchObject({ status: 'captured' });
  });
});

describe('a request to Stripe', () => {
  it('has a key of its own for each call, and no data of the customer', async () => {
    reply = json(200, intent({}));
    await network().prepare?.(attempt);
    reply = json(200, intent({ status: 'succeeded', amount_received: 2_500 }));
    await network().charge(attempt);
    expect(seen.map(({ call, key }) => [call, key])).toEqual([
      ['POST /v1/payment_intents', `${attempt.key}:create`],
      ['POST /v1/payment_intents/pi_1/confirm', attempt.key],
    ]);
    const created = new URLSearchParams(seen[0]?.body);
    expect(Object.fromEntries(created)).toEqual({
      amount: '2500',
      currency: 'usd',
      payment_method: 'pm_1',
      'automatic_payment_methods[enabled]': 'false',
      capture_method: 'automatic',
      confirm: 'false',
      'metadata[merchantId]': attempt.merchantId,
      'metadata[paymentId]': attempt.paymentId,
      'metadata[attempt]': '2',
    });
    const sent = seen.map(({ body }) => decodeURIComponent(body)).join();
    // Random ids may contain any digits.
    expect(sent.replaceAll(/[0-9a-f-]{36}/g, 'ID')).not.toMatch(/Ann|ann@|555|123/);
  });
});
