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
/** Recovery after a crash replays the log before it lets anyone in. */
const READY_MS = 120_000;
const POLL_MS = 50;

export interface ClusterOptions {
  /** Directory of the cluster; created when missing. */
  directory: string;
  port: number;
  password: string;
  logsDirectory: string;
  /** Tests give up crash safety for speed; the stack never does. */
  durable: boolean;
  /** Server settings beside ours. */
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
 * time, answers the program to supervise. Refuses (StackProblem) a directory that is no cluster or of another
 * major version.
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
  { directory, port, durable, settings: more }: ClusterOptions,
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
    name: 'postgres',
    command: {
      file: binaries.postgres,
      args: [
        '-D',
        directoryName,
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      env: bareEnvironment(),
      cwd: '/',
      handle,
      ...user.identity,
    },
    stage: 4,
    // Fast shutdown, then immediate: SIGKILL alone would leave its children behind.
    signals: ['SIGINT', 'SIGQUIT'],
    graceMs: 10_000,
    readyWithinMs: READY_MS,
    beforeStart: () => stopOrphanedPostmaster(directory),
    ready: (_child, signal) => untilAnswering(adminUrl, signal),
  };
}

/**
 * Makes a new cluster beside its place and moves it there when whole, so that an interrupted initdb is no
 * broken data directory. Passwords only (SCRAM): other users of the machine can reach the port too.
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
 * How PostgreSQL, running as `user`, can name its directory. Below a directory that user may not enter
 * (root's home, `mktemp -d`) no path works, but an open directory that it inherits from us does.
 */
function nameFor(user: PostgresUser, directory: string): { name: string; handle?: string } {
  if (user.reaches(directory)) return { name: directory };
  if (process.platform === 'linux') return { name: '/proc/self/fd/3', handle: directory };
  throw new StackProblem(
    `PostgreSQL does not run as root and its own user cannot enter ${directory}: name another place with --data-dir, such as /var/tmp/card-payments`,
  );
}

function refuseForeignDirectory(directory: string, major: number): void {
  let made: string;
  try {
    made = readFileSync(join(directory, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    const what =
      readdirSync(directory).length === 0 ? 'is empty' : `is no PostgreSQL directory (${reasonOf(error)})`;
    throw new StackProblem(`${directory} ${what}: start afresh with --fresh, or name another --data-dir`);
  }
  if (made === String(major)) return;
  throw new StackProblem(
    `${directory} was made by PostgreSQL ${made} and this is PostgreSQL ${major}: carry the data over with pg_dump, start afresh with --fresh, or name another --data-dir`,
  );
}

/** The user's PG* variables and locale must not steer our server. */
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
          'the stored password does not open the stored database: start afresh with --fresh, or name another --data-dir',
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
 * Looks at a database given by `DATABASE_URL`. Throws StackProblem (without the password) when it cannot be
 * used.
 */
export async function checkDatabase(url: string): Promise<{ version: string; where: string }> {
  const where = placeOf(url);
  let version: string;
  try {
    version = await withClient(url, async (client) => {
      const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
      return rows[0]?.server_version_num ?? '0';
    });
  } catch (error) {
    throw new StackProblem(
      `DATABASE_URL (${where}) cannot be used: ${reasonOf(error)}; mend it, start that PostgreSQL, or unset DATABASE_URL for the embedded one`,
    );
  }
  if (Number(version) < OLDEST_SERVER) {
    throw new StackProblem(
      `DATABASE_URL (${where}) is PostgreSQL ${Number(version) / 10_000}: 14 or newer is needed`,
    );
  }
  return { version: String(Math.floor(Number(version) / 10_000)), where };
}

function placeOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    throw new StackProblem(
      'DATABASE_URL is no URL: it looks like postgres://user:password@host:5432/database',
    );
  }
}

export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: 30_000,
  });
  // A connection that breaks while idle would otherwise be an uncaught error.
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
