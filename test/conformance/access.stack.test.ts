import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { METHODS, type IncomingMessage, request } from 'node:http';
import { readFileSync } from 'node:fs';
import { revokeKey } from '../../src/db/merchants/merchant-keys.ts';
import { setMerchantStatus } from '../../src/db/merchants/merchants.ts';
import { createApiKey } from '../../src/crypto/api-key.ts';
import { jsonBody, jsonData } from '../support/answers.ts';
import type { Answer } from '../support/shop.ts';
import { eventually, validCreate } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { Probe, fault, refusal } from './contract-checks.ts';
import { type Merchants, openApi, openCast, sendRaw, total, unknownId } from './support.ts';
import { proves } from '../support/proves.ts';
import { byOperator } from '../support/harness/by-operator.ts';

/** For independent tests: they run concurrently, because they mostly wait. */
const test = it.concurrent;

let world: World;
let cast: Merchants;

beforeAll(async () => {
  world = await createWorld();
  cast = await openCast(world);
});
afterAll(() => world.close());

const card = { cardToken: 'x'.repeat(16), captureReference: 'r' };
/** Every documented call that names a payment. */
const calls: [string, string, string, unknown][] = [
  ['retrieve', 'GET', '', undefined],
  ['capture', 'POST', '/capture', undefined],
  ['checkout', 'GET', '/checkout', undefined],
  ['pay', 'POST', '/pay', card],
  ['confirm', 'POST', '/confirm', {}],
  ['status', 'GET', '/status', undefined],
];
const five = calls.slice(1);
const eight: [string, string, string, unknown][] = [
  ['create', 'POST', '/v1/payments', validCreate],
  ['list', 'GET', '/v1/payments', undefined],
  ...calls.map(([name, method, path, body]): [string, string, string, unknown] => [
    name,
    method,
    `/v1/payments/${unknownId}${path}`,
    body,
  ]),
];

/** Returns an answer without the parts that must differ. */
const shape = (answer: Answer) => ({
  status: answer.status,
  text: answer.text,
  headers: [...answer.headers].filter(([name]) => !['date', 'request-id'].includes(name)),
});

describe('authentication', () => {
  it.each([
    ['no header', null],
    ['another scheme', 'Basic x'],
    ['a scheme alone', 'Bearer'],
    ['two tokens', 'Bearer a b'],
    ['an unknown key', `Bearer ${createApiKey('sandbox').text}`],
    ['a key with a wrong checksum', `Bearer ${createApiKey('sandbox').text.slice(0, -1)}!`],
    ['an empty key', 'Bearer '],
    ['a very long key', `Bearer ${'x'.repeat(8000)}`],
  ])(
    proves(
      '%s is 401 on every endpoint',
      'AUTH-01',
      'AUTH-08',
      'AUTH-09',
      'EP-04',
      'GEN-05',
      'CAPTURE-16',
      'PAY-09',
    ),
    async (_what, header) => {
      for (const [name, method, path, body] of eight) {
        const response = await fetch(world.baseUrl + path, {
          method,
          headers: {
            ...(header === null ? {} : { authorization: header }),
            'content-type': 'application/json',
            'idempotency-key': randomUUID(),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const answer = (await response.json()) as { error: { code: string } };
        expect([name, response.status, answer.error.code]).toEqual([name, 401, 'unauthorized']);
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
      }
    },
  );

  test(
    proves(
      'a revoked key and a disabled merchant are 401 within a second; other keys and payments are unaffected',
      'AUTH-08',
      'AUTH-16',
    ),
    async () => {
      const merchant = await world.merchant();
      const [first, second] = [
        new Probe(world.baseUrl, await world.key(merchant, 'sandbox')),
        new Probe(world.baseUrl, await world.key(merchant, 'sandbox')),
      ];
      const id = await first.customPayment();
      expect(await second.read(id)).toMatchObject({ id });
      await revokeKey(world.database, String(second.key.split('_')[2]), byOperator());
      await eventually(async () =>
        (await second.call('GET', `/v1/payments/${id}`)).status === 401 ? true : undefined,
      );
      expect(await first.read(id)).toMatchObject({ id });
      await setMerchantStatus(world.database, merchant, 'disabled', byOperator());
      const answersWith = (status: number) =>
        eventually(async () =>
          (await first.call('GET', `/v1/payments/${id}`)).status === status ? true : undefined,
        );
      await answersWith(401);
      await setMerchantStatus(world.database, merchant, 'active', byOperator());
      await answersWith(200);
    },
  );

  it(proves('a key of a merchant that is not active is refused', 'AUTH-03', 'AMB-49'), async () => {
    const merchant = await world.merchant();
    await world.database.query("UPDATE merchants SET status = 'inactive' WHERE id = $1", [merchant]);
    const shop = new Probe(world.baseUrl, await world.key(merchant, 'sandbox'));
    expect((await shop.call('GET', '/v1/payments')).status).toBe(401);
  });

  it(
    proves(
      'a key works only in the environment it names; a changed prefix is 401; the scheme is case-insensitive',
      'AUTH-04',
      'AMB-42',
    ),
    async () => {
      const asLive = cast.a.key.replace('cps_sandbox_', 'cps_live_');
      expect((await new Probe(world.baseUrl, asLive).call('GET', '/v1/payments')).status).toBe(401);
      const response = await fetch(`${world.baseUrl}/v1/payments`, {
        headers: { authorization: `bEaReR ${cast.a.key}` },
      });
      expect(response.status).toBe(200);
    },
  );

  it(proves('two Authorization headers are 401, also when one of them is right', 'AUTH-08'), async () => {
    const answer = await sendRaw(
      world.baseUrl,
      `GET /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${cast.a.key}\r\nAuthorization: Bearer ${cast.a.key}\r\nConnection: close\r\n\r\n`,
    );
    expect([answer.status, answer.json.error?.code]).toEqual([401, 'unauthorized']);
  });

  test(
    proves(
      'while the key store is unavailable a valid key is 503 without WWW-Authenticate, and works again afterwards',
      'AUTH-15',
      'ERR-15',
      'ERR-16',
    ),
    async () => {
      const away = await openApi(world, { DATABASE_URL: 'postgres://unknown:x@127.0.0.1:9/none' });
      try {
        const shop = new Probe(away.baseUrl, cast.a.key);
        for (const [, method, path, body] of eight) {
          const answer = await shop.call(method, path, body, { 'idempotency-key': randomUUID() });
          expect(refusal(answer)).toEqual([503, 'service_unavailable']);
          expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
        }
      } finally {
        await away.stop();
      }
      expect((await cast.a.call('GET', '/v1/payments')).status).toBe(200);
    },
  );

  test(
    proves(
      'while Temporal is unavailable a create is 201, reads and capture work, and pay is 503',
      'ERR-15',
      'AMB-12',
      'AMB-13',
    ),
    async () => {
      // The address is read from the environment when the client is created.
      const before = process.env['TEMPORAL_ADDRESS'];
      process.env['TEMPORAL_ADDRESS'] = '127.0.0.1:9';
      const away = await openApi(world);
      process.env['TEMPORAL_ADDRESS'] = before;
      try {
        const shop = new Probe(away.baseUrl, cast.a.key);
        const created = await shop.create({ checkoutMode: 'custom' });
        expect(created.status).toBe(201);
        const id = String(created.body.data?.['id']);
        expect(await shop.read(id)).toMatchObject({ status: 'pending' });
        expect((await shop.status(id))['status']).toBe('open');
        const captured = await shop.captureCard(id);
        expect(refusal(await shop.pay(id, captured))).toEqual([503, 'service_unavailable']);
        // Nothing was sent, so the attempt was released. The next call that reaches Temporal starts the
        // workflow.
        expect((await shop.status(id))['status']).toBe('open');
        expect((await cast.a.pay(id, captured)).body.data).toMatchObject({ status: 'paid' });
      } finally {
        await away.stop();
      }
    },
  );
});

describe('a payment that does not exist for the caller', () => {
  /** Ids that must all look unknown to A's sandbox key on the capture flow. */
  async function strangers(): Promise<[string, string][]> {
    return [
      ['unknown', unknownId],
      ['foreign', await cast.b.customPayment()],
      ['other environment', await cast.aLive.customPayment()],
    ];
  }

  test(
    proves(
      'unknown, foreign, live and hosted ids get the same 404',
      'EP-05',
      'EP-06',
      'ENV-02',
      'AUTH-05',
      'AUTH-10',
      'AUTH-14',
      'ERR-09',
      'RECOVER-04',
    ),
    async () => {
      const hosted = String((await cast.a.create()).body.data?.['id']);
      for (const [name, method, path, body] of calls) {
        const seen = await strangers();
        if (name !== 'retrieve') seen.push(['hosted', hosted]);
        const shapes = await Promise.all(
          seen.map(async ([, id]) => shape(await cast.a.call(method, `/v1/payments/${id}${path}`, body))),
        );
        expect(shapes.map(({ status }) => status)).toEqual(seen.map(() => 404));
        for (const each of shapes) expect(each).toEqual(shapes[0]);
      }
    },
  );

  test(
    proves('gets the same 404 in every state, with a wrong body, and in the other environment', 'EP-06'),
    async () => {
      const paid = await cast.b.customPayment();
      await cast.b.pay(paid, await cast.b.captureCard(paid));
      const declined = await cast.b.customPayment();
      await cast.b.pay(declined, await cast.b.captureCard(declined, '4000000000000002'));
      const waiting = await cast.b.customPayment();
      await cast.b.pay(waiting, await cast.b.captureCard(waiting, '4000000000003220'));
      const sandbox = await cast.a.customPayment();
      for (const [, method, path, body] of calls) {
        const bad = body === undefined ? undefined : { odd: true };
        for (const [shop, ids] of [
          [cast.a, [unknownId, paid, declined, waiting]],
          [cast.aLive, [unknownId, sandbox, paid]],
        ] as const) {
          for (const sent of [body, bad]) {
            const shapes = await Promise.all(
              ids.map(async (id) => shape(await shop.call(method, `/v1/payments/${id}${path}`, sent))),
            );
            for (const each of shapes) expect(each).toEqual(shapes[0]);
          }
        }
      }
    },
  );

  test(
    proves(
      'without custom mode the five capture-flow calls are 404 for any id, and existing payments stay readable',
      'MODE-08',
      'CAPTURE-15',
      'AMB-45',
    ),
    async () => {
      const merchant = await world.merchant();
      const shop = new Probe(world.baseUrl, await world.key(merchant, 'sandbox'));
      const id = await shop.customPayment();
      const unknown = await Promise.all(
        five.map(async ([, method, path, body]) =>
          shape(await shop.call(method, `/v1/payments/${unknownId}${path}`, body)),
        ),
      );
      await world.database.query(
        "UPDATE merchant_settings SET custom_mode = false WHERE merchant_id = $1 AND environment = 'sandbox'",
        [merchant],
      );
      for (const [at, [, method, path, body]] of five.entries()) {
        expect(shape(await shop.call(method, `/v1/payments/${id}${path}`, body))).toEqual(unknown[at]);
      }
      expect(await shop.read(id)).toMatchObject({ id, status: 'pending' });
      expect(await total(shop)).toBe(1);
      for (const [, method, path, body] of five) {
        expect(refusal(await cast.n.call(method, `/v1/payments/${unknownId}${path}`, body))).toEqual([
          404,
          'not_found',
        ]);
      }
    },
  );

  test.each([
    ...['abc', '123', unknownId.slice(1), `${unknownId}0`, '%00', `${unknownId}%20`, 'null', '%ff'],
  ])(
    proves(
      'the path id %s is 400 invalid_request on every call',
      'EP-08',
      'ERR-07',
      'RETRIEVE-01',
      'CAPTURE-03',
      'CHECKOUT-25',
      'PAY-08',
    ),
    async (id) => {
      for (const [name, method, path, body] of calls) {
        const answer = await cast.a.call(method, `/v1/payments/${id}${path}`, body);
        expect([name, ...refusal(answer)]).toEqual([name, 400, 'invalid_request']);
      }
    },
  );

  test(proves('an upper-case id is the same id', 'AMB-41'), async () => {
    const id = await cast.a.customPayment();
    expect(await cast.a.read(id.toUpperCase())).toMatchObject({ id });
    expect(await cast.a.status(id.toUpperCase())).toMatchObject({ paymentId: id });
  });

  test(
    proves(
      'unknown routes and methods are 404 with a key and 401 without, and no route is outside /v1',
      'EP-01',
      'VER-01',
      'AMB-44',
    ),
    async () => {
      const routes: [string, string][] = [
        ['GET', '/v1/nothing'],
        ['GET', '/v1'],
        ['DELETE', '/v1/payments'],
        ['PUT', `/v1/payments/${unknownId}`],
        ['PATCH', '/v1/payments'],
        ['OPTIONS', '/v1/payments'],
        ['GET', `/v1/payments/${unknownId}/capture`],
        ['POST', `/v1/payments/${unknownId}`],
        ['GET', '/v1/payments/'],
        ['GET', '/V1/payments'],
      ];
      for (const [method, path] of routes) {
        expect([method, path, (await cast.a.call(method, path)).status]).toEqual([
          method,
          path,
          path === '/v1/payments/' ? 400 : 404,
        ]);
      }
      for (const [method, path] of routes.slice(0, -1)) {
        const response = await fetch(world.baseUrl + path, { method });
        expect([method, path, response.status]).toEqual([method, path, 401]);
      }
      for (const [, method, path, body] of eight) {
        const answer = await cast.a.call(method, path.replace('/v1', ''), body, {
          'idempotency-key': randomUUID(),
        });
        expect(refusal(answer)).toEqual([404, 'not_found']);
      }
    },
  );

  test(
    proves(
      'every method the parser knows is 404 on a known path with a key and 401 without, with any body',
      'EP-01',
      'AMB-44',
    ),
    async () => {
      // CONNECT requests a tunnel and has no path. These paths accept GET and POST.
      const unknown = METHODS.filter((method) => !['CONNECT', 'GET', 'POST'].includes(method));
      expect(unknown).toEqual(expect.arrayContaining(['TRACE', 'PUT', 'PROPFIND', 'HEAD']));
      const cases: { headers: Record<string, string>; body?: string }[] = [
        { headers: {} },
        { headers: { 'content-type': 'application/json' }, body: '{}' },
        { headers: { 'content-type': ';' }, body: 'x' },
        { headers: { 'content-type': 'application/json' }, body: ' '.repeat(200_000) },
      ];
      for (const path of ['/v1/payments', `/v1/payments/${await cast.a.customPayment()}/pay`]) {
        for (const method of unknown) {
          for (const { headers, body } of cases) {
            const known = { ...headers, authorization: `Bearer ${cast.a.key}` };
            expect([method, path, await statusOf(method, path, known, body)]).toEqual([method, path, 404]);
            expect([method, path, await statusOf(method, path, headers, body)]).toEqual([method, path, 401]);
          }
        }
      }
    },
  );
});

/** The status of one request, of any method; fetch() forbids some. */
async function statusOf(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<number | undefined> {
  const length = body === undefined ? {} : { 'content-length': String(body.length) };
  const sent = request(world.baseUrl + path, { method, headers: { ...headers, ...length } });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'close');
  return response.statusCode;
}

describe('the documentation of the API', () => {
  it(proves('the document names every route of /v1, and every route it names exists', 'EP-01'), async () => {
    const { app, stop } = await openApi(world);
    try {
      const { paths } = (await (await fetch(`${world.baseUrl}/openapi.json`)).json()) as {
        paths: Record<string, Record<string, unknown>>;
      };
      const documented = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace('{id}', ':id')}`),
      );
      // Parses a tree, in which "│   ├── /:id (GET, PATCH)" continues the path of its parent line.
      const branch: string[] = [];
      const registered: string[] = [];
      for (const [, indent = '', part = '', methods] of app
        .printRoutes({ commonPrefix: false })
        .matchAll(/^([│ ]*)[├└]── (\S*)(?: \(([^)]*)\))?.*$/gm)) {
        branch.splice(indent.length / 4, branch.length, part);
        const path = branch.join('');
        if (methods !== undefined && path.startsWith('/v1/'))
          registered.push(...methods.split(', ').map((method) => `${method} ${path}`));
      }
      expect(documented.length).toBeGreaterThan(30);
      expect(documented.toSorted()).toEqual(registered.toSorted());
    } finally {
      await stop();
    }
  });

  it('the document and the reference need no key, no inline script and no other origin', async () => {
    const json = await fetch(`${world.baseUrl}/openapi.json`);
    expect([json.status, json.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const page = await fetch(`${world.baseUrl}/docs`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const text = await page.text();
    const named = [...text.matchAll(/(?:src|href)="([^"#]*)"/g)].map(([, place = '']) => place);
    expect(named.filter((place) => !/^(\/(?!\/)|data:,)/.test(place))).toEqual([]);
    // Every script is a file of the service; the page has no inline script.
    expect(text).not.toMatch(/<script(?![^>]* src=)/);
    const files = named.filter((place) => place.startsWith('/docs/'));
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) expect((await fetch(world.baseUrl + file)).status).toBe(200);
  });
});

describe('a raw HTTP request', () => {
  const authorized = () => `Host: x\r\nAuthorization: Bearer ${cast.a.key}\r\nConnection: close\r\n`;
  const body = JSON.stringify(validCreate);

  it.each<[string, () => string]>([
    ['an unknown method', () => `FOO /v1/payments HTTP/1.1\r\n${authorized()}\r\n`],
    ['no HTTP at all', () => 'hello\r\n\r\n'],
    ['an HTTP/2 preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a header without a colon', () => `GET /v1/payments HTTP/1.1\r\n${authorized()}Broken\r\n\r\n`],
    [
      'a DEL in the Idempotency-Key',
      () =>
        `POST /v1/payments HTTP/1.1\r\n${authorized()}Idempotency-Key: aaaaaaaaaaaaaaaa\x7f\r\nContent-Length: 0\r\n\r\n`,
    ],
    [
      'headers of 40 KB',
      () => `GET /v1/payments HTTP/1.1\r\n${authorized()}X: ${'x'.repeat(40_000)}\r\n\r\n`,
    ],
    [
      'two lengths',
      () => `POST /v1/payments HTTP/1.1\r\n${authorized()}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc`,
    ],
    [
      'a length and chunks',
      () =>
        `POST /v1/payments HTTP/1.1\r\n${authorized()}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'a broken chunk',
      () =>
        `POST /v1/payments HTTP/1.1\r\n${authorized()}Idempotency-Key: aaaaaaaaaaaaaaaa\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
    ['bad percent-encoding in the path', () => `GET /v1/payments/%zz HTTP/1.1\r\n${authorized()}\r\n`],
    ['a tunnel', () => `CONNECT /v1/payments HTTP/1.1\r\n${authorized()}\r\n`],
  ])(proves('%s is 400 invalid_request as JSON', 'ERR-04', 'ERR-06', 'EP-02'), async (_what, text) => {
    const answer = await sendRaw(world.baseUrl, text());
    expect([answer.status, answer.json.error?.code]).toEqual([400, 'invalid_request']);
    expect(answer.head).toMatch(/content-type: application\/json/i);
    expect(answer.head).toMatch(/request-id: \S+/i);
  });

  it.each<[string, string, string]>([
    ['an unknown expectation', 'Expect: 200-ok\r\n', ''],
    ['a wish to upgrade', 'Upgrade: websocket\r\n', 'Connection: Upgrade\r\n'],
    ['a cookie', 'Cookie: a=b\r\n', ''],
    ['a method override', 'X-HTTP-Method-Override: DELETE\r\n', ''],
  ])(proves('is answered as usual with %s', 'EP-02'), async (_what, header, connection) => {
    const answer = await sendRaw(
      world.baseUrl,
      `GET /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${cast.a.key}\r\n${connection || 'Connection: close\r\n'}${header}\r\n`,
    );
    expect(answer.status).toBe(200);
    expect(answer.head).toMatch(/content-type: application\/json/i);
  });

  it(proves('is 400 without Host, as the standard asks', 'EP-02'), async () => {
    const answer = await sendRaw(
      world.baseUrl,
      `GET /v1/payments HTTP/1.1\r\nAuthorization: Bearer ${cast.a.key}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.status).toBe(400);
  });

  it.each([
    [proves('no Idempotency-Key', 'IDEM-01'), ''],
    [proves('an empty one', 'IDEM-01'), 'Idempotency-Key: \r\n'],
    [proves('15 characters', 'IDEM-02', 'LIMIT-09'), `Idempotency-Key: ${'a'.repeat(15)}\r\n`],
    [proves('256 characters', 'IDEM-02', 'LIMIT-09'), `Idempotency-Key: ${'a'.repeat(256)}\r\n`],
    [
      proves('an inner space', 'IDEM-03', 'LIMIT-09'),
      `Idempotency-Key: ${'a'.repeat(8)} ${'a'.repeat(8)}\r\n`,
    ],
    [proves('an inner tab', 'IDEM-03'), `Idempotency-Key: ${'a'.repeat(8)}\t${'a'.repeat(8)}\r\n`],
    [proves('U+00E9', 'IDEM-03'), `Idempotency-Key: ${'a'.repeat(16)}\xe9\r\n`],
    [
      proves('two of them', 'IDEM-01'),
      `Idempotency-Key: ${'a'.repeat(16)}\r\nIdempotency-Key: ${'a'.repeat(16)}\r\n`,
    ],
  ])('%s is 400 invalid_request and creates nothing', async (_what, header) => {
    const before = await total(cast.a);
    const answer = await sendRaw(
      world.baseUrl,
      `POST /v1/payments HTTP/1.1\r\n${authorized()}${header}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect([answer.status, answer.json.error?.code]).toEqual([400, 'invalid_request']);
    expect(await total(cast.a)).toBe(before);
  });

  it.each(['!'.repeat(16), '~'.repeat(16), 'k'.repeat(255)])(
    proves('the key %s is accepted', 'IDEM-02', 'IDEM-03', 'LIMIT-09'),
    async (key) => {
      expect((await cast.a.create({}, key)).status).toBe(201);
    },
  );

  it(
    proves('an Idempotency-Key is ignored where none is required, even a malformed one', 'AMB-52'),
    async () => {
      const id = await cast.a.customPayment();
      for (const [, method, path] of calls.filter(([name]) => name !== 'pay' && name !== 'confirm')) {
        const answer = await cast.a.call(method, `/v1/payments/${id}${path}`, undefined, {
          'idempotency-key': 'x y',
        });
        expect(answer.status).toBe(200);
      }
    },
  );

  it(proves('a request that breaks off leaves no body in the logs', 'SECRET-03'), async () => {
    await sendRaw(
      world.baseUrl,
      `POST /v1/payments HTTP/1.1\r\n${authorized()}Idempotency-Key: aaaaaaaaaaaaaaaa\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nCANARY-IN-CHUNK!\r\nzz\r\n`,
    );
    expect(world.logs.join('\n')).not.toContain('CANARY-IN-CHUNK');
  });
});

describe('the order of checks', () => {
  it(
    proves(
      'checks route and key first, then shape, then idempotency, then settings; and shape before existence',
      'AMB-14',
    ),
    async () => {
      const noKey = new Probe(world.baseUrl, 'nothing');
      expect(refusal(await noKey.call('POST', '/v1/payments/abc/pay', '{'))).toEqual([401, 'unauthorized']);
      // Headers are checked before the JSON, and the JSON before its shape.
      expect(refusal(await cast.a.call('POST', '/v1/payments', '{'))).toEqual([400, 'invalid_request']);
      expect(refusal(await cast.a.call('POST', '/v1/payments', { foo: 1 }))).toEqual([
        400,
        'invalid_request',
      ]);
      const key = randomUUID();
      expect((await cast.a.create({}, key)).status).toBe(201);
      expect(refusal(await cast.a.create({ foo: 1 }, key))).toEqual([422, 'validation_failed']);
      expect(refusal(await cast.a.create({ environment: 'live' }, key))).toEqual([
        409,
        'idempotency_key_reused',
      ]);
      // A wrong body to an unknown payment is answered 400, as to another merchant's.
      expect(refusal(await cast.a.call('POST', `/v1/payments/${unknownId}/pay`, {}))).toEqual([
        400,
        'invalid_request',
      ]);
      expect(refusal(await cast.a.call('POST', `/v1/payments/${unknownId}/confirm`, { a: 1 }))).toEqual([
        400,
        'invalid_request',
      ]);
      // A closed checkout is checked before the token.
      const id = await cast.a.customPayment();
      await cast.a.pay(id, await cast.a.captureCard(id));
      expect(refusal(await cast.a.pay(id, card))).toEqual([410, 'checkout_expired']);
    },
  );

  it(
    proves('names the first of several faults in the order of the table, unknown fields last', 'AMB-19'),
    async () => {
      const faults = { foo: 1, metadata: [], locale: 'fr', reference: '', amountCents: 1 };
      expect(fault(await cast.a.create(faults))).toEqual([422, 'validation_failed', 'amountCents']);
      expect(fault(await cast.a.create({ ...faults, amountCents: 500 }))).toEqual([
        422,
        'validation_failed',
        'reference',
      ]);
      expect(fault(await cast.a.create({ foo: 1, metadata: [] }))).toEqual([
        422,
        'validation_failed',
        'metadata',
      ]);
    },
  );
});

describe('the list', () => {
  let shop: Probe;
  let ids: string[];
  const list = async (query: string) => {
    const answer = await shop.call('GET', `/v1/payments${query}`);
    return jsonBody(answer) as { data: Record<string, string>[]; meta: Record<string, number> };
  };

  beforeAll(async () => {
    const merchant = await world.merchant();
    shop = new Probe(world.baseUrl, await world.key(merchant, 'sandbox'));
    const live = new Probe(world.baseUrl, await world.key(merchant, 'live'));
    await live.create();
    ids = [];
    for (let count = 0; count < 21; count += 1)
      ids.push(await shop.customPayment({ reference: `order-${count}` }));
  });

  it(
    proves(
      'has the newest payments of the own environment first, 20 of 21, each as it is retrieved',
      'LIST-01',
      'LIST-08 to -10',
      'LIMIT-21',
      'LIMIT-22',
      'ENV-02',
      'PMT-01',
      'POLL-06',
      'RETRIEVE-02',
    ),
    async () => {
      const { data, meta } = await list('');
      expect(meta).toEqual({ page: 1, perPage: 20, total: 21 });
      expect(data.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 20));
      expect((await list('?page=2')).data.map(({ id }) => id)).toEqual([ids[0]]);
      expect(await list('?page=3')).toEqual({ data: [], meta: { page: 3, perPage: 20, total: 21 } });
      expect((await list('?perPage=1')).data).toEqual([await shop.read(ids[20] ?? '')]);
      expect((await list('?perPage=100')).data).toHaveLength(21);
      expect((await list('?status=pending&perPage=100')).meta).toMatchObject({ total: 21 });
    },
  );

  it(
    proves('filters by each of the nine statuses; any other word is 400', 'LIST-02', 'PMT-04', 'PSTATE-09'),
    async () => {
      for (const status of [
        'pending',
        'requiresAction',
        'paid',
        'failed',
        'refunded',
        'partiallyRefunded',
        'disputed',
        'disputeWon',
        'disputeLost',
      ]) {
        const { data, meta } = await list(`?status=${status}`);
        expect(meta['total']).toBe(status === 'pending' ? 21 : 0);
        for (const item of data) expect(item['status']).toBe(status);
      }
    },
  );

  it.each([
    ...['Paid', 'PAID', 'open', 'expired', 'canceled', 'declined', ''].map((word) => [
      proves(`status=${word}`, 'LIST-02', 'PSTATE-09'),
      `status=${word}`,
    ]),
    ...['2026-3-1', '20260301', '2026-02-30', '2026-13-01', '2026-03-01T00:00:00Z', 'yesterday'].flatMap(
      (day) => [
        [proves(`from=${day}`, 'LIST-06'), `from=${day}`],
        [proves(`to=${day}`, 'LIST-06'), `to=${day}`],
      ],
    ),
    [proves('from after to', 'LIST-05'), 'from=2026-03-02&to=2026-03-01'],
    ...['0', '-1', '1.5', 'x', '+1', '%201', '20.0'].map((page) => [
      proves(`page=${page}`, 'LIST-07', 'LIMIT-22', 'AMB-25'),
      `page=${page}`,
    ]),
    ...['0', '101', 'x'].map((perPage) => [
      proves(`perPage=${perPage}`, 'LIST-08', 'LIMIT-21'),
      `perPage=${perPage}`,
    ]),
    [proves('an unknown parameter', 'AMB-25'), 'stauts=paid'],
    [proves('a repeated parameter', 'AMB-25'), 'page=1&page=1'],
    [proves('bad encoding', 'AMB-25'), 'page=%ff'],
  ])(proves('%s is 400 invalid_query', 'LIST-11', 'ERR-08'), async (_what, query) => {
    expect(refusal(await shop.call('GET', `/v1/payments?${query}`))).toEqual([400, 'invalid_query']);
  });

  it(
    proves('takes from and to as whole UTC days, inclusive, each alone or together', 'LIST-03 to -05'),
    async () => {
      const own = new Probe(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
      const instants = [
        '2026-02-28T23:59:59.999Z',
        '2026-03-01T00:00:00Z',
        '2026-03-02T23:59:59.999Z',
        '2026-03-03T00:00:00Z',
      ];
      // The terms of a payment are fixed, so a copy with the wanted time is inserted.
      const template = await own.customPayment();
      for (const instant of instants) {
        await world.database.query(
          `INSERT INTO payments (id, merchant_id, environment, checkout_mode, reference, amount_cents, currency, metadata,
           success_url, cancel_url, offered_methods, locale, checkout_url_sealed, checkout_token_hash, vault_id, created_at,
           expires_at, capture_expires_at, checkout_status, terminal_reason)
         SELECT $2::uuid, merchant_id, 'live', checkout_mode, reference, amount_cents, currency, metadata, success_url, cancel_url,
           offered_methods, locale, checkout_url_sealed, decode(md5($2::text), 'hex'), left(md5($2::text), 20), $3::timestamptz,
           $3::timestamptz + interval '30 minutes', $3::timestamptz + interval '10 minutes',
           'expired', 'checkout_expired'
         FROM payments WHERE id = $1`,
          [template, randomUUID(), instant],
        );
      }
      const merchant = await world.database.query<{ id: string }>(
        'SELECT merchant_id AS id FROM payments WHERE id = $1',
        [template],
      );
      const key = await world.key(String(merchant.rows[0]?.id), 'live');
      const count = async (query: string) => {
        const response = await fetch(`${world.baseUrl}/v1/payments?perPage=1&${query}`, {
          headers: { authorization: `Bearer ${key}` },
        });
        return ((await response.json()) as { meta: { total: number } }).meta.total;
      };
      expect(await count('from=2026-03-01')).toBe(3);
      expect(await count('to=2026-03-02')).toBe(3);
      expect(await count('from=2026-03-01&to=2026-03-02')).toBe(2);
      expect(await count('from=2026-03-01&to=2026-03-01')).toBe(1);
      expect(await count('to=2026-02-28')).toBe(1);
      expect(await count('from=2026-03-04')).toBe(0);
    },
  );

  it(
    proves(
      'has all 22 keys in the documented shapes for a new payment',
      'PMT-02',
      'PMT-08',
      'PMT-09',
      'PMT-14',
      'PMT-18',
      'PMT-19',
      'PMT-25',
      'PMT-28',
      'PMT-29',
      'PMT-31',
      'AMB-24',
      'AMB-41',
    ),
    async () => {
      const created = await shop.create();
      const read = await shop.read(String(created.body.data?.['id']));
      expect(Object.keys(read).toSorted()).toEqual(
        [
          'amountCents',
          'cardBin',
          'cardBrand',
          'cardIssuer',
          'cardLast4',
          'checkoutUrl',
          'createdAt',
          'currency',
          'customer',
          'environment',
          'expiresAt',
          'failureCode',
          'failureMessage',
          'id',
          'metadata',
          'method',
          'netCents',
          'paidAt',
          'reference',
          'refundedAt',
          'refundedCents',
          'status',
        ].toSorted(),
      );
      expect(read).toMatchObject({
        currency: 'USD',
        netCents: 0,
        refundedCents: 0,
        expiresAt: created.body.data?.['expiresAt'],
      });
      expect(read['createdAt']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    },
  );
});

describe('naughty strings', () => {
  // Creates and reads need only the API. Hundreds of workflows that no test reads would slow it down.
  beforeAll(() => world.stopWorker());

  interface Class {
    class: string;
    storable: boolean;
    strings: string[];
  }
  const corpus = JSON.parse(
    readFileSync(new URL('../support/corpora/strings.json', import.meta.url), 'utf8'),
  ) as Class[];
  const storable = corpus.filter((each) => each.storable).flatMap(({ strings }) => strings);
  const others = corpus.filter((each) => !each.storable).flatMap(({ strings }) => strings);

  test(
    proves(
      'are returned byte for byte from reference, name and metadata when they can be stored',
      'AMB-54',
      'PMT-03',
      'PMT-12',
    ),
    async () => {
      expect(storable.length).toBeGreaterThan(100);
      const fits = storable.filter((text) => text.length >= 1 && text.length <= 255);
      const shop = new Probe(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
      const sent = new Map<string, string>();
      // A few at a time, so that a busy machine does not turn this into a test of queues.
      for (let at = 0; at < fits.length; at += 8) {
        await Promise.all(
          fits.slice(at, at + 8).map(async (text) => {
            const created = await shop.create({
              reference: text,
              customer: { name: text, documentNumber: text, phone: text },
              metadata: { [text]: text, list: [text] },
            });
            expect([text, created.status]).toEqual([text, 201]);
            sent.set(String(created.body.data?.['id']), text);
          }),
        );
      }
      let seen = 0;
      for (let page = 1; seen < sent.size; page += 1) {
        const answer = await shop.call('GET', `/v1/payments?perPage=100&page=${page}`);
        const items = jsonData(answer) as { id: string; metadata: Record<string, unknown> }[];
        expect(items).not.toHaveLength(0);
        for (const read of items) {
          const text = sent.get(read.id) ?? '';
          expect(read).toMatchObject({ reference: text, customer: { name: text } });
          expect(Object.entries(read.metadata)).toContainEqual([text, text]);
          expect(Object.entries(read.metadata)).toContainEqual(['list', [text]]);
          seen += 1;
        }
      }
    },
  );

  test(
    proves('are 422 naming the field in every field when they cannot be stored, never a 5xx', 'AMB-54'),
    async () => {
      expect(others.length).toBeGreaterThan(0);
      for (const text of others) {
        for (const [fields, field] of [
          [{ reference: `a${text}` }, 'reference'],
          [{ customer: { name: `a${text}` } }, 'customer.name'],
          [{ customer: { phone: text } }, 'customer.phone'],
          [{ metadata: { a: text } }, 'metadata'],
          [{ metadata: { [`a${text}`]: 1 } }, 'metadata'],
        ] as const) {
          expect(fault(await cast.a.create(fields))).toEqual([422, 'validation_failed', field]);
        }
      }
    },
  );
});
