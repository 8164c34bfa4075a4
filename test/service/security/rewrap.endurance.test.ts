import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rewrap } from '../../../src/cli/admin/rewrap.ts';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { PageClient } from '../../support/page-client.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type ApiProcess, startApiProcess } from '../../support/service-process.ts';
import { type World, createWorld } from '../../support/world.ts';

const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const [old, fresh, lookup] = [key('old'), key('fresh'), key('l1')];
/** The operator's settings at each step of docs/security.md. */
const steps = {
  before: { ENCRYPTION_KEYS: old },
  both: { ENCRYPTION_KEYS: `${fresh},${old}`, LOOKUP_KEYS: `${lookup},derived:old` },
  after: { ENCRYPTION_KEYS: fresh, LOOKUP_KEYS: lookup },
};
const bothRing = createKeyring(steps.both.ENCRYPTION_KEYS, steps.both.LOOKUP_KEYS);

let world: World;
let during: ApiProcess;
let after: ApiProcess | undefined;
beforeAll(async () => {
  world = await createWorld(steps.before, { worker: false });
  during = await startApiProcess(world, steps.both);
});
afterAll(async () => {
  await during.kill();
  await after?.kill();
  await world.close();
});

it('a key is retired without a refusal: links, API keys, secrets and answers continue under the new ones', async () => {
  const merchant = await world.merchant();
  const apiKey = await world.key(merchant, 'sandbox');
  const unused = await world.key(merchant, 'sandbox');
  const shop = new Shop(world.baseUrl, apiKey);
  const customers = { documentNumber: '12345678900' };
  const payments = await Promise.all(Array.from({ length: 7 }, () => shop.create({ customer: customers })));
  const links = payments.map(({ body }) => new URL(String(body.data?.['checkoutUrl'])).pathname);
  const custom = await shop.customPayment();
  const { body: prepared } = await shop.capture(custom);
  await shop.call('POST', '/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/hook' });

  // Keys of two rings at once: old links and API keys are found with either ring.
  const now = new Shop(during.baseUrl, apiKey);
  expect((await now.call('GET', '/v1/payments')).status).toBe(200);
  expect((await fetch(during.baseUrl + links[0])).status).toBe(200);

  // The command is stopped during the links and started again. It does nothing twice.
  const lines: string[] = [];
  const onProgress = (line: string): void => {
    lines.push(line);
    if (lines.length === 3) throw new Error('stopped');
  };
  await expect(rewrap(world.database, bothRing, { rowsAtOnce: 3, onProgress })).rejects.toThrow('stopped');
  const done = await rewrap(world.database, bothRing, {
    rowsAtOnce: 3,
    onProgress: (line) => void lines.push(line),
  });
  expect(lines.slice(0, 5)).toEqual([
    'canary: 1 checked, 1 sealed again',
    'chainKey: 1 checked, 1 sealed again',
    'checkoutUrl: 3 checked, 3 sealed again',
    'checkoutUrl: 6 checked, 6 sealed again',
    'checkoutUrl: 8 checked, 8 sealed again',
  ]);
  // The canary, the key of the chains, eight links, seven customers, a capture secret, a webhook secret.
  expect(done).toMatchObject({ changed: 19, left: 0 });
  await eventually(async () => {
    const { rows } = await world.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM api_keys WHERE lookup_key_id = 'l1'`,
    );
    return rows[0]?.count === 1 ? true : undefined;
  });

  // The old keys are gone. Earlier, such a process would have refused to start.
  after = await startApiProcess(world, steps.after);
  const { baseUrl } = after;
  const later = new Shop(baseUrl, apiKey);
  expect((await later.call('GET', '/v1/payments')).status).toBe(200);
  for (const link of links) expect((await fetch(baseUrl + link)).status).toBe(200);
  expect((await later.capture(custom)).body.data?.['capture']).toEqual(prepared.data?.['capture']);
  expect((await later.create()).status).toBe(201);
  // Only a key that was never used meanwhile is unknown, as the command had reported.
  expect(done.apiKeysLeft).toBeGreaterThanOrEqual(1);
  expect((await new Shop(baseUrl, unused).call('GET', '/v1/payments')).status).toBe(401);
});

it('is a command that prints its progress and may be repeated', async () => {
  const shop = new Shop(during.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  const url = String((await shop.create()).body.data?.['checkoutUrl']);
  const main = join(import.meta.dirname, '../../../dist/src/cli/admin.js');
  for (let time = 0; time < 2; time += 1) {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, 'keys', 'rewrap'], {
      env: { ...process.env, ...world.environment, ...steps.both },
    });
    expect(JSON.parse(stdout)).toMatchObject({ left: 0 });
    expect(stderr).toMatch(/^checkoutUrl: \d+ checked, \d+ sealed again$/m);
    expect(stdout + stderr).not.toContain(new URL(url).pathname.slice(3));
  }
  expect(
    (await new PageClient(during.baseUrl + new URL(url).pathname, world.vaultUrl).formToken()).length,
  ).toBeGreaterThan(0);
});
