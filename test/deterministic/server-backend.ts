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

/** A running server, for processes of this machine. */
export interface SimulatedServer {
  port: number;
  password: string;
  /** The file from which the server reads the simulated time. */
  clock: string;
}

/** Starts the embedded PostgreSQL. Returns a backend that copies its migrated template for each seed. */
export async function serverBackend(): Promise<PostgresBackend> {
  const { server, stop } = await startServer();
  const backend = backendOf(server);
  return {
    open: (scheduler, seed) => backend.open(scheduler, seed),
    async close() {
      await backend.close();
      await stop();
    },
  };
}

/** Returns a backend that copies the migrated template of a running server for each seed. */
export function backendOf({ port, password, clock: path }: SimulatedServer): PostgresBackend {
  const thread = new ServerThread({ port, password });
  const clock = new ServerClock(path);
  return {
    async open(scheduler, seed) {
      const name = `seed_${randomUUID().replaceAll('-', '')}`;
      clock.set(scheduler.nowMs);
      thread.call('administer', `CREATE DATABASE ${name} TEMPLATE ${template}`);
      return new ServerPostgres({ thread, clock, scheduler, database: name, seed });
    },
    async close() {
      clock.close();
      await thread.close();
    },
  };
}

/** Starts a server with the simulated clock and a migrated template. It ends with this process (watchdog). */
export async function startServer(): Promise<{ server: SimulatedServer; stop: () => Promise<void> }> {
  const directory = join(tmpdir(), `card-payments-simulated-${randomUUID()}`);
  const logsDirectory = join(directory, 'logs');
  mkdirSync(logsDirectory, { recursive: true });
  const watchdog = new Watchdog();
  watchdog.removeWhenOrphaned(directory);
  const print = (line: string): void => void process.stderr.write(`${line}\n`);
  const supervisor = new Supervisor({ logsDirectory, guard: watchdog, onChange: () => undefined, print });
  const stop = async (): Promise<void> => {
    await supervisor.stop();
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
    const clock = join(data, clockFile);
    new ServerClock(clock).close();
    await supervisor.start(cluster.program, signal);
    await fillTemplate(cluster.url);
    return { server: { port, password, clock }, stop };
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
