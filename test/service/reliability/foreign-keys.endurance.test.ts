import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { openDatabase } from '../../../src/db/server/database.ts';
import { refuseKeys } from '../../../src/db/server/key-canary.ts';
import { projectRoot } from '../../support/harness/project-root.ts';
import { Shop } from '../../support/shop.ts';
import { cloneDatabase, createWorld, type World } from '../../support/world.ts';

const keysOf = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** Starts a process with other keys. Returns its exit code and message. */
async function startWith(script: string, keys: string): Promise<{ code: unknown; complaint: string }> {
  const child = spawn(process.execPath, [join(projectRoot, 'dist/src', script)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      ...world.environment,
      ...{ API_PORT: '0', PRIVATE_PORT: '0', ENCRYPTION_KEYS: keys },
    },
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  const [code] = (await once(child, 'close')) as [unknown];
  return { code, complaint };
}

it.each(['api/server.js', 'worker/main.js'])(
  '%s ends with one line that names the missing key',
  async (script) => {
    const { code, complaint } = await startWith(script, keysOf('other'));
    expect(code).toBe(1);
    expect(complaint).toBe(
      `ENCRYPTION_KEYS lacks the key "dev" of this database: add it after your own (docs/security.md, "Keys")\n`,
    );
    const again = await startWith(script, keysOf('dev'));
    expect(again.complaint).toMatch(
      /^ENCRYPTION_KEYS has a key "dev" that is not this database's: [^\n]+\n$/,
    );
  },
);

it('a database without a canary is judged by its newest payment', async () => {
  const shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  await shop.create({});
  await world.database.query('DELETE FROM key_canary');
  expect(await refuseKeys(world.database, createKeyring(keysOf('other')))).toMatch(/lacks the key "dev"/);
  expect((await world.database.query('SELECT FROM key_canary')).rows).toHaveLength(0);
  expect(await refuseKeys(world.database, createKeyring(world.settings.ENCRYPTION_KEYS))).toBeNull();
  expect((await world.database.query('SELECT FROM key_canary')).rows).toHaveLength(1);
});

it('the first of several processes seals the canary of an empty database, the others open it', async () => {
  const database = openDatabase({ url: await cloneDatabase(), poolSize: 4, applicationName: 'test' });
  try {
    const keyring = createKeyring(keysOf('own'));
    const refusals = await Promise.all([1, 2, 3].map(() => refuseKeys(database, keyring)));
    expect(refusals).toEqual([null, null, null]);
    expect(await refuseKeys(database, createKeyring(keysOf('own')))).toMatch(/has a key "own"/);
  } finally {
    await database.end();
  }
});

it('of two first starts with different keys, one is refused', async () => {
  const database = openDatabase({ url: await cloneDatabase(), poolSize: 4, applicationName: 'test' });
  try {
    const refusals = await Promise.all(
      ['one', 'two'].map((id) => refuseKeys(database, createKeyring(keysOf(id)))),
    );
    expect(refusals.filter((refusal) => refusal === null)).toHaveLength(1);
    expect(refusals.find((refusal) => refusal !== null)).toMatch(/^ENCRYPTION_KEYS lacks the key/);
  } finally {
    await database.end();
  }
});
