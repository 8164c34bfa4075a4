import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import {
  LauncherProcess,
  cleanUp,
  isFullyStopped,
  temporaryDirectory,
} from '../../support/launcher-process.ts';

const TIMEOUT_MS = 60_000;

describe('an impossible start is refused in one line that names the fix, and leaves nothing running', () => {
  const launchers: LauncherProcess[] = [];
  afterAll(() => cleanUp(launchers));

  async function refusal(
    args: string[],
    environment: NodeJS.ProcessEnv = {},
    dataDir = temporaryDirectory(),
  ) {
    const launcher = new LauncherProcess(dataDir, args, environment);
    launchers.push(launcher);
    const exitCode = await launcher.ended();
    expect(launcher.stdout).not.toContain('✔ Ready');
    expect(isFullyStopped(dataDir)).toBe(true);
    return { exitCode, stderr: launcher.stderr };
  }

  it.concurrent.each([
    [
      ['--prot', '3000'],
      /^error: unknown option '--prot' .*--port.*; npm start -- --help lists the flags\n$/,
    ],
    [['--port', 'http'], /^error: .*--port.*whole number from 1 to 65535.*\n$/],
    [['--workers', '0'], /^error: .*--workers.*whole number from 1 to 32.*\n$/],
    [['--apis', '33'], /^error: .*--apis.*whole number from 1 to 32.*\n$/],
    [
      ['--temporal', 'cloud'],
      /^error: .*--temporal.*dev, server, cluster.*; npm start -- --help lists the flags\n$/,
    ],
    [['now'], /^error: too many arguments.*\n$/],
  ])(
    'flags %j',
    async (args, line) => {
      const { exitCode, stderr } = await refusal(args);
      expect(stderr).toMatch(line);
      expect(exitCode).toBe(2);
    },
    TIMEOUT_MS,
  );

  it.concurrent(
    'a busy port that --port names',
    async () => {
      const busy = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => busy.once('listening', resolve));
      const { port } = busy.address() as AddressInfo;
      const { exitCode, stderr } = await refusal(['--port', String(port)]);
      busy.close();
      expect(stderr).toBe(`error: port ${port} is busy: free it or choose another with --port\n`);
      expect(exitCode).toBe(1);
    },
    TIMEOUT_MS,
  );

  it.concurrent(
    'a data directory that is a file',
    async () => {
      const parent = temporaryDirectory();
      const file = join(parent, 'file');
      writeFileSync(file, '');
      const launcher = new LauncherProcess(file);
      launchers.push(launcher);
      expect(await launcher.ended()).toBe(1);
      expect(launcher.stderr).toMatch(
        /^error: .*file cannot be the data directory \(.*\): choose another with --data-dir\n$/,
      );
      rmSync(parent, { recursive: true });
    },
    TIMEOUT_MS,
  );

  it.concurrent(
    'a data directory in /proc, where nothing can be created',
    async () => {
      const launcher = new LauncherProcess('/proc/x');
      launchers.push(launcher);
      expect(await launcher.ended()).toBe(1);
      expect(launcher.stderr).toMatch(
        /^error: \/proc\/x cannot be the data directory \(.*\): choose another with --data-dir\n$/,
      );
    },
    TIMEOUT_MS,
  );

  it.concurrent.each([
    [
      'of another PostgreSQL major',
      'PG_VERSION',
      '12\n',
      /created by PostgreSQL 12 and this is PostgreSQL \d+: migrate/,
    ],
    ['that is no PostgreSQL directory', 'note', 'mine', /is no PostgreSQL directory .*: start with --fresh/],
    ['with damaged files', 'PG_VERSION', '18\n', /^error: postgres ended before it was ready: .*\n$/],
  ])(
    'a database directory %s',
    async (_what, name, content, line) => {
      const dataDir = temporaryDirectory();
      mkdirSync(join(dataDir, 'postgres'), { mode: 0o700 });
      writeFileSync(join(dataDir, 'postgres', name), content);
      const { exitCode, stderr } = await refusal([], {}, dataDir);
      expect(stderr).toMatch(line);
      expect(stderr).toMatch(/^error: [^\n]+\n$/);
      expect(exitCode).toBe(1);
    },
    TIMEOUT_MS,
  );

  it.concurrent(
    'damaged secrets',
    async () => {
      const dataDir = temporaryDirectory();
      writeFileSync(join(dataDir, 'secrets.json'), '{"postgresPassword":');
      const { exitCode, stderr } = await refusal([], {}, dataDir);
      expect(stderr).toMatch(/^error: .*secrets\.json is damaged: start with --fresh, .*\n$/);
      expect(exitCode).toBe(1);
    },
    TIMEOUT_MS,
  );

  it.concurrent(
    'a DATABASE_URL where no server answers, without its password',
    async () => {
      const { exitCode, stderr } = await refusal([], {
        DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:9/shop',
      });
      expect(stderr).toMatch(
        /^error: DATABASE_URL \(127\.0\.0\.1:9\/shop\) cannot be used: .*ECONNREFUSED.*unset DATABASE_URL.*\n$/,
      );
      expect(stderr).not.toContain('hunter2');
      expect(exitCode).toBe(1);
    },
    TIMEOUT_MS,
  );

  it.concurrent(
    'a TEMPORAL_ADDRESS where no server answers',
    async () => {
      const { exitCode, stderr } = await refusal([], { TEMPORAL_ADDRESS: '127.0.0.1:9' });
      expect(stderr).toMatch(
        /^error: Temporal at 127\.0\.0\.1:9, .* cannot be used .*unset TEMPORAL_ADDRESS.*\n$/,
      );
      expect(exitCode).toBe(1);
    },
    TIMEOUT_MS,
  );

  it.concurrent.each(['DATABASE_URL', 'TEMPORAL_ADDRESS'])(
    '--temporal server together with %s',
    async (name) => {
      const { exitCode, stderr } = await refusal(['--temporal', 'server'], { [name]: 'postgres://u@h/d' });
      expect(stderr).toMatch(new RegExp(`^error: --temporal server runs .*: unset ${name}, .*\\n$`));
      expect(exitCode).toBe(1);
    },
    TIMEOUT_MS,
  );

  it.concurrent.each([
    ['the dev server', 'temporal.db', 'server', 'dev'],
    ['a real server', 'server.json', 'dev', 'server'],
    ['a cluster', 'cluster', 'server', 'cluster'],
  ])(
    'data of %s with another kind of Temporal',
    async (_what, file, kind, other) => {
      const dataDir = temporaryDirectory();
      mkdirSync(join(dataDir, 'temporal'));
      writeFileSync(join(dataDir, 'temporal', file), '');
      const { exitCode, stderr } = await refusal(['--temporal', kind], {}, dataDir);
      expect(stderr).toMatch(
        new RegExp(`^error: the workflows in .* belong to --temporal ${other}: .*--fresh, .*\\n$`),
      );
      expect(exitCode).toBe(1);
    },
    TIMEOUT_MS,
  );

  it.concurrent.each([
    [
      'no Go',
      undefined,
      /^error: Temporal's server is built once with Go .* install Go [\d.]+ or newer .*\n$/,
    ],
    [
      'a Go that fails to build it',
      '#!/bin/sh\necho "go: module requires go >= 99" >&2\nexit 1\n',
      /^error: the server could not be built: Go [\d.]+ or newer .*\(go failed \(exit code 1\): go: module requires go >= 99 .*\n$/,
    ],
  ])(
    'a missing Temporal server, and %s',
    async (_what, go, line) => {
      const place = temporaryDirectory();
      mkdirSync(join(place, 'bin'));
      if (go !== undefined) writeFileSync(join(place, 'bin', 'go'), go, { mode: 0o755 });
      const { exitCode, stderr } = await refusal(['--temporal', 'server'], {
        GOROOT: place,
        XDG_CACHE_HOME: join(place, 'cache'),
      });
      rmSync(place, { recursive: true });
      expect(stderr).toMatch(line);
      expect(exitCode).toBe(1);
    },
    TIMEOUT_MS,
  );

  it.concurrent.each([
    [{ CHECKOUT_DEADLINE_SECONDS: 'soon' }, /^error: CHECKOUT_DEADLINE_SECONDS: .*\n$/],
    [{ DEPLOYMENT: 'production' }, /^error: npm start runs a development stack: unset DEPLOYMENT .*\n$/],
    [
      { TEMPORAL_CLI: '/nowhere/temporal' },
      /^error: TEMPORAL_CLI \(\/nowhere\/temporal\) does not run: .*\n$/,
    ],
    [
      { STAND_IN_FAILS: 'SETTING is wrong' },
      /^error: \w+ ended before it was ready: SETTING is wrong \(log: .*\)\n$/,
    ],
  ])(
    'wrong settings %j',
    async (environment, line) => {
      const { exitCode, stderr } = await refusal([], environment);
      expect(stderr).toMatch(line);
      expect(exitCode).toBe(1);
    },
    TIMEOUT_MS,
  );
});
