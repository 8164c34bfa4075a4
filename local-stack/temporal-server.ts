import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { escapeIdentifier } from 'pg';
import { writeJson } from './data-dir.ts';
import { withClient } from './postgres.ts';
import { runTool, type ToolOptions } from './run-tool.ts';
import type { TemporalInnerPorts } from './stack-ports.ts';
import type { Program } from './supervisor.ts';
import { withoutTemporalSettings } from './temporal.ts';
import { prepareNamespace } from './temporal-namespace.ts';
import type { TemporalServerPrograms } from './temporal-server-programs.ts';

const HOST = '127.0.0.1';
/** Fixed for stored data. Each shard costs statements when idle and limits parallel commits. */
const SHARDS = 4;
const CONNECTIONS = 40;
const VISIBILITY_CONNECTIONS = 10;
const SCHEMA_MS = 120_000;
const READY_MS = 120_000;
const CONNECT_MS = 1_000;
const POLL_MS = 100;
const DATABASES = { temporal: 'temporal', visibility: 'temporal_visibility' };

/** The most connections to PostgreSQL that a server opens. */
export const temporalServerConnections = CONNECTIONS + VISIBILITY_CONNECTIONS;

/** The PostgreSQL that stores a Temporal server's data. */
export interface TemporalDatabase {
  port: number;
  user: string;
  password: string;
  /** Returns the URL of one of its databases. */
  url: (database: string) => string;
}

export interface TemporalServerOptions {
  programs: TemporalServerPrograms;
  /** Receives the configuration, which holds the database's password. */
  directory: string;
  database: TemporalDatabase;
  port: number;
  /** Port of its HTTP API. */
  httpPort: number;
  innerPorts: TemporalInnerPorts;
  namespaces: readonly string[];
}

/** Returns the file that marks a directory as a real server's, not the dev server's. */
export const serverConfigFile = (directory: string): string => join(directory, 'server.json');

/**
 * Creates the server's two databases, or migrates those of an earlier version, with the schema of its sql
 * tool. A database gets its name only when its schema is complete.
 */
export async function prepareTemporalDatabases(
  sqlTool: string,
  { port, user, password, url }: TemporalDatabase,
  options: Pick<ToolOptions, 'logFile' | 'signal' | 'guard'>,
): Promise<void> {
  const tool = (database: string, ...args: string[]): Promise<void> =>
    runTool(
      sqlTool,
      ['--plugin', 'postgres12', '--ep', HOST, '-p', String(port), '-u', user, '--db', database, ...args],
      { ...options, timeoutMs: SCHEMA_MS, env: { PATH: process.env['PATH'], SQL_PASSWORD: password } },
    );
  for (const [schema, database] of Object.entries(DATABASES)) {
    const update = ['update-schema', '--schema-name', `postgresql/v12/${schema}`];
    if (await exists(url('postgres'), database)) {
      await tool(database, ...update);
      continue;
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
}

/**
 * Returns a server with all roles in one process; it is ready when the namespaces have the search attributes.
 */
export function temporalServerProgram(options: TemporalServerOptions): Program {
  const { directory, programs, port, namespaces } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeJson(dynamicConfigFile(directory), dynamicConfiguration);
  // JSON is YAML.
  writeJson(serverConfigFile(directory), configuration(options));
  return {
    name: 'temporal',
    command: {
      file: programs.server,
      args: ['--config-file', serverConfigFile(directory), '--allow-no-auth', 'start'],
      env: { ...withoutTemporalSettings(), TEMPORAL_VERSION_CHECK_DISABLED: '1' },
    },
    stage: 3,
    signals: ['SIGTERM'],
    graceMs: 10_000,
    readyWithinMs: READY_MS,
    ready: (_child, signal) => untilServing(`${HOST}:${port}`, namespaces, signal),
  };
}

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

const dynamicConfigFile = (directory: string): string => join(directory, 'dynamic.yaml');

/**
 * Settings for one machine; the rest are the server's defaults. Partitions spread a queue over many hosts,
 * and each costs polls, forwards and leases. Namespaces never change here, and four roles read them.
 */
const dynamicConfiguration = {
  'matching.numTaskqueueReadPartitions': [{ value: 1 }],
  'matching.numTaskqueueWritePartitions': [{ value: 1 }],
  'system.namespaceCacheRefreshInterval': [{ value: '10s' }],
};

function configuration({ directory, database, port, httpPort, innerPorts }: TemporalServerOptions) {
  const store = (databaseName: string, connections: number): object => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `${HOST}:${database.port}`,
      connectProtocol: 'tcp',
      user: database.user,
      password: database.password,
      maxConns: connections,
      maxIdleConns: connections,
      maxConnLifetime: '1h',
    },
  });
  const rpc = (grpcPort: number, membershipPort: number): object => ({
    grpcPort,
    membershipPort,
    bindOnLocalHost: true,
  });
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: SHARDS,
      datastores: {
        default: store(DATABASES.temporal, CONNECTIONS),
        visibility: store(DATABASES.visibility, VISIBILITY_CONNECTIONS),
      },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: HOST } },
    services: {
      frontend: { rpc: { ...rpc(port, innerPorts.frontendMembership), httpPort } },
      history: { rpc: rpc(innerPorts.history, innerPorts.historyMembership) },
      matching: { rpc: rpc(innerPorts.matching, innerPorts.matchingMembership) },
      worker: { rpc: rpc(innerPorts.worker, innerPorts.workerMembership) },
    },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `${HOST}:${port}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamicConfigFile(directory), pollInterval: '60s' },
  };
}

async function exists(adminUrl: string, database: string): Promise<boolean> {
  return withClient(adminUrl, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [database]);
    return rowCount !== 0;
  });
}

async function untilServing(
  address: string,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { Connection } = await import('@temporalio/client');
  while (!signal.aborted) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: CONNECT_MS });
      try {
        for (const namespace of namespaces) await prepareNamespace(connection, namespace, signal);
        return;
      } finally {
        await connection.close();
      }
    } catch {
      // Not serving yet, or not every part of it.
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
      // Not listening yet.
    }
    await sleep(POLL_MS);
  }
}
