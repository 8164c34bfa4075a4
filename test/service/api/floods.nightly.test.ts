import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { jsonData } from '../../support/answers.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let shop: Shop;

beforeAll(async () => {
  world = await createWorld({ API_MAX_CONNECTIONS: '2000' }, { worker: false });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

/** Opens a connection that reads nothing. */
async function silent(url: string): Promise<Socket> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

describe('clients that never read their answers', () => {
  it('cost no memory that grows with their requests, and others are answered meanwhile', async () => {
    const plain = await fetch(`${world.baseUrl}/openapi.json`, {
      headers: { 'accept-encoding': 'identity' },
    });
    const documentBytes = (await plain.arrayBuffer()).byteLength;
    const before = process.memoryUsage().rss;
    const attackers = await Promise.all(Array.from({ length: 300 }, () => silent(world.baseUrl)));
    const request = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n';
    // Each attacker requests as much as may wait, and then much more.
    for (const attacker of attackers) attacker.write(request.repeat(16));
    expect((await shop.create()).status).toBe(201);
    const grown = process.memoryUsage().rss - before;
    expect(grown).toBeLessThan((300 * 16 * documentBytes) / 4);
    for (const attacker of attackers) attacker.write(request.repeat(2_000));
    expect((await shop.create()).status).toBe(201);
    for (const attacker of attackers) attacker.destroy();
  });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('get compressed documents: %s', async (encoding, decompress) => {
    for (const path of ['/openapi.json', '/docs', '/docs/reference.css']) {
      const url = new URL(path, world.baseUrl);
      const plain = await raw(url, 'identity');
      const packed = await raw(url, encoding);
      expect(packed.head).toContain(`content-encoding: ${encoding}`);
      expect(decompress(packed.body).equals(plain.body)).toBe(true);
      expect(packed.body.length).toBeLessThan(plain.body.length);
      expect(plain.head).not.toContain('content-encoding');
    }
  });
});

describe('work without an authenticated caller', () => {
  const manyFields = () =>
    JSON.stringify({
      evidence: Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [`f${at}`, ''])),
    });

  it('90,000 fields of evidence for a dispute that is not theirs are not read', async () => {
    const answer = await shop.call('PUT', `/v1/disputes/${randomUUID()}/evidence`, manyFields());
    expect([answer.status, answer.body.error?.code]).toEqual([404, 'not_found']);
    const noJson = await shop.call('PUT', `/v1/disputes/${randomUUID()}/evidence`, '{'.repeat(1_000_000));
    expect([noJson.status, noJson.body.error?.code]).toEqual([404, 'not_found']);
  });

  it.each([
    ['/callbacks/network', 'POST', 9 * 1024],
    ['/c/unknown/card-fields', 'POST', 9 * 1024],
    [`/v1/payments/${randomUUID()}/capture`, 'POST', 9 * 1024],
    [`/v1/payments/${randomUUID()}/pay`, 'POST', 65 * 1024],
    ['/v1/payments', 'POST', 321 * 1024],
  ])('%s takes no body of %j %i bytes', async (path, method, length) => {
    const answer = await fetch(world.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${shop.key}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
        // Well formed, so that only the length is wrong.
        'webhook-id': 'm',
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': 'v1,AAAA',
      },
      body: `{}${' '.repeat(length - 2)}`,
    });
    const { error } = (await answer.json()) as { error: { code: string } };
    expect([answer.status, error.code]).toEqual([400, 'invalid_request']);
  });

  it('a callback of the usual size without a signature is still 401', async () => {
    const answer = await fetch(`${world.baseUrl}/callbacks/network`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(401);
  });
});

describe('log lines of requests', () => {
  it('name the request and the payment, and no secret address', async () => {
    const created = await shop.create();
    const { id, checkoutUrl } = jsonData(created) as { id: string; checkoutUrl: string };
    const read = await fetch(`${world.baseUrl}/v1/payments/${id}`, {
      headers: { authorization: `Bearer ${shop.key}` },
    });
    const requestId = read.headers.get('request-id');
    await read.text();
    await (await fetch(checkoutUrl)).text();
    const lines = () => world.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
    await eventually(async () => lines().find(({ reqId }) => reqId === requestId));
    expect(lines().find(({ reqId }) => reqId === requestId)).toMatchObject({
      route: '/v1/payments/:id',
      paymentId: id,
    });
    const token = checkoutUrl.split('/').at(-1) ?? '';
    expect(world.logs.join('\n')).not.toContain(token);
  });
});

/** Many people try `/` first. */
it('GET / redirects to the reference', async () => {
  const answer = await fetch(world.baseUrl, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs']);
});

/** Makes a request whose answer is not decompressed on the way. */
async function raw(url: URL, encoding: string): Promise<{ head: string; body: Buffer }> {
  const socket = connect(Number(url.port), url.hostname);
  socket.end(
    `GET ${url.pathname} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${encoding}\r\nConnection: close\r\n\r\n`,
  );
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  await once(socket, 'close');
  const whole = Buffer.concat(pieces);
  const end = whole.indexOf('\r\n\r\n');
  return { head: whole.subarray(0, end).toString().toLowerCase(), body: whole.subarray(end + 4) };
}
