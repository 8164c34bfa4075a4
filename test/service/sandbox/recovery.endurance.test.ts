import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type World, createWorld } from '../../support/world.ts';
import { proves } from '../../support/proves.ts';

const run = promisify(execFile);
const timeout = 90_000;

const scripts = [
  'no-token.mjs',
  'pay-unknown.mjs',
  'capture-expired.mjs',
  'not-found.mjs',
  'lost-creation.mjs',
];

let world: World;
let rows: Promise<string[]>;
let tour: Promise<{ promised: string[]; printed: string[] }>;

/** The examples mostly wait, so they are started together and checked one by one. */
beforeAll(async () => {
  world = await createWorld();
  const apiKey = await world.key(await world.merchant(), 'sandbox');
  rows = followScripts(apiKey);
  tour = takeTour(apiKey);
  // The tests that await these promises report their failures.
  rows.catch(() => undefined);
  tour.catch(() => undefined);
});
afterAll(() => world.close());

function followScripts(apiKey: string): Promise<string[]> {
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    POLL_SECONDS: '0.5',
    CARD_PAYMENTS_URL: world.baseUrl,
    CARD_PAYMENTS_API_KEY: apiKey,
  };
  const follow = async (script: string): Promise<string> =>
    (await run(process.execPath, [`examples/recovery/${script}`], { env, timeout })).stdout;
  return Promise.all(scripts.map(follow));
}

/** Runs the commands of docs/sandbox.md as written. `promised` is the output that its comments name. */
async function takeTour(apiKey: string): Promise<{ promised: string[]; printed: string[] }> {
  const page = await readFile('docs/sandbox.md', 'utf8');
  const script = [...page.matchAll(/```sh\n(.*?)```/gs)].map((block) => block[1]).join('\n');
  const promised = [...script.matchAll(/# prints (.*)$/gm)].map((line) => line[1] ?? '');
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    CARD_PAYMENTS_URL: world.baseUrl,
    CARD_PAYMENTS_API_KEY: apiKey,
  };
  const { stdout } = await run('bash', ['-c', `set -e -o pipefail\n${script}`], { env, timeout });
  return { promised, printed: stdout.trim().split('\n') };
}

describe('the sandbox for a new user', () => {
  it('docs/sandbox.md: the tour prints what it documents', async () => {
    const { promised, printed } = await tour;
    expect(promised.length).toBeGreaterThan(20);
    expect(printed).toEqual(promised);
  });

  it(
    proves(
      'each row of the recovery table passes as its script describes',
      'RECOVER-01',
      'RECOVER-02',
      'RECOVER-03',
      'RECOVER-04',
    ),
    async () => {
      const printed = await rows;
      expect(printed.map((text) => text.includes('\n  '))).toEqual(scripts.map(() => true));
    },
  );

  it('a script without a service fails and names what it needs', async () => {
    const alone = run(process.execPath, ['not-found.mjs'], {
      cwd: 'examples/recovery',
      env: { PATH: process.env['PATH'] },
    });
    await expect(alone).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('npm start') });
  });
});
