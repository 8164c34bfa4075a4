import { createKeyring, developmentEncryptionKeys } from '../../../../src/crypto/keyring.ts';
import { buildOperatorApp } from '../../../../src/api/operators/app.ts';
import { createMetricsPage } from '../../../../src/metrics/page.ts';

let clock = Date.parse('2030-01-01T00:00:00Z');
const token = 'codec-token-for-tests';
const ui = 'http://temporal.internal.example:8233';

const build = (codecToken: string | undefined = token) =>
  buildOperatorApp({
    // The codec uses neither.
    database: undefined as never,
    client: undefined as never,
    keyring: createKeyring(developmentEncryptionKeys),
    codecToken,
    openCodec: false,
    temporalUiUrl: ui,
    drain: { begun: false },
    hold: { begun: false },
    metrics: createMetricsPage({}),
    now: () => clock,
  });
let app: ReturnType<typeof build>;
beforeAll(() => {
  app = build();
});
afterAll(() => app.close());

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const plain = { metadata: { encoding: base64('json/plain') }, data: base64('{"amountCents":2500}') };
const bearer = { authorization: `Bearer ${token}` };

const call = (path: string, headers: Record<string, string>, payloads: object[] = [plain]) =>
  app.inject({ method: 'POST', url: path, headers, payload: { payloads } });
const login = (sent: string, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: '/codec/login',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams({ token: sent }).toString(),
  });
const cookieOf = (answer: { headers: Record<string, unknown> }): string =>
  String(answer.headers['set-cookie']).split(';')[0] ?? '';

it('encoded payloads are encrypted, and decoded again', async () => {
  const sealed = (await call('/codec/encode', bearer)).json<{ payloads: (typeof plain)[] }>().payloads;
  expect(Buffer.from(sealed[0]?.metadata.encoding ?? '', 'base64').toString()).toBe('binary/encrypted');
  expect(Buffer.from(sealed[0]?.data ?? '', 'base64').toString('latin1')).not.toContain('2500');
  expect((await call('/codec/decode', bearer, sealed)).json()).toEqual({ payloads: [plain] });
});

it.each(['/codec/encode', '/codec/decode'])('%s is refused without the token', async (path) => {
  for (const headers of [{}, { authorization: 'Bearer wrong' }, { cookie: 'card-payments-codec=1.x' }])
    expect((await call(path, headers)).statusCode).toBe(401);
});

it('a cookie of the login gives access, as the Temporal UI can send one', async () => {
  expect((await login('wrong')).statusCode).toBe(401);
  expect((await login('wrong')).headers['set-cookie']).toBeUndefined();
  const signedIn = await login(token);
  expect(signedIn.statusCode).toBe(200);
  expect(signedIn.headers['set-cookie']).toMatch(/; Path=\/codec; Max-Age=43200; HttpOnly; SameSite=Strict$/);
  expect(String(signedIn.headers['set-cookie'])).not.toContain(token);
  const answer = await call('/codec/decode', { cookie: `other=1; ${cookieOf(signedIn)}`, origin: ui });
  expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([200, ui]);
  expect(answer.headers['access-control-allow-credentials']).toBe('true');
  expect((await login(token, { 'x-forwarded-proto': 'https' })).headers['set-cookie']).toMatch(/; Secure$/);
});

it('a cookie expires and cannot be extended', async () => {
  const [name = '', value = ''] = cookieOf(await login(token)).split('=');
  const [until = '', proof = ''] = value.split('.');
  expect((await call('/codec/decode', { cookie: `${name}=${Number(until) + 1}.${proof}` })).statusCode).toBe(
    401,
  );
  const before = clock;
  clock = Number(until) * 1000;
  const answer = await call('/codec/decode', { cookie: `${name}=${value}` });
  clock = before;
  expect(answer.statusCode).toBe(401);
});

it('a browser page of another origin is refused, whatever it sends', async () => {
  const preflight = (origin: string) =>
    app.inject({
      method: 'OPTIONS',
      url: '/codec/encode',
      headers: { origin, 'access-control-request-headers': 'content-type,x-namespace,caller-type' },
    });
  expect((await preflight(ui)).headers).toMatchObject({
    'access-control-allow-origin': ui,
    'access-control-allow-headers': 'content-type,x-namespace,caller-type',
  });
  const foreign = await preflight('https://evil.example');
  expect(foreign.headers['access-control-allow-origin']).toBeUndefined();
});

it('without a token there is no login', async () => {
  const without = buildOperatorApp({
    database: undefined as never,
    client: undefined as never,
    keyring: createKeyring(developmentEncryptionKeys),
    codecToken: undefined,
    openCodec: false,
    temporalUiUrl: undefined,
    drain: { begun: false },
    hold: { begun: false },
    metrics: createMetricsPage({}),
    now: () => clock,
  });
  expect((await without.inject({ url: '/codec/login' })).statusCode).toBe(404);
  expect((await without.inject({ method: 'POST', url: '/codec/encode', payload: {} })).statusCode).toBe(401);
  await without.close();
});
