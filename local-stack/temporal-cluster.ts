import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeJson } from './data-dir.ts';
import type { TemporalClusterPorts } from './cluster-ports.ts';
import type { Program } from './supervisor.ts';
import {
  type RolePorts,
  type ServerConfiguration,
  type TemporalRole,
  dynamicConfigFile,
  dynamicConfiguration,
  serverConfiguration,
} from './temporal-config.ts';
import { serverCommand, untilServing } from './temporal-server.ts';

const HOST = '127.0.0.1';
/** Enough shards for each history process to hold several. The number is fixed for stored data. */
const SHARDS = 16;
/** Connections of each process. */
const CONNECTIONS = { temporal: 20, visibility: 8 };
const READY_MS = 120_000;
const PROBE_MS = 1_000;
const POLL_MS = 100;

/**
 * Go collects garbage when the heap is three times the size of the live objects, and always before the limit.
 * This keeps collections rare in such small processes, of which six share a machine.
 */
const MEMORY = { GOGC: '200', GOMEMLIMIT: '140MiB' };

/** The most connections that the processes of a cluster open to each of its two databases. */
export const clusterConnections = {
  temporal: 6 * CONNECTIONS.temporal,
  visibility: 6 * CONNECTIONS.visibility,
};

/** Returns the directory that marks a data directory as a cluster's. */
export const clusterDirectory = (directory: string): string => join(directory, 'cluster');

/**
 * Returns the six processes of a Temporal cluster: one frontend, two history and two matching hosts, and one
 * worker. The frontend is ready when the namespaces have the service's search attributes.
 */
export function temporalClusterPrograms(options: {
  /** Path of the server's program. */
  server: string;
  /** Receives the configurations, which hold the databases' password. */
  directory: string;
  databases: ServerConfiguration['databases'];
  ports: TemporalClusterPorts;
  frontend: RolePorts & { http: number };
  namespaces: readonly string[];
}): Program[] {
  const { server, databases, ports, frontend, namespaces } = options;
  const directory = clusterDirectory(options.directory);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeJson(dynamicConfigFile(directory), dynamicConfiguration);
  const first = {
    frontend,
    history: ports['history-1'],
    matching: ports['matching-1'],
    worker: ports['worker-1'],
  };
  const program = (role: TemporalRole, no: number, own: RolePorts): Program => {
    const name = `temporal-${role}-${no}`;
    const config = join(directory, `${name}.json`);
    writeJson(
      config,
      serverConfiguration({
        ...{ directory, databases, connections: CONNECTIONS, shards: SHARDS },
        ports: { ...first, [role]: own },
      }),
    );
    const command = serverCommand(server, config, [role]);
    return {
      name,
      command: { ...command, env: { ...command.env, ...MEMORY } },
      stage: 3,
      signals: ['SIGTERM'],
      graceMs: 10_000,
      readyWithinMs: READY_MS,
      ready: (_child, signal) =>
        role === 'frontend' ? untilServing(own.grpc, namespaces, signal) : untilListening(own.grpc, signal),
    };
  };
  return [
    program('history', 1, ports['history-1']),
    program('history', 2, ports['history-2']),
    program('matching', 1, ports['matching-1']),
    program('matching', 2, ports['matching-2']),
    program('worker', 1, ports['worker-1']),
    program('frontend', 1, frontend),
  ];
}

async function untilListening(port: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await answers(port))) await sleep(POLL_MS);
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: HOST, timeout: PROBE_MS });
    const done = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', () => done(true));
    socket.once('timeout', () => done(false));
    socket.once('error', () => done(false));
  });
}
