import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choosePort } from '../../local-stack/ports.ts';
import { ensureDatabase, prepareCluster, withClient } from '../../local-stack/postgres.ts';
import { Supervisor } from '../../local-stack/supervisor.ts';
import { Watchdog } from '../../local-stack/watchdog.ts';
import { migrate } from '../../src/db/server/migrate.ts';
import { ServerThread } from './server-calls.ts';
import { ServerPostgres } from './server-postgres.ts';
import type { PostgresBackend } from './simulated-postgres.ts';
import {
  ServerClock,
  clockFile,
  simulatedFunctions,
  simulatedSettings,
  withoutLockTimeouts,
} from './simulated-sql.ts';

const template = 'simulated_template';
const firstPort = 26_432;

/** A server for tests, and how to stop it. */
interface Server {
  port: number;
  password: string;
  clock: ServerClock;
  stop: () => Promise<void>;
}

/** Starts the embedded PostgreSQL and migrates a template. Returns a backend that copies it for each seed. */
export async function serverBackend(): Promise<PostgresBackend> {
  const { port, password, clock, stop } = await startServer();
  const thread = new ServerThread({ port, password });
  let opened = 0;
  return {
    async open(scheduler, seed) {
      const name = `seed_${(opened += 1)}`;
      clock.set(scheduler.nowMs);
      thread.call('administer', `CREATE DATABASE ${name} TEMPLATE ${template}`);
      return new ServerPostgres({ thread, clock, scheduler, database: name, seed });
    },
    async close() {
      await thread.close();
      await stop();
    },
  };
}

/** Starts a server with the simulated clock and a migrated template. It ends with this process (watchdog). */
async function startServer(): Promise<Server> {
  const directory = join(tmpdir(), `card-payments-simulated-${randomUUID()}`);
  const logsDirectory = join(directory, 'logs');
  mkdirSync(logsDirectory, { recursive: true });
  const watchdog = new Watchdog();
  watchdog.removeWhenOrphaned(directory);
  const print = (line: string): void => void process.stderr.write(`${line}\n`);
  const supervisor = new Supervisor({ logsDirectory, guard: watchdog, onChange: () => undefined, print });
  const closers: (() => void)[] = [];
  const stop = async (): Promise<void> => {
    await supervisor.stop();
    for (const close of closers) close();
    await watchdog.close();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const { signal } = new AbortController();
    const { port } = await choosePort([firstPort]);
    const password = randomBytes(24).toString('base64url');
    const data = join(directory, 'postgres');
    const cluster = await prepareCluster({
      ...{ directory: data, port, password, logsDirectory, signal },
      ...{ durable: false, guard: watchdog, settings: simulatedSettings },
    });
    // The sessions' thread speaks no other way to log in.
    writeFileSync(join(data, 'pg_hba.conf'), 'host all all 127.0.0.1/32 password\n');
    const clock = new ServerClock(join(data, clockFile));
    closers.push(() => clock.close());
    await supervisor.start(cluster.program, signal);
    await fillTemplate(cluster.url);
    return { port, password, clock, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function fillTemplate(url: (database: string) => string): Promise<void> {
  await ensureDatabase(url('postgres'), template);
  // Before the migrations, whose defaults and functions use them.
  await withClient(url(template), (client) => client.query(simulatedFunctions));
  await migrate(url(template));
  await withClient(url(template), (client) => client.query(withoutLockTimeouts));
}
