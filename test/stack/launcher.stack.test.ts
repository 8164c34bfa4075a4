import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import {
  LauncherProcess,
  cleanUp,
  isRunning,
  nothingLeft,
  temporaryDirectory,
  until,
} from './launcher-process.ts';

const TIMEOUT_MS = 90_000;

describe('the launcher', () => {
  const launchers: LauncherProcess[] = [];
  const start = (dataDir: string, ...args: string[]): LauncherProcess => {
    const launcher = new LauncherProcess(dataDir, args);
    launchers.push(launcher);
    return launcher;
  };
  afterEach(async () => {
    await cleanUp(launchers.splice(0));
  });

  it(
    'says in a private file where everything is, and SIGTERM stops everything and removes it',
    async () => {
      const launcher = start(temporaryDirectory());
      const stack = await launcher.ready();
      expect(statSync(launcher.stackFilePath).mode & 0o777).toBe(0o600);
      expect(Object.keys(stack.processes).toSorted()).toEqual(
        ['api', 'network', 'postgres', 'temporal', 'vault', 'worker'].toSorted(),
      );
      expect(stack).toMatchObject({
        sandboxApiKey: 'cps_sandbox_standin',
        demoPaymentId: expect.any(String),
      });
      expect(await startsOf(stack.databaseUrl)).toBe(1);
      expect((await fetch(`${stack.temporalUiUrl}/api/v1/namespaces/default`)).status).toBe(200);

      expect(await launcher.stop('SIGTERM')).toBe(0);
      expect(Object.values(stack.processes).filter(isRunning)).toEqual([]);
      expect(nothingLeft(launcher.dataDir)).toBe(true);
    },
    TIMEOUT_MS,
  );

  it(
    'takes the two SIGINTs of one Ctrl-C for one and stops in order with exit code 130',
    async () => {
      const launcher = start(temporaryDirectory(), '--no-demo', '--workers', '2');
      const stack = await launcher.ready();
      expect(stack.demoPaymentId).toBeNull();
      expect(Object.keys(stack.processes)).toEqual(expect.arrayContaining(['worker-1', 'worker-2']));
      launcher.child.kill('SIGINT');
      expect(await launcher.stop('SIGINT')).toBe(130);
      expect(nothingLeft(launcher.dataDir)).toBe(true);
    },
    TIMEOUT_MS,
  );

  it(
    'starts a process again that was killed, PostgreSQL and Temporal too, and rewrites the file',
    async () => {
      const launcher = start(temporaryDirectory(), '--no-demo');
      const before = (await launcher.ready()).processes;
      for (const pid of Object.values(before)) process.kill(pid, 'SIGKILL');
      const now = () => launcher.stackFile().processes;
      await until(() => Object.entries(before).every(([name, pid]) => now()[name] !== pid));
      await until(() => Object.values(now()).every(isRunning));
      const { databaseUrl, temporalUiUrl } = launcher.stackFile();
      await until(() => answers(() => startsOf(databaseUrl)));
      await until(() => answers(() => fetch(temporalUiUrl)));
      expect(Object.keys(now()).toSorted()).toEqual(Object.keys(before).toSorted());
    },
    TIMEOUT_MS,
  );

  it(
    'killed outright leaves nothing running, and the next start goes on with the same data and addresses',
    async () => {
      const killed = start(temporaryDirectory(), '--no-demo');
      const before = await killed.ready();
      expect(await killed.stop('SIGKILL')).toBe(137);
      await until(() => !Object.values(before.processes).some(isRunning));
      await until(() => !existsSync(killed.stackFilePath));
      const next = start(killed.dataDir, '--no-demo');
      const after = await next.ready();
      expect({ ...after, processes: {} }).toEqual({ ...before, processes: {} });
      expect(await startsOf(after.databaseUrl)).toBe(2);
    },
    TIMEOUT_MS,
  );

  it(
    'killed together with its watchdog still lets the next start clean up and go on',
    async () => {
      const killed = start(temporaryDirectory(), '--no-demo');
      const before = await killed.ready();
      killed.child.kill('SIGSTOP');
      process.kill(watchdogOf(killed.dataDir), 'SIGKILL');
      await killed.stop('SIGKILL');
      expect(isRunning(before.processes['postgres'] ?? 0)).toBe(true);
      const next = start(killed.dataDir, '--no-demo');
      const after = await next.ready();
      expect(Object.values(before.processes).filter(isRunning)).toEqual([]);
      expect(await startsOf(after.databaseUrl)).toBe(2);
    },
    TIMEOUT_MS,
  );

  it(
    'runs twice side by side, each with its own ports, but only once on one data directory',
    async () => {
      const one = start(temporaryDirectory(), '--no-demo');
      const two = start(temporaryDirectory(), '--no-demo');
      const [first, second] = [await one.ready(), await two.ready()];
      const addresses = [first, second].flatMap(({ processes: _pids, sandboxApiKey: _key, ...urls }) =>
        Object.values(urls).filter(Boolean),
      );
      expect(new Set(addresses).size).toBe(addresses.length);

      const intruder = start(one.dataDir);
      expect(await intruder.ended()).toBe(1);
      expect(intruder.stderr).toBe(
        `error: ${one.dataDir} is in use by the stack of process ${one.child.pid}: stop that one, or name another --data-dir\n`,
      );
      expect(one.stackFile()).toEqual(first);
    },
    TIMEOUT_MS,
  );

  it(
    'forgets what earlier runs kept when told to start afresh',
    async () => {
      const dataDir = temporaryDirectory();
      const old = start(dataDir, '--no-demo');
      const before = await old.ready();
      await old.stop();
      const afresh = start(dataDir, '--no-demo', '--fresh');
      const after = await afresh.ready();
      expect(await startsOf(after.databaseUrl)).toBe(1);
      expect(new URL(after.databaseUrl).password).not.toBe(new URL(before.databaseUrl).password);
    },
    TIMEOUT_MS,
  );
});

/** The stand-in migration leaves a row for every start. */
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

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch {
    return false;
  }
}
