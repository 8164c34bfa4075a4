import { join } from 'node:path';
import { rotateLog } from './data-dir.ts';
import type { Launch } from './launch.ts';
import { type Cluster, prepareCluster } from './postgres.ts';
import type { Step } from './progress.ts';
import { localUrl } from './services.ts';
import { clusterConnections, temporalClusterPrograms } from './temporal-cluster.ts';
import type { TemporalDatabase } from './temporal-config.ts';
import { prepareTemporalDatabase, temporalServerProgram, temporalUiProgram } from './temporal-server.ts';
import { findTemporalServer } from './temporal-server-programs.ts';

/** Connections for the launcher and for an operator. */
const SPARE_CONNECTIONS = 10;
/**
 * A history host that hangs within a transaction keeps the rows of its shards locked. The host that takes the
 * shards over would wait until it continues. Temporal's own transactions are idle for milliseconds only.
 */
const IDLE_TRANSACTION = '5s';

export const codecUrl = (privatePort: number): string => `${localUrl(privatePort)}/codec`;

/** Returns the step that starts a Temporal server in one process, on the stack's PostgreSQL. */
export function temporalServer(
  { session, signal }: Launch,
  namespace: string,
  started: Promise<Cluster>,
): Step {
  return {
    title: 'Temporal',
    run: async (report) => {
      const { dataDir, ports, secrets, watchdog, supervisor } = session;
      const { temporalInner: innerPorts } = ports;
      if (innerPorts === undefined) throw new Error('--temporal server needs its inner ports');
      for (const name of ['temporal', 'temporal-ui', 'temporal-schema']) rotateLog(dataDir.logs, name);
      const programs = await findTemporalServer({ report, signal, guard: watchdog });
      const database = databaseOf(await started, ports.postgres, secrets.postgresPassword);
      report('its databases');
      const tool = { logFile: join(dataDir.logs, 'temporal-schema.log'), signal, guard: watchdog };
      await prepareTemporalDatabase(programs.sqlTool, 'temporal', database, tool);
      await prepareTemporalDatabase(programs.sqlTool, 'visibility', database, tool);
      report('starting');
      const directory = dataDir.temporal;
      const server = temporalServerProgram({
        programs,
        directory,
        database,
        port: ports.temporal,
        httpPort: ports.temporalHttp,
        innerPorts,
        namespaces: [namespace],
      });
      await supervisor.start(server, signal);
      await supervisor.start(uiOf({ session }, programs, namespace), signal);
      return `Temporal server on PostgreSQL, 127.0.0.1:${ports.temporal}, web UI ${localUrl(ports.temporalUi)}`;
    },
  };
}

/**
 * Returns the step that starts a Temporal cluster: six processes, and two PostgreSQL servers of their own
 * for histories and visibility.
 */
export function temporalCluster({ session, signal }: Launch, namespace: string): Step {
  return {
    title: 'Temporal',
    run: async (report) => {
      const { dataDir, ports, watchdog, supervisor } = session;
      const { temporalCluster: inner } = ports;
      if (inner === undefined) throw new Error('--temporal cluster needs its ports');
      for (const name of ['temporal-ui', 'temporal-schema']) rotateLog(dataDir.logs, name);
      const programs = await findTemporalServer({ report, signal, guard: watchdog });
      report('its databases');
      const postgres = clusterPostgres({ session, signal }, programs.sqlTool);
      const [temporal, visibility] = await Promise.all([
        postgres('temporal', dataDir.postgresTemporal, inner.postgresTemporal),
        postgres('visibility', dataDir.postgresVisibility, inner.postgresVisibility),
      ]);
      report('starting');
      const cluster = temporalClusterPrograms({
        server: programs.server,
        directory: dataDir.temporal,
        databases: { temporal, visibility },
        ports: inner,
        frontend: { grpc: ports.temporal, membership: inner.frontendMembership, http: ports.temporalHttp },
        namespaces: [namespace],
      });
      const ui = uiOf({ session }, programs, namespace);
      const [first, ...others] = cluster;
      for (const { name } of cluster) rotateLog(dataDir.logs, name);
      // The first one writes the cluster's metadata, which the others only read. Concurrent writers fail.
      if (first) await supervisor.start(first, signal);
      await Promise.all([...others, ui].map((program) => supervisor.start(program, signal)));
      return `Temporal cluster (six processes, two PostgreSQL), 127.0.0.1:${ports.temporal}, web UI ${localUrl(ports.temporalUi)}`;
    },
  };
}

/** Starts a PostgreSQL of a Temporal cluster, with the schema that it is for. */
const clusterPostgres =
  ({ session, signal }: Pick<Launch, 'session' | 'signal'>, sqlTool: string) =>
  async (schema: 'temporal' | 'visibility', directory: string, port: number): Promise<TemporalDatabase> => {
    const { dataDir, secrets, watchdog, supervisor } = session;
    const name = `postgres-${schema}`;
    rotateLog(dataDir.logs, name);
    const cluster = await prepareCluster({
      name,
      directory,
      port,
      password: secrets.postgresPassword,
      logsDirectory: dataDir.logs,
      durable: true,
      settings: {
        max_connections: clusterConnections[schema] + SPARE_CONNECTIONS,
        idle_in_transaction_session_timeout: IDLE_TRANSACTION,
      },
      guard: watchdog,
      signal,
    });
    await supervisor.start(cluster.program, signal);
    const database = databaseOf(cluster, port, secrets.postgresPassword);
    const logFile = join(dataDir.logs, `temporal-schema-${schema}.log`);
    await prepareTemporalDatabase(sqlTool, schema, database, { logFile, signal, guard: watchdog });
    return database;
  };

const databaseOf = ({ url }: Cluster, port: number, password: string): TemporalDatabase => ({
  ...{ port, user: 'postgres', password, url },
});

const uiOf = (
  { session: { dataDir, ports } }: Pick<Launch, 'session'>,
  programs: Parameters<typeof temporalUiProgram>[0]['programs'],
  namespace: string,
) =>
  temporalUiProgram({
    programs,
    directory: dataDir.temporal,
    port: ports.temporalUi,
    temporalPort: ports.temporal,
    codecUrl: codecUrl(ports.private),
    namespace,
  });
