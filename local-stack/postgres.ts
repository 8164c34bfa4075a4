import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, escapeIdentifier } from 'pg';
import { type PostgresBinaries, findPostgres } from './postgres-binaries.ts';
import { stopOrphanedPostmaster } from './postgres-leftovers.ts';
import { type PostgresUser, postgresUser } from './postgres-user.ts';
import { StackProblem, codeOf, reasonOf } from './problem.ts';
import { type Guard, runTool } from './run-tool.ts';
import type { Program } from './supervisor.ts';

export const DATABASE_NAME = 'card_payments';

const OLDEST_SERVER = 140_000;
const CONNECT_MS = 5_000;
const INITDB_MS = 120_000;
/** Longest wait for readiness. After a crash, recovery replays the log before it accepts connections. */
const READY_MS = 120_000;
const POLL_MS = 50;

export interface ClusterOptions {
  /** Name of its process and log; `postgres` unless given. */
  name?: string;
  /** Directory of the cluster; created when missing. */
  directory: string;
  port: number;
  password: string;
  logsDirectory: string;
  /** False only in tests, which trade crash safety for speed. */
  durable: boolean;
  /** More server settings. */
  settings?: Readonly<Record<string, string | number>> | undefined;
  guard: Guard;
  signal: AbortSignal;
}

export interface Cluster {
  binaries: PostgresBinaries;
  program: Program;
  /** URL of a database of the cluster, password included. */
  url: (database: string) => string;
}

/**
 * Prepares an embedded (or system) PostgreSQL cluster on 127.0.0.1: finds the programs, runs initdb the first
 * time, returns the program to supervise. Throws StackProblem for a directory that is no cluster or has
 * another major version.
 */
export async function prepareCluster(options: ClusterOptions): Promise<Cluster> {
  const { directory, port, password } = options;
  const user = postgresUser(directory);
  const binaries = await findPostgres(user);
  if (!existsSync(directory)) await initialize(options, user, binaries);
  refuseForeignDirectory(directory, binaries.major);
  const url = (database: string): string =>
    `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  return { binaries, url, program: clusterProgram(options, user, binaries, url('postgres')) };
}

function clusterProgram(
  { name = 'postgres', directory, port, durable, settings: more }: ClusterOptions,
  user: PostgresUser,
  binaries: PostgresBinaries,
  adminUrl: string,
): Program {
  const { name: directoryName, handle } = nameFor(user, directory);
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    synchronous_commit: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
    fsync: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    ...more,
  };
  return {
    name,
    command: {
      file: binaries.postgres,
      args: [
        '-D',
        directoryName,
        ...Object.entries(settings).flatMap(([setting, value]) => ['-c', `${setting}=${value}`]),
      ],
      env: bareEnvironment(),
      cwd: '/',
      handle,
      ...user.identity,
    },
    stage: 4,
    // Fast shutdown, then immediate. SIGKILL alone would leave its children running.
    signals: ['SIGINT', 'SIGQUIT'],
    graceMs: 10_000,
    readyWithinMs: READY_MS,
    beforeStart: () => stopOrphanedPostmaster(directory),
    ready: (_child, signal) => untilAnswering(adminUrl, signal),
  };
}

/**
 * Creates a cluster in a scratch directory and moves it into place when it is complete, so that an
 * interrupted initdb leaves no broken data directory. Requires a password (SCRAM): other users of the machine
 * reach the port.
 */
async function initialize(
  options: ClusterOptions,
  user: PostgresUser,
  binaries: PostgresBinaries,
): Promise<void> {
  const scratch = `${options.directory}.new`;
  const cluster = join(scratch, 'cluster');
  const passwordFile = join(scratch, 'password');
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(cluster, { recursive: true, mode: 0o700 });
  writeFileSync(passwordFile, options.password, { mode: 0o600 });
  for (const path of [scratch, cluster, passwordFile]) user.own(path);
  try {
    const { name, handle } = nameFor(user, cluster);
    const args = [
      ['-D', name],
      ['--username=postgres', `--pwfile=${name}/../password`, '--auth=scram-sha-256'],
      ['--encoding=UTF8', '--locale=C'],
      options.durable ? [] : ['--no-sync'],
    ].flat();
    await runTool(binaries.initdb, args, {
      logFile: join(options.logsDirectory, 'initdb.log'),
      timeoutMs: INITDB_MS,
      env: bareEnvironment(),
      cwd: '/',
      handle,
      ...user.identity,
      signal: options.signal,
      guard: options.guard,
    });
    renameSync(cluster, options.directory);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Returns a name by which PostgreSQL, running as `user`, can open its directory. Below a directory that the
 * user may not enter (root's home, `mktemp -d`) no path works, but an inherited open directory does.
 */
function nameFor(user: PostgresUser, directory: string): { name: string; handle?: string } {
  if (user.reaches(directory)) return { name: directory };
  if (process.platform === 'linux') return { name: '/proc/self/fd/3', handle: directory };
  throw new StackProblem(
    `PostgreSQL does not run as root and its own user cannot enter ${directory}: choose another directory with --data-dir, such as /var/tmp/card-payments`,
  );
}

function refuseForeignDirectory(directory: string, major: number): void {
  let created: string;
  try {
    created = readFileSync(join(directory, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    const what =
      readdirSync(directory).length === 0 ? 'is empty' : `is no PostgreSQL directory (${reasonOf(error)})`;
    throw new StackProblem(`${directory} ${what}: start with --fresh, or choose another --data-dir`);
  }
  if (created === String(major)) return;
  throw new StackProblem(
    `${directory} was created by PostgreSQL ${created} and this is PostgreSQL ${major}: migrate the data with pg_dump, start with --fresh, or choose another --data-dir`,
  );
}

/** Returns an environment without the user's PG* variables and locale, which must not affect our server. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, SystemRoot } = process.env;
  return { PATH, TMPDIR, SystemRoot, LC_ALL: 'C', TZ: 'UTC' };
}

async function untilAnswering(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await withClient(url, (client) => client.query('select 1'));
      return;
    } catch (error) {
      if (codeOf(error) === '28P01') {
        throw new StackProblem(
          'the stored password does not fit the stored database: start with --fresh, or choose another --data-dir',
        );
      }
      await sleep(POLL_MS);
    }
  }
}

/** Creates the database unless it exists. */
export async function ensureDatabase(adminUrl: string, name: string): Promise<void> {
  await withClient(adminUrl, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${escapeIdentifier(name)}`);
  });
}

/**
 * Connects to the database that `DATABASE_URL` names. Throws StackProblem (without the password) when it
 * cannot be used.
 */
export async function checkDatabase(url: string): Promise<{ version: string; where: string }> {
  const where = hostAndDatabase(url);
  let version: string;
  try {
    version = await withClient(url, async (client) => {
      const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
      return rows[0]?.server_version_num ?? '0';
    });
  } catch (error) {
    throw new StackProblem(
      `DATABASE_URL (${where}) cannot be used: ${reasonOf(error)}; fix it, start that PostgreSQL, or unset DATABASE_URL for the embedded one`,
    );
  }
  if (Number(version) < OLDEST_SERVER) {
    throw new StackProblem(
      `DATABASE_URL (${where}) is PostgreSQL ${Number(version) / 10_000}: 14 or newer is needed`,
    );
  }
  return { version: String(Math.floor(Number(version) / 10_000)), where };
}

function hostAndDatabase(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    throw new StackProblem('DATABASE_URL is not a URL such as postgres://user:password@host:5432/database');
  }
}

export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: 30_000,
  });
  // Without a listener, a connection that breaks while idle is an uncaught error.
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
