import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { escapeIdentifier } from 'pg';
import { writeJson } from './data-dir.ts';
import { withClient } from './postgres.ts';
import { runTool, type ToolOptions } from './run-tool.ts';
import type { TemporalInnerPorts } from './stack-ports.ts';
import type { Command, Program } from './supervisor.ts';
import {
  DATABASES,
  type TemporalDatabase,
  dynamicConfigFile,
  dynamicConfiguration,
  serverConfiguration,
} from './temporal-config.ts';
import { withoutTemporalSettings } from './temporal.ts';
import { prepareNamespace } from './temporal-namespace.ts';
import type { TemporalServerPrograms } from './temporal-server-programs.ts';

const HOST = '127.0.0.1';
/**
 * Number of shards, fixed for stored data. Each shard costs statements when idle and limits parallel commits.
 */
const SHARDS = 4;
/** Connections of each role's process to the history's database and to the visibility's. */
const CONNECTIONS = { temporal: 40, visibility: 10 };
const SCHEMA_MS = 120_000;
const READY_MS = 120_000;
const CONNECT_MS = 1_000;
const POLL_MS = 100;

/** The most connections to PostgreSQL that a server opens. */
export const temporalServerConnections = CONNECTIONS.temporal + CONNECTIONS.visibility;

export interface TemporalServerOptions {
  programs: TemporalServerPrograms;
  /** Receives the configuration, which holds the database's password. */
  directory: string;
  database: TemporalDatabase;
  /** Port of its gRPC API. */
  port: number;
  /** Port of its HTTP API. */
  httpPort: number;
  innerPorts: TemporalInnerPorts;
  namespaces: readonly string[];
}

/** Returns the file that marks a directory as a real server's, not the dev server's. */
export const serverConfigFile = (directory: string): string => join(directory, 'server.json');

/**
 * Creates a database of the server, or migrates that of an earlier version, with the schema of its sql tool.
 * A database gets its name only when its schema is complete.
 */
export async function prepareTemporalDatabase(
  sqlTool: string,
  schema: keyof typeof DATABASES,
  { port, user, password, url }: TemporalDatabase,
  options: Pick<ToolOptions, 'logFile' | 'signal' | 'guard'>,
): Promise<void> {
  const tool = (database: string, ...args: string[]): Promise<void> =>
    runTool(
      sqlTool,
      ['--plugin', 'postgres12', '--ep', HOST, '-p', String(port), '-u', user, '--db', database, ...args],
      { ...options, timeoutMs: SCHEMA_MS, env: { PATH: process.env['PATH'], SQL_PASSWORD: password } },
    );
  const database = DATABASES[schema];
  const update = ['update-schema', '--schema-name', `postgresql/v12/${schema}`];
  if (await exists(url('postgres'), database)) {
    await tool(database, ...update);
    return;
  }
  const scratch = `${database}_new`;
  await withClient(url('postgres'), async (client) => {
    await client.query(`drop database if exists ${escapeIdentifier(scratch)} with (force)`);
    await client.query(`create database ${escapeIdentifier(scratch)}`);
  });
  await tool(scratch, 'setup-schema', '--version', '0.0');
  await tool(scratch, ...update);
  // The server looks up its schema version by the database's name.
  await withClient(url(scratch), (client) =>
    client.query('update schema_version set db_name = $1', [database]),
  );
  await withClient(url('postgres'), (client) =>
    client.query(`alter database ${escapeIdentifier(scratch)} rename to ${escapeIdentifier(database)}`),
  );
}

/**
 * Returns a server with all roles in one process; it is ready when the namespaces have the search attributes.
 */
export function temporalServerProgram(options: TemporalServerOptions): Program {
  const { directory, programs, database, port, httpPort, innerPorts, namespaces } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeJson(dynamicConfigFile(directory), dynamicConfiguration);
  // JSON is YAML.
  writeJson(
    serverConfigFile(directory),
    serverConfiguration({
      directory,
      databases: { temporal: database, visibility: database },
      connections: CONNECTIONS,
      shards: SHARDS,
      ports: {
        frontend: { grpc: port, membership: innerPorts.frontendMembership, http: httpPort },
        history: { grpc: innerPorts.history, membership: innerPorts.historyMembership },
        matching: { grpc: innerPorts.matching, membership: innerPorts.matchingMembership },
        worker: { grpc: innerPorts.worker, membership: innerPorts.workerMembership },
      },
    }),
  );
  return {
    name: 'temporal',
    command: serverCommand(programs.server, serverConfigFile(directory)),
    stage: 3,
    signals: ['SIGTERM'],
    graceMs: 10_000,
    readyWithinMs: READY_MS,
    ready: (_child, signal) => untilServing(port, namespaces, signal),
  };
}

/**
 * Returns the command that runs a server with a configuration. `roles` limits it to these of its four roles.
 */
export const serverCommand = (server: string, config: string, roles: readonly string[] = []): Command => ({
  file: server,
  args: [
    '--config-file',
    config,
    '--allow-no-auth',
    'start',
    ...roles.flatMap((role) => ['--service', role]),
  ],
  env: { ...withoutTemporalSettings(), TEMPORAL_VERSION_CHECK_DISABLED: '1' },
});

/** Returns the web UI of a server. `codecUrl` lets it show encrypted payloads to operators. */
export function temporalUiProgram(options: {
  programs: TemporalServerPrograms;
  directory: string;
  port: number;
  temporalPort: number;
  codecUrl: string;
  namespace: string;
}): Program {
  const { programs, directory, port, temporalPort, codecUrl, namespace } = options;
  const environmentName = 'ui';
  mkdirSync(join(directory, 'ui'), { recursive: true, mode: 0o700 });
  writeJson(join(directory, 'ui', `${environmentName}.yaml`), {
    temporalGrpcAddress: `${HOST}:${temporalPort}`,
    host: HOST,
    port,
    enableUi: true,
    disableNewsFetch: true,
    defaultNamespace: namespace,
    codec: { endpoint: codecUrl },
  });
  return {
    name: 'temporal-ui',
    command: {
      file: programs.ui,
      args: ['--root', directory, '--config', 'ui', '--env', environmentName, 'start'],
      env: withoutTemporalSettings(),
    },
    stage: 3,
    signals: ['SIGTERM'],
    graceMs: 3_000,
    readyWithinMs: READY_MS,
    ready: (_child, signal) => untilAnswering(`http://${HOST}:${port}/api/v1/settings`, signal),
  };
}

async function exists(adminUrl: string, database: string): Promise<boolean> {
  return withClient(adminUrl, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [database]);
    return rowCount !== 0;
  });
}

/** Waits until a frontend serves its namespaces with the service's search attributes. */
export async function untilServing(
  port: number,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { Connection } = await import('@temporalio/client');
  while (!signal.aborted) {
    try {
      const connection = await Connection.connect({
        address: `${HOST}:${port}`,
        connectTimeout: CONNECT_MS,
      });
      try {
        for (const namespace of namespaces) await prepareNamespace(connection, namespace, signal);
        return;
      } finally {
        await connection.close();
      }
    } catch {
      // It does not serve yet, or not all of its parts do.
    }
    await sleep(POLL_MS);
  }
}

async function untilAnswering(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(CONNECT_MS) });
      await response.body?.cancel();
      if (response.ok) return;
    } catch {
      // It does not listen yet.
    }
    await sleep(POLL_MS);
  }
}
