import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync, copyFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { createSigningSecret, signatureHeaders } from '../../../src/webhooks/signing.ts';

const here = dirname(fileURLToPath(import.meta.url));
const drivers = join(here, 'samples');
const page = readFileSync(join(here, '../../../docs/webhooks.md'), 'utf8');

function sample(language: string): string {
  const code = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\n\`\`\``).exec(page)?.[1];
  if (code === undefined) throw new Error(`docs/webhooks.md has no sample in ${language}`);
  return `${code}\n`;
}

const secret = createSigningSecret();
const event = { id: 'evt_1', body: '{"id":"evt_1","text":"ü \\u2028 😀","n":1e21}' };
const now = new Date();
const at = (minutes: number): Date => new Date(now.getTime() + minutes * 60_000);
const genuine = signatureHeaders(event, [secret], now);

const cases: { title: string; accepted: boolean; headers: Record<string, string>; body?: string }[] = [
  { title: 'a genuine delivery', accepted: true, headers: genuine },
  {
    title: 'two signatures, ours second',
    accepted: true,
    headers: signatureHeaders(event, [createSigningSecret(), secret], now),
  },
  { title: 'four minutes old', accepted: true, headers: signatureHeaders(event, [secret], at(-4)) },
  { title: 'six minutes old', accepted: false, headers: signatureHeaders(event, [secret], at(-6)) },
  { title: 'six minutes ahead', accepted: false, headers: signatureHeaders(event, [secret], at(6)) },
  {
    title: 'another secret',
    accepted: false,
    headers: signatureHeaders(event, [createSigningSecret()], now),
  },
  { title: 'a changed body', accepted: false, headers: genuine, body: event.body.replace('evt_1', 'evt_2') },
  { title: 'another id', accepted: false, headers: { ...genuine, 'webhook-id': 'evt_2' } },
  {
    title: 'another timestamp',
    accepted: false,
    headers: { ...genuine, 'webhook-timestamp': String(Math.floor(at(1).getTime() / 1000)) },
  },
  { title: 'no headers', accepted: false, headers: {} },
  {
    title: 'another version',
    accepted: false,
    headers: { ...genuine, 'webhook-signature': genuine['webhook-signature'].replace('v1', 'v1a') },
  },
  { title: 'an empty signature', accepted: false, headers: { ...genuine, 'webhook-signature': 'v1,' } },
  {
    title: 'a timestamp that is no number',
    accepted: false,
    headers: { ...genuine, 'webhook-timestamp': 'now' },
  },
];

describe('the verification samples of docs/webhooks.md', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'card-payments-samples-'));
    writeFileSync(
      join(directory, 'cases.json'),
      JSON.stringify(cases.map(({ headers, body = event.body }) => ({ secret, headers, body }))),
    );
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const put = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };
  const borrow = (name: string): string => {
    copyFileSync(join(drivers, name), join(directory, name));
    return join(directory, name);
  };

  const languages: {
    name: string;
    language: string;
    probe: [string, string[]];
    run: () => [string, string[]];
  }[] = [
    {
      name: 'TypeScript',
      language: 'ts',
      probe: [process.execPath, ['--version']],
      run: () => [
        process.execPath,
        [
          join(drivers, 'driver.mjs'),
          join(directory, 'cases.json'),
          put('webhook.mjs', transformSync(sample('ts'), { loader: 'ts' }).code),
        ],
      ],
    },
    {
      name: 'Python',
      language: 'python',
      probe: ['python3', ['--version']],
      run: () => {
        put('webhook.py', sample('python'));
        return ['python3', [borrow('driver.py'), join(directory, 'cases.json')]];
      },
    },
    {
      name: 'Go',
      language: 'go',
      probe: ['go', ['version']],
      run: () => [
        'go',
        ['run', put('webhook.go', sample('go')), borrow('driver.go'), join(directory, 'cases.json')],
      ],
    },
    {
      name: 'PHP',
      language: 'php',
      probe: ['php', ['--version']],
      run: () => [
        'php',
        [join(drivers, 'driver.php'), join(directory, 'cases.json'), put('webhook.php', sample('php'))],
      ],
    },
  ];

  const installed = languages.filter(({ probe }) => isInstalled(probe));
  for (const { name, probe } of languages.filter((one) => !installed.includes(one))) {
    process.stderr.write(`skipped: the sample in ${name}, because ${probe[0]} is not installed\n`);
  }

  it.each(installed)('the sample in $name accepts genuine deliveries and refuses all others', async (one) => {
    const [file, args] = one.run();
    const { stdout } = await promisify(execFile)(file, args, {
      timeout: 90_000,
      env: { ...process.env, NODE_OPTIONS: '', GOFLAGS: '', GO111MODULE: 'off' },
    });
    const results = JSON.parse(stdout) as (string | null)[];
    expect(cases.map(({ title }, index) => [title, results[index]])).toEqual(
      cases.map(({ title, accepted }) => [title, accepted ? event.id : null]),
    );
  });

  it('the SQL of the page equals the SQL of the example shop', () => {
    const statement = (text: string): string => text.slice(text.indexOf('WITH fulfilled')).trim();
    expect(statement(sample('sql'))).toBe(
      statement(readFileSync(join(here, '../../../examples/shop/fulfill.sql'), 'utf8')),
    );
  });
});

function isInstalled([file, args]: [string, string[]]): boolean {
  try {
    execFileSync(file, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
