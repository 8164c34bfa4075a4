import { join } from 'node:path';

const HOST = '127.0.0.1';

/** Names of the databases that a Temporal server needs, by the name of their schema. */
export const DATABASES = { temporal: 'temporal', visibility: 'temporal_visibility' } as const;

/** The PostgreSQL that stores a Temporal server's data. */
export interface TemporalDatabase {
  port: number;
  user: string;
  password: string;
  /** Returns the URL of one of its databases. */
  url: (database: string) => string;
}

/** Ports of one role of a server. */
export interface RolePorts {
  grpc: number;
  membership: number;
  /** Port of the HTTP API, which only the frontend has. */
  http?: number;
}

/** The roles of a Temporal server; each can run in processes of its own. */
export type TemporalRole = 'frontend' | 'history' | 'matching' | 'worker';

export interface ServerConfiguration {
  /** Holds the dynamic configuration. */
  directory: string;
  databases: Record<keyof typeof DATABASES, TemporalDatabase>;
  /** The most connections of a process to each database. */
  connections: Record<keyof typeof DATABASES, number>;
  /** Number of shards, which is fixed for stored data. */
  shards: number;
  /** Ports of this process's roles, and for the other roles those of one of their processes. */
  ports: Record<TemporalRole, RolePorts>;
}

export const dynamicConfigFile = (directory: string): string => join(directory, 'dynamic.yaml');

/**
 * Settings for one machine; the rest are the server's defaults. Partitions spread a queue over many hosts,
 * and each costs polls, forwards and leases, so there is one. Namespaces never change here, and four roles
 * read them.
 */
export const dynamicConfiguration = {
  'matching.numTaskqueueReadPartitions': [{ value: 1 }],
  'matching.numTaskqueueWritePartitions': [{ value: 1 }],
  'system.namespaceCacheRefreshInterval': [{ value: '10s' }],
};

/** Returns the configuration of a server, or of one process of it. */
export function serverConfiguration(options: ServerConfiguration) {
  const { directory, databases, connections, shards, ports } = options;
  const store = (schema: keyof typeof DATABASES) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName: DATABASES[schema],
      connectAddr: `${HOST}:${databases[schema].port}`,
      connectProtocol: 'tcp',
      user: databases[schema].user,
      password: databases[schema].password,
      maxConns: connections[schema],
      maxIdleConns: connections[schema],
      maxConnLifetime: '1h',
    },
  });
  const rpc = ({ grpc, membership, http }: RolePorts): object => ({
    rpc: {
      grpcPort: grpc,
      membershipPort: membership,
      bindOnLocalHost: true,
      ...(http === undefined ? {} : { httpPort: http }),
    },
  });
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: shards,
      datastores: { default: store('temporal'), visibility: store('visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: HOST } },
    services: {
      frontend: rpc(ports.frontend),
      history: rpc(ports.history),
      matching: rpc(ports.matching),
      worker: rpc(ports.worker),
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
          rpcAddress: `${HOST}:${ports.frontend.grpc}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamicConfigFile(directory), pollInterval: '60s' },
  };
}
