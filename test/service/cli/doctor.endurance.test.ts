import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { openDatabase } from '../../../src/db/server/database.ts';
import { projectRoot } from '../../support/harness/project-root.ts';
import { freePorts } from '../../support/free-ports.ts';
import { cloneDatabase, createWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { webhooks: true });
});
afterAll(() => world.close());

interface Answer {
  code: number | null;
  checks: { name: string; ok: boolean; fix: string | null }[];
  stderr: string;
}

/** Runs `admin doctor` with some of the world's settings changed. */
const doctor = (changes: Record<string, string> = {}, ...args: string[]): Promise<Answer> =>
  new Promise((resolve) => {
    const environment = { ...process.env, ...world.environment, ...changes };
    const command = ['--no-warnings', 'dist/src/cli/admin.js', 'doctor', '--json', ...args];
    execFile(process.execPath, command, { cwd: projectRoot, env: environment }, (error, stdout, stderr) => {
      const { checks = [] } = (stdout === '' ? {} : JSON.parse(stdout)) as Partial<Answer>;
      resolve({ code: error === null ? 0 : Number(error.code), checks, stderr });
    });
  });
const fixes = ({ checks }: Answer): string[] => checks.flatMap(({ fix }) => fix ?? []);

it('finds nothing wrong with a stack that runs', async () => {
  const { code, checks } = await doctor();
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(code).toBe(0);
  expect(checks.map(({ name }) => name)).toEqual([
    'settings',
    'setting names',
    'database',
    'pooler',
    'migrations',
    'database role',
    'encryption keys',
    'clock',
    'connections',
    'temporal access',
    'temporal',
    'namespace',
    'search attributes',
    expect.stringMatching(/^queue .*payments$/),
    expect.stringMatching(/^queue .*provider$/),
    expect.stringMatching(/^queue .*webhooks$/),
    'sandbox vault',
    'sandbox network',
    'disk',
  ]);
});

const otherKey = `other:${randomBytes(32).toString('base64')}`;
const nowhere = async (scheme: string): Promise<string> => `${scheme}://127.0.0.1:${(await freePorts(1))[0]}`;

it.each<[string, () => Promise<Record<string, string>> | Record<string, string>, RegExp]>([
  ['a setting that is no number', () => ({ API_PORT: 'x' }), /^API_PORT: /],
  [
    'a mistyped setting',
    () => ({ DATABASE_POOLSIZE: '5' }),
    /^DATABASE_POOLSIZE is not a setting: did you mean DATABASE_POOL_SIZE/,
  ],
  ['keys that cannot be read', () => ({ ENCRYPTION_KEYS: 'nonsense' }), /^ENCRYPTION_KEYS/],
  [
    'a database that is away',
    async () => ({ DATABASE_URL: `${await nowhere('postgres')}/x` }),
    /ECONNREFUSED/,
  ],
  [
    'a database that does not exist',
    () => ({ DATABASE_URL: changed((url) => (url.pathname = '/none')) }),
    /3D000/,
  ],
  [
    'a database without migrations',
    async () => ({ DATABASE_URL: await emptyDatabase() }),
    /^the database lacks \d+ migration\(s\), the first is 0001_.*: run the migrate command$/,
  ],
  [
    'a database that forgets commits',
    () => ({
      DATABASE_URL: changed((url) => url.searchParams.set('options', '-c synchronous_commit=off')),
    }),
    /^PostgreSQL has synchronous_commit = off: set it to on/,
  ],
  [
    'a database that only reads',
    () => ({
      DATABASE_URL: changed((url) => url.searchParams.set('options', '-c default_transaction_read_only=on')),
    }),
    /^PostgreSQL opens read-only transactions/,
  ],
  [
    'pools that are too large',
    () => ({ DATABASE_POOL_SIZE: '200' }),
    /raise max_connections, or lower DATABASE_POOL_SIZE$/,
  ],
  [
    'foreign keys',
    () => ({ ENCRYPTION_KEYS: otherKey }),
    /^ENCRYPTION_KEYS lacks the key "\w+" of this database/,
  ],
  [
    'Temporal that is away',
    async () => ({ TEMPORAL_ADDRESS: (await nowhere('x')).slice(4) }),
    /^TEMPORAL_ADDRESS: Temporal does not answer at 127\.0\.0\.1:\d+ \(.*\): start it, or correct the address$/,
  ],
  [
    'a namespace that does not exist',
    () => ({ TEMPORAL_NAMESPACE: 'none' }),
    /^TEMPORAL_NAMESPACE: the namespace none cannot be read/,
  ],
  [
    'queues without a worker',
    () => ({ TASK_QUEUE_PREFIX: 'other-' }),
    /^no worker polls the task queue other-payments: start one/,
  ],
  [
    'a vault that is away',
    async () => ({ VAULT_URL: await nowhere('http') }),
    /^VAULT_URL: nothing answers there \(ECONNREFUSED\)/,
  ],
  [
    'a network that is away',
    async () => ({ NETWORK_URL: await nowhere('http') }),
    /^NETWORK_URL: nothing answers there/,
  ],
])('names the fix of %s', async (_fault, changes, fix) => {
  const answer = await doctor(await changes());
  expect(fixes(answer)).toContainEqual(expect.stringMatching(fix));
  expect(answer.code).toBe(3);
  expect(answer.stderr).toBe('');
});

it('takes a wrong flag for no answer', async () => {
  for (const flags of [
    ['--api', '2'],
    ['--apis', 'two'],
  ]) {
    const { code, stderr } = await doctor({}, ...flags);
    expect(code).toBe(2);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  }
});

const changed = (change: (url: URL) => unknown): string => {
  const url = new URL(world.settings.DATABASE_URL);
  change(url);
  return url.toString();
};

async function emptyDatabase(): Promise<string> {
  const url = await cloneDatabase();
  const database = openDatabase({ url, poolSize: 1, applicationName: 'test' });
  try {
    await database.query('DROP TABLE schema_migrations');
  } finally {
    await database.end();
  }
  return url;
}
