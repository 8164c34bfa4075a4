import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../support/harness/project-root.ts';
import { type KeyService, startTransit } from '../../support/key-services.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type ApiProcess, startApiProcess } from '../../support/service-process.ts';
import { type World, createWorld } from '../../support/world.ts';

const plain = `old:${randomBytes(32).toString('base64')}`;

let world: World;
let vault: KeyService;
let directory: string;
const started: ApiProcess[] = [];
beforeAll(async () => {
  vault = await startTransit();
  directory = mkdtempSync(join(tmpdir(), 'wrapped-keys-'));
  world = await createWorld({ ENCRYPTION_KEYS: plain }, { worker: false });
});
afterAll(async () => {
  await Promise.all(started.map((api) => api.kill()));
  await world.close();
  await vault.close();
  rmSync(directory, { recursive: true });
});

const transit = () => ({
  ...{ KEY_ENCRYPTION: 'vaultTransit', TRANSIT_URL: vault.url, TRANSIT_KEY_NAME: 'one' },
  TRANSIT_TOKEN: 'hvs.test-token',
});

/** Runs a compiled file with Vault's settings and others. Returns its exit code and output. */
const run = (script: string, args: string[], changes: Record<string, string> = {}) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const env = {
      ...process.env,
      ...world.environment,
      API_PORT: '0',
      PRIVATE_PORT: '0',
      ...transit(),
      ...changes,
    };
    const command = ['--no-warnings', join(projectRoot, 'dist/src', script), ...args];
    execFile(process.execPath, command, { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });

async function admin(args: string[], changes?: Record<string, string>): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await run('cli/admin.js', args, changes);
  if (code !== 0 && code !== 3) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const wrap = async (...args: string[]): Promise<string> =>
  String((await admin(['keys', 'wrap', ...args]))['value']);

async function start(changes: Record<string, string>): Promise<ApiProcess> {
  const api = await startApiProcess(world, { ...transit(), ...changes });
  started.push(api);
  return api;
}

it('a wrapped key is rotated and retired while the service runs, and the rows of a plain key stay readable', async () => {
  const file = join(directory, 'keys');
  writeFileSync(file, plain);
  const [old, fresh, lookup] = await Promise.all([
    wrap('--file', file),
    wrap('--id', 'fresh'),
    wrap('--id', 'l1', '--setting', 'LOOKUP_KEYS'),
  ]);
  expect(old).toMatch(/^old:vault:v1:/);
  const bare = plain.slice(4);
  expect(old).not.toContain(bare);

  const key = await world.key(await world.merchant(), 'sandbox');
  const { body } = await new Shop(world.baseUrl, key).create();
  const link = new URL(String(body.data?.['checkoutUrl'])).pathname;

  const both = { ENCRYPTION_KEYS: `${fresh},${old}`, LOOKUP_KEYS: `${lookup},derived:old` };
  const during = await start(both);
  expect((await fetch(during.baseUrl + link)).status).toBe(200);
  expect((await new Shop(during.baseUrl, key).call('GET', '/v1/payments')).status).toBe(200);
  expect(await admin(['keys', 'rewrap'], both)).toMatchObject({ left: 0 });
  await eventually(async () => {
    const { rows } = await world.database.query(`SELECT FROM api_keys WHERE lookup_key_id = 'l1'`);
    return rows.length > 0 ? true : undefined;
  });

  const after = { ENCRYPTION_KEYS: fresh, LOOKUP_KEYS: lookup };
  const later = await start(after);
  expect((await fetch(later.baseUrl + link)).status).toBe(200);
  expect((await new Shop(later.baseUrl, key).create()).status).toBe(201);
  for (const api of [during, later]) {
    for (const text of [bare, old, fresh, lookup, 'hvs.test-token']) expect(api.logged()).not.toContain(text);
  }

  const named = (answer: Record<string, unknown>) =>
    (answer['checks'] as { name: string; fix: string | null }[]).filter(({ name }) => /key/.test(name));
  expect(named(await admin(['doctor'], after))).toMatchObject([
    { name: 'key service', fix: null },
    { name: 'encryption keys', fix: null },
  ]);
  expect(named(await admin(['doctor'], { ...after, TRANSIT_KEY_NAME: 'two' }))).toMatchObject([
    {
      name: 'key service',
      fix: expect.stringMatching(/^ENCRYPTION_KEYS: key "fresh" was not unwrapped: Vault /),
    },
  ]);
});

it.each(['api/server.js', 'worker/main.js'])(
  '%s ends with one line that names setting, key and fix when the token is refused',
  async (script) => {
    const { code, stderr } = await run(script, [], {
      ...{ ENCRYPTION_KEYS: 'k1:vault:v1:AAAA', TRANSIT_TOKEN: 'hvs.another-token' },
    });
    expect(code).toBe(1);
    expect(stderr).toBe(
      'ENCRYPTION_KEYS: key "k1" was not unwrapped: Vault refused the token (403): ' +
        'set TRANSIT_TOKEN to one whose policy allows TRANSIT_KEY_NAME\n',
    );
  },
);
