import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, writeFileSync, appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Launch } from './launch.ts';
import type { StandbyMode } from './options.ts';
import { type Cluster, type ClusterOptions, prepareCluster, withClient } from './postgres.ts';
import { postgresUser } from './postgres-user.ts';
import { StackProblem } from './problem.ts';

const standbyName = 'postgres-standby';

/** The name under which the standby connects to the primary. */
const applicationName = 'standby';
const COPY_MS = 300_000;
const PROMOTE_SECONDS = 60;

/** Returns the settings of a primary that has a standby. They keep enough log for a standby that was away. */
export const primarySettings = (mode: StandbyMode): Record<string, string> => ({
  wal_keep_size: '512MB',
  ...(mode === 'sync' ? { synchronous_standby_names: applicationName } : {}),
});

/**
 * Prepares a streaming replica of a cluster on this machine. The first time it copies the cluster's
 * directory, so the primary must not run yet. Returns the program to supervise, which is ready when it
 * answers reads.
 */
export async function prepareStandby(
  primary: Pick<ClusterOptions, 'directory' | 'port'>,
  options: ClusterOptions,
): Promise<Cluster> {
  const { directory, password } = options;
  if (!existsSync(directory)) {
    const scratch = `${directory}.new`;
    rmSync(scratch, { recursive: true, force: true });
    // The copy keeps its owner, because PostgreSQL runs as that user.
    const { status, stderr } = spawnSync('cp', ['-a', primary.directory, scratch], {
      timeout: COPY_MS,
      encoding: 'utf8',
    });
    if (status !== 0) throw new StackProblem(`the standby's directory could not be copied: ${stderr.trim()}`);
    rmSync(join(scratch, 'postmaster.pid'), { force: true });
    const signal = join(scratch, 'standby.signal');
    writeFileSync(signal, '', { mode: 0o600 });
    postgresUser(scratch).own(signal);
    const way = `host=127.0.0.1 port=${primary.port} user=postgres password=${password}`;
    appendFileSync(
      join(scratch, 'postgresql.auto.conf'),
      `primary_conninfo = '${way} application_name=${applicationName}'\n`,
    );
    renameSync(scratch, directory);
  }
  return prepareCluster({ ...options, name: standbyName });
}

/**
 * Kills the primary, promotes its standby, and starts the standby in the primary's place and on its port. API
 * and workers reconnect automatically. The old primary's directory is kept as `postgres-old`. Throws
 * StackProblem when the standby cannot be promoted.
 */
export async function failOver({ session, signal }: Pick<Launch, 'session' | 'signal'>): Promise<void> {
  const { supervisor, dataDir, ports, secrets, watchdog } = session;
  const own = { password: secrets.postgresPassword, logsDirectory: dataDir.logs, durable: true };
  await supervisor.remove('postgres', { kill: true });
  const url = `postgres://postgres:${own.password}@127.0.0.1:${ports.postgresStandby ?? 0}/postgres`;
  const promoted = await withClient(url, async (client) => {
    const { rows } = await client.query<{ done: boolean }>(
      `select pg_promote(true, ${PROMOTE_SECONDS}) as done`,
    );
    return rows[0]?.done === true;
  });
  if (!promoted) throw new StackProblem(`${standbyName} was not promoted in ${PROMOTE_SECONDS} s`);
  await supervisor.remove(standbyName);
  rmSync(`${dataDir.postgres}-old`, { recursive: true, force: true });
  renameSync(dataDir.postgres, `${dataDir.postgres}-old`);
  renameSync(dataDir.postgresStandby, dataDir.postgres);
  const { program } = await prepareCluster({
    ...{ ...own, directory: dataDir.postgres, port: ports.postgres, guard: watchdog, signal },
    settings: { max_connections: 300 },
  });
  await supervisor.start(program, signal);
}
