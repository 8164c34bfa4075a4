import { request } from 'node:http';
import { randomUUID } from 'node:crypto';
import { open, readAnswers } from '../../fuzz/connection.ts';
import { PageClient } from '../../support/page-client.ts';
import { Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

/** Sends a path exactly as written; `fetch` would normalize it. */
function rawCall(
  url: string,
  options: { method?: string; path: string; headers?: Record<string, string>; body?: string },
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  const { body, ...rest } = options;
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, ...rest }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end(body);
  });
}

describe('with rate limits on', () => {
  let world: World;
  let shop: Shop;

  beforeAll(async () => {
    world = await createWorld({
      RATE_LIMITS: 'sandbox.all=1000/1000,sandbox.create=1000/1000,payment.act=0.001/3,payment.read=0.001/3',
    });
    shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  });
  afterAll(() => world.close());

  it.each([
    ['POST', 'capture'],
    ['POST', 'pay'],
    ['POST', 'confirm'],
    ['GET', 'status'],
    ['GET', 'checkout'],
  ])(
    'a NUL in the path of %s %s is a malformed request, not a fault of the service',
    async (method, verb) => {
      const { status } = await rawCall(world.baseUrl, {
        method,
        path: `/v1/payments/%00/${verb}`,
        headers: { authorization: `Bearer ${shop.key}` },
      });
      expect(status).toBe(400);
    },
  );

  it('text in place of an id in a path is never stored or logged', async () => {
    const canary = `canary-${randomUUID().slice(0, 8)}`;
    await shop.call('GET', `/v1/payments/${canary}/status`);
    const { rows } = await world.database.query(
      `SELECT 1 FROM rate_limits WHERE bucket LIKE '%' || $1 || '%'`,
      [canary],
    );
    expect(rows).toEqual([]);
  });

  it.each(['card-fields', 'leave-step'])(
    'the page’s %s is refused beyond the payment’s own limit',
    async (verb) => {
      const created = await shop.create();
      const page = new PageClient(String(created.body.data?.['checkoutUrl']), world.vaultUrl);
      const statuses: number[] = [];
      for (let at = 0; at < 6; at += 1) statuses.push((await page.post(verb, {})).status);
      expect(statuses.slice(0, 3)).not.toContain(429);
      expect(statuses.slice(3)).toEqual([429, 429, 429]);
    },
  );

  it('the return from the customer’s step counts under the payment’s own limit, even without an effect', async () => {
    const created = await shop.create();
    const page = new PageClient(String(created.body.data?.['checkoutUrl']), world.vaultUrl);
    expect((await page.payByCard('4000000000003220')).body).toMatchObject({ kind: 'challenge' });
    const action = /\/a\/[A-Za-z0-9_-]{43}/.exec(await (await fetch(page.url)).text())?.[0] ?? '';
    for (let at = 0; at < 2; at += 1) {
      await fetch(`${world.baseUrl}${action}/return`, { redirect: 'manual' });
    }
    expect((await page.post('leave-step', {})).status).toBe(429);
  });
});

describe('a service', () => {
  let world: World;
  let merchant: string;
  let shop: Shop;

  beforeAll(async () => {
    world = await createWorld();
    merchant = await world.merchant();
    shop = new Shop(world.baseUrl, await world.key(merchant, 'sandbox'));
  });
  afterAll(() => world.close());

  it('keeps the limit of 20 endpoints under 40 simultaneous creations', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        shop.call('POST', '/v1/webhook-endpoints', { url: `http://127.0.0.1:9/${at}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(20);
    const { rows } = await world.database.query(
      'SELECT count(*)::int AS count FROM webhook_endpoints WHERE merchant_id = $1',
      [merchant],
    );
    expect(rows).toEqual([{ count: 20 }]);
  });

  it.each(['cardToken', 'captureReference'])('takes no NUL in the %s of the page', async (field) => {
    const created = await shop.create();
    const page = new PageClient(String(created.body.data?.['checkoutUrl']), world.vaultUrl);
    const card = { cardToken: 'tok_5f0c2b7e9a41d83c', captureReference: 'cap_8Jd02mKq' };
    // The same answer as for a browser without script, which sends no card.
    expect((await page.post('pay', { method: 'card', ...card, [field]: `${card.cardToken}\0` })).status).toBe(
      200,
    );
    const { rowCount } = await world.database.query('SELECT FROM attempts WHERE payment_id = $1', [
      created.body.data?.['id'],
    ]);
    expect(rowCount).toBe(0);
  });

  it('reads no form of a visitor who is not signed in', async () => {
    for (const path of [`/dashboard/live/disputes/${randomUUID()}/evidence`, '/dashboard/live/branding']) {
      const socket = await open(world.baseUrl);
      // The announced body never arrives, so a server that waits for it never answers.
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-www-form-urlencoded\r\n` +
          'content-length: 1000000\r\n\r\na&a&a&',
      );
      const [answer] = await readAnswers(socket, 1);
      socket.destroy();
      expect({ path, status: answer?.status }).toEqual({ path, status: 401 });
    }
  });

  it('stores no answer for replays in clear', async () => {
    const created = (await shop.create()).body.data;
    const key = randomUUID();
    const advance = () =>
      shop.call(
        'POST',
        `/v1/sandbox/payments/${String(created?.['id'])}/advance-clock`,
        { bySeconds: 60 },
        { 'idempotency-key': key },
      );
    const first = await advance();
    expect(first.status).toBe(200);
    expect(first.text).toContain(String(created?.['checkoutUrl']));
    const { rows } = await world.database.query<{ row: string }>(
      'SELECT r::text AS row FROM idempotency_responses r',
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(new URL(String(created?.['checkoutUrl'])).pathname);
    const repeated = await advance();
    expect(repeated.text).toBe(first.text);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  });

  it('refuses to decode without a token for a foreign host name', async () => {
    const operators = `http://127.0.0.1:${world.settings.PRIVATE_PORT}`;
    const decode = (host: string) =>
      rawCall(operators, {
        method: 'POST',
        path: '/codec/decode',
        headers: { host, 'content-type': 'application/json' },
        body: '{"payloads":[]}',
      });
    expect((await decode('rebound.example')).status).toBe(421);
    expect((await decode('127.0.0.1.rebound.example:1')).status).toBe(421);
    expect((await decode(`127.0.0.1:${world.settings.PRIVATE_PORT}`)).status).toBe(200);
    expect((await decode(`localhost:${world.settings.PRIVATE_PORT}`)).status).toBe(200);
  });
});
