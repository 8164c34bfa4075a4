import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type World, createWorld } from '../support/world.ts';

let world: World;
let apiKey: string;

beforeAll(async () => {
  world = await createWorld();
  apiKey = await world.key(await world.merchant(), 'sandbox');
});
afterAll(() => world.close());

const run = (script: string) =>
  promisify(execFile)(process.execPath, [`examples/recovery/${script}`], {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      POLL_SECONDS: '0.5',
      CARD_PAYMENTS_URL: world.baseUrl,
      CARD_PAYMENTS_API_KEY: apiKey,
    },
    timeout: 90_000,
  });

describe('the scripts of the recovery table', () => {
  it('RECOVER-01 to RECOVER-04: each row goes as its script says', async () => {
    const scripts = [
      'no-token.mjs',
      'pay-unknown.mjs',
      'capture-expired.mjs',
      'not-found.mjs',
      'lost-creation.mjs',
    ];
    const said = await Promise.all(scripts.map(async (script) => (await run(script)).stdout));
    expect(said.map((text) => text.includes('\n  '))).toEqual(scripts.map(() => true));
  });

  it('a script without a service says what it needs and fails', async () => {
    const alone = promisify(execFile)(process.execPath, ['not-found.mjs'], {
      cwd: 'examples/recovery',
      env: { PATH: process.env['PATH'] },
    });
    await expect(alone).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('npm start') });
  });
});
