import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { call, until } from '../../../support/simulators.ts';
import { SECRET_KEY, StripeWorld, type StripeObject } from '../../../support/stripe-dialect.ts';

const VISA = '4242424242424242';
const TYPES_OF_A_PAYMENT = ['payment_intent.created', 'charge.succeeded', 'payment_intent.succeeded'];

interface Received {
  id: string;
  type: string;
  data: { object: StripeObject };
  signature: string;
  body: string;
}

describe('webhooks of the Stripe dialect', () => {
  let stripe: StripeWorld;
  let receiver: Server;
  let received: Received[];
  let answers: number[];
  let secret: string;

  beforeEach(async () => {
    received = [];
    answers = [];
    stripe = await StripeWorld.start();
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        const signature = String(request.headers['stripe-signature']);
        received.push({ ...(JSON.parse(body) as Received), signature, body });
        response.writeHead(answers.shift() ?? 200).end();
      });
    });
    await new Promise<void>((resolve) => {
      receiver.listen(0, '127.0.0.1', resolve);
    });
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const made = await stripe.post('/v1/webhook_endpoints', { url, enabled_events: ['*'] });
    secret = made.json<{ secret: string }>().secret;
  });
  afterEach(async () => {
    await stripe.stop();
    receiver.closeAllConnections();
    receiver.close();
  });

  const order = (trouble: Record<string, unknown>) =>
    call(`${stripe.url}/simulate/webhooks`, { json: trouble, key: SECRET_KEY });
  const typesOf = () => received.map(({ type }) => type);
  const isGenuine = ({ signature, body }: Received): boolean => {
    const [, at = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
    return createHmac('sha256', secret).update(`${at}.${body}`).digest('hex') === v1;
  };

  it('report every change with Stripe-Signature, and the events can be read again', async () => {
    await stripe.pay(VISA);
    await until(async () => received.length === 3);
    expect(typesOf().toSorted()).toEqual(TYPES_OF_A_PAYMENT.toSorted());
    expect(received.every(isGenuine)).toBe(true);
    const list = (await stripe.get('/v1/events?limit=2')).json<{ data: Received[]; has_more: boolean }>();
    expect(list.data.map(({ type }) => type)).toEqual(['payment_intent.succeeded', 'charge.succeeded']);
    expect(list.has_more).toBe(true);
    const [delivered] = received.filter(({ type }) => type === 'payment_intent.succeeded');
    const read = (await stripe.get(`/v1/events/${delivered?.id}`)).json<Received>();
    expect(read.data.object).toEqual(delivered?.data.object);
  });

  it('are sent again until they are accepted, under the same id', async () => {
    answers.push(500, 500, 500);
    await stripe.post('/v1/payment_intents', { amount: 100, currency: 'usd' });
    await until(async () => received.length === 2);
    expect(received[1]?.id).toBe(received[0]?.id);
  });

  it('are sent twice on order', async () => {
    await order({ mode: 'doubled', type: 'payment_intent.succeeded' });
    await stripe.pay(VISA);
    await until(async () => received.length === 4);
    const [first, second] = received.filter(({ type }) => type === 'payment_intent.succeeded');
    expect(second?.body).toBe(first?.body);
  });

  it('are sent after later ones on order', async () => {
    await order({ mode: 'reordered', type: 'payment_intent.created' });
    await stripe.pay(VISA);
    await until(async () => received.length === 3);
    expect(typesOf().at(-1)).toBe('payment_intent.created');
  });

  it('are sent late or never on order', async () => {
    await order({ mode: 'lost', type: 'payment_intent.created' });
    await order({ mode: 'late', type: 'payment_intent.succeeded', afterSeconds: 1 });
    await stripe.pay(VISA);
    await until(async () => received.length === 2);
    expect(typesOf()).toEqual(['charge.succeeded', 'payment_intent.succeeded']);
  });

  it('are followed by a forged one on order, which does not verify', async () => {
    await order({ mode: 'forged', type: 'payment_intent.payment_failed' });
    await stripe.pay('4000000000000002');
    await until(async () => received.length === 4);
    const forged = received.filter((event) => !isGenuine(event));
    expect(forged).toMatchObject([
      { type: 'payment_intent.succeeded', data: { object: { status: 'succeeded' } } },
    ]);
    expect((await stripe.get(`/v1/events/${forged[0]?.id}`)).status).toBe(404);
  });

  it('are replayed on order, with an old but valid signature', async () => {
    await order({ mode: 'replayed', type: 'payment_intent.created' });
    await stripe.post('/v1/payment_intents', { amount: 100, currency: 'usd' });
    await until(async () => received.length === 2);
    expect(received.every(isGenuine)).toBe(true);
    expect(received.some(({ signature }) => signature.startsWith('t=1000000000,'))).toBe(true);
  });

  it('stop when the endpoint is deleted, and go to one whose secret the caller chose', async () => {
    const list = (await stripe.get('/v1/webhook_endpoints')).json<{
      data: (StripeObject & { url: string })[];
    }>();
    const [known] = list.data;
    expect(known).not.toHaveProperty('secret');
    expect((await stripe.delete(`/v1/webhook_endpoints/${known?.id}`)).status).toBe(200);
    secret = 'whsec_chosen_by_the_caller_01';
    await call(`${stripe.url}/simulate/webhook_endpoints`, {
      json: { url: known?.url, secret },
      key: SECRET_KEY,
    });
    await stripe.post('/v1/payment_intents', { amount: 100, currency: 'usd' });
    await until(async () => received.length === 1);
    expect(received.every(isGenuine)).toBe(true);
  });
});
