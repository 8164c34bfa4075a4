import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type World, createWorld } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe('docs/sandbox.md', () => {
  it('the tour prints what it says, typed by a new user', async () => {
    const page = await readFile('docs/sandbox.md', 'utf8');
    const script = [...page.matchAll(/```sh\n(.*?)```/gs)].map((block) => block[1]).join('\n');
    const promised = [...script.matchAll(/# prints (.*)$/gm)].map((line) => line[1]);
    expect(promised.length).toBeGreaterThan(20);
    const { stdout } = await promisify(execFile)('bash', ['-c', `set -e -o pipefail\n${script}`], {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        BASE: world.baseUrl,
        KEY: await world.key(await world.merchant(), 'sandbox'),
      },
      timeout: 90_000,
    });
    expect(stdout.trim().split('\n')).toEqual(promised);
  });
});
