import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import {
  LauncherProcess,
  type StackFile,
  cleanUp,
  isRunning,
  isFullyStopped,
  temporaryDirectory,
  until,
} from '../../support/launcher-process.ts';

const TIMEOUT_MS = 90_000;

/**
 * One sequence of tests, because a start costs a PostgreSQL cluster and two engines. Two stacks start
 * concurrently. `one` is then killed in every way and restarted on its data; `two` is stopped by Ctrl-C. Each
 * test continues where the previous one ended.
 */
describe('the launcher', () => {
  const launchers: LauncherProcess[] = [];
  const start = (dataDir: string, ...args: string[]): LauncherProcess => {
    const launcher = new LauncherProcess(dataDir, args);
    launchers.push(launcher);
    return launcher;
  };
  let one: LauncherProcess;
  let two: LauncherProcess;
  let first: StackFile;
  let second: StackFile;

  beforeAll(async () => {
    one = start(temporaryDirectory());
    two = start(temporaryDirectory(), '--no-demo', '--workers', '2', '--apis', '3');
    [first, second] = await Promise.all([one.ready(), two.ready()]);
  }, TIMEOUT_MS);
  afterAll(() => cleanUp(launchers), TIMEOUT_MS);

  it(
    'publishes its addresses in a private file',
    async () => {
      expect(statSync(one.stackFilePath).mode & 0o777).toBe(0o600);
      expect(Object.keys(first.processes).toSorted()).toEqual(
        [
          'api',
          'network',
          'network-live',
          'postgres',
          'temporal',
          'vault',
          'vault-live',
          'worker',
        ].toSorted(),
      );
      expect(first).toMatchObject({
        merchantId: expect.any(String),
        sandboxApiKey: 'cps_sandbox_standin',
        demoPaymentId: expect.any(String),
        dashboardUrl: expect.stringContaining('http://localhost:'),
      });
      expect(await startsOf(first.databaseUrl)).toBe(1);
      expect((await fetch(`${first.temporalUiUrl}/api/v1/namespaces/default`)).status).toBe(200);
    },
    TIMEOUT_MS,
  );

  it(
    'runs twice side by side with separate ports, but only once on one data directory',
    async () => {
      const addresses = [first, second].flatMap(
        ({
          processes: _pids,
          sandboxApiKey: _key,
          merchantId: _merchant,
          baseUrl: _first,
          dashboardUrl: _link,
          apiUrls,
          ...urls
        }) => [...apiUrls, ...Object.values(urls)].filter(Boolean),
      );
      expect(new Set(addresses).size).toBe(addresses.length);

      const intruder = start(one.dataDir);
      expect(await intruder.ended()).toBe(1);
      expect(intruder.stderr).toBe(
        `error: a stack is already running on ${one.dataDir} (process ${one.child.pid}): stop it, or choose another --data-dir\n`,
      );
      expect(one.stackFile()).toEqual(first);
    },
    TIMEOUT_MS,
  );

  it(
    'treats the two SIGINTs of one Ctrl-C as one and stops in order with exit code 130',
    async () => {
      expect(second.demoPaymentId).toBeNull();
      expect(Object.keys(second.processes)).toEqual(
        expect.arrayContaining(['worker-1', 'worker-2', 'api', 'api-2', 'api-3']),
      );
      expect(second.apiUrls).toHaveLength(3);
      expect(second.apiUrls[0]).toBe(second.baseUrl);
      for (const url of second.apiUrls)
        expect((await fetch(`${url}/v1/payments?perPage=1`)).status).toBe(200);
      two.child.kill('SIGINT');
      expect(await two.stop('SIGINT')).toBe(130);
      expect(isFullyStopped(two.dataDir)).toBe(true);
    },
    TIMEOUT_MS,
  );

  it(
    'restarts a killed process, PostgreSQL and Temporal too, and updates the file',
    async () => {
      const before = one.stackFile().processes;
      for (const pid of Object.values(before)) process.kill(pid, 'SIGKILL');
      const now = () => one.stackFile().processes;
      await until(() => Object.entries(before).every(([name, pid]) => now()[name] !== pid));
      await until(() => Object.values(now()).every(isRunning));
      const { databaseUrl, temporalUiUrl } = one.stackFile();
      await until(() => succeeds(() => startsOf(databaseUrl)));
      await until(() => succeeds(() => fetch(temporalUiUrl)));
      expect(Object.keys(now()).toSorted()).toEqual(Object.keys(before).toSorted());
    },
    TIMEOUT_MS,
  );

  it(
    'leaves no process after a kill; the next start has the same data and addresses',
    async () => {
      const before = one.stackFile();
      expect(await one.stop('SIGKILL')).toBe(137);
      await until(() => !Object.values(before.processes).some(isRunning));
      await until(() => !existsSync(one.stackFilePath));
      one = start(one.dataDir, '--no-demo');
      const after = await one.ready();
      expect({ ...after, processes: {}, demoPaymentId: null }).toEqual({
        ...before,
        processes: {},
        demoPaymentId: null,
      });
      expect(await startsOf(after.databaseUrl)).toBe(2);
    },
    TIMEOUT_MS,
  );

  it(
    'cleans up at the next start after a kill of launcher and watchdog',
    async () => {
      const before = one.stackFile();
      one.child.kill('SIGSTOP');
      process.kill(watchdogOf(one.dataDir), 'SIGKILL');
      await one.stop('SIGKILL');
      expect(isRunning(before.processes['postgres'] ?? 0)).toBe(true);
      one = start(one.dataDir, '--no-demo');
      const after = await one.ready();
      expect(Object.values(before.processes).filter(isRunning)).toEqual([]);
      expect(await startsOf(after.databaseUrl)).toBe(3);
    },
    TIMEOUT_MS,
  );

  it(
    'stops everything and removes the file at SIGTERM',
    async () => {
      const { processes } = one.stackFile();
      expect(await one.stop('SIGTERM')).toBe(0);
      expect(Object.values(processes).filter(isRunning)).toEqual([]);
      expect(isFullyStopped(one.dataDir)).toBe(true);
    },
    TIMEOUT_MS,
  );

  it(
    'deletes the data of earlier runs with --fresh',
    async () => {
      one = start(one.dataDir, '--no-demo', '--fresh');
      const after = await one.ready();
      expect(await startsOf(after.databaseUrl)).toBe(1);
      expect(new URL(after.databaseUrl).password).not.toBe(new URL(first.databaseUrl).password);
    },
    TIMEOUT_MS,
  );
});

/** Returns the number of starts: the stand-in migration inserts a row at each. */
async function startsOf(databaseUrl: string): Promise<number> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>('select count(*)::int as count from starts');
    return rows[0]?.count ?? 0;
  } finally {
    await client.end();
  }
}

function watchdogOf(dataDir: string): number {
  const run: { watchdog: { pid: number } } = JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8'));
  return run.watchdog.pid;
}

async function succeeds(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch {
    return false;
  }
}
