import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type DataDir, rotateLog } from './data-dir.ts';
import { type ExternalTemporal, externalTemporal } from './external-temporal.ts';
import type { Launch } from './launch.ts';
import { type TemporalKind, temporalKinds } from './options.ts';
import { type Cluster, DATABASE_NAME, checkDatabase, ensureDatabase, prepareCluster } from './postgres.ts';
import { StackProblem } from './problem.ts';
import { type Step, runTogether } from './progress.ts';
import { type Addresses, localUrl } from './services.ts';
import { findTemporalCli } from './temporal-cli.ts';
import { prepareStandby, primarySettings } from './standby.ts';
import { clusterDirectory } from './temporal-cluster.ts';
import { codecUrl, temporalCluster, temporalServer } from './temporal-engines.ts';
import { serverConfigFile, temporalServerConnections } from './temporal-server.ts';
import { temporalProgram } from './temporal.ts';

/** Connections for programs beside the service: the launcher, psql, a superuser. */
const SPARE_CONNECTIONS = 40;
const MIN_CONNECTIONS = 200;
const DEFAULT_POOL = 10;
/** Temporal constantly reads and writes the same few pages of its shards. */
const SERVER_SETTINGS = { shared_buffers: '512MB' };

/**
 * Starts PostgreSQL and Temporal, or connects to the user's, and runs `extraSteps` at the same time;
 * it receives the addresses once the database answers. Returns the addresses. Throws StackProblem.
 */
export async function startEngines(
  start: Launch,
  extraSteps: (database: Promise<Addresses>) => readonly Step[],
): Promise<Addresses> {
  const { session, environment, output, signal, options } = start;
  const external = await externalTemporal(environment);
  const temporalNamespace = external?.namespace ?? (environment['TEMPORAL_NAMESPACE'] || 'default');
  if (external === undefined) refuseOtherKind(session.dataDir, options.temporal);
  const { postgresStandby } = session.ports;
  const addressesWith = (databaseUrl: string): Addresses => ({
    databaseUrl,
    standbyUrl: postgresStandby === undefined ? undefined : atPort(databaseUrl, postgresStandby),
    temporalAddress: external?.address ?? `127.0.0.1:${session.ports.temporal}`,
    temporalNamespace,
    temporalUiUrl:
      external === undefined ? localUrl(session.ports.temporalUi) : environment['TEMPORAL_UI_URL'] || null,
    isDevServer: external === undefined && options.temporal === 'dev',
  });
  const given = environment['DATABASE_URL'] || '';
  // A real Temporal server waits for the cluster; its programs are searched for or built meanwhile.
  const cluster = deferred<Cluster>();
  const database = deferred<Addresses>();
  const postgres = given === '' ? embeddedPostgres(start, cluster) : externalPostgres(given);
  const answering: Step = {
    title: postgres.title,
    run: async (report) => {
      try {
        const done = await postgres.run(report);
        database.resolve(addressesWith(given || (await cluster.promise).url(DATABASE_NAME)));
        return done;
      } catch (error) {
        database.reject(error);
        throw error;
      }
    },
  };
  const temporal = temporalStep(start, external, temporalNamespace, cluster.promise);
  await runTogether([answering, temporal, ...extraSteps(database.promise)], output);
  signal.throwIfAborted();
  return database.promise;
}

function temporalStep(
  start: Launch,
  external: ExternalTemporal | undefined,
  namespace: string,
  cluster: Promise<Cluster>,
): Step {
  if (external !== undefined) return externalTemporalStep(external);
  if (start.options.temporal === 'cluster') return temporalCluster(start, namespace);
  return start.options.temporal === 'server'
    ? temporalServer(start, namespace, cluster)
    : devServer(start, namespace);
}

/** Throws StackProblem when the stored payments have their workflows in another kind of Temporal. */
function refuseOtherKind({ path, temporal }: DataDir, wanted: TemporalKind): void {
  const marks: Record<TemporalKind, string> = {
    dev: devServerFile(temporal),
    server: serverConfigFile(temporal),
    cluster: clusterDirectory(temporal),
  };
  const other = temporalKinds.find((kind) => kind !== wanted && existsSync(marks[kind]));
  if (other === undefined) return;
  throw new StackProblem(
    `the workflows in ${path} belong to --temporal ${other}: start with that, start with --fresh, or choose another --data-dir`,
  );
}

const devServerFile = (directory: string): string => join(directory, 'temporal.db');

interface Deferred<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (reason: unknown) => void;
}

function deferred<T>(): Deferred<T> {
  let functions: Omit<Deferred<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    functions = { resolve, reject };
  });
  // A rejection that no caller awaits must not end the process.
  promise.catch(() => {});
  if (functions === undefined) throw new Error('the executor of a promise runs synchronously');
  return { promise, ...functions };
}

function embeddedPostgres(start: Launch, started: Deferred<Cluster>): Step {
  const { session, signal } = start;
  const { dataDir, ports, secrets, watchdog, supervisor } = session;
  return {
    title: 'PostgreSQL',
    run: async () => {
      try {
        for (const name of ['postgres', 'initdb']) rotateLog(dataDir.logs, name);
        const settings = clusterSettings(start);
        const own = {
          ...{ directory: dataDir.postgres, port: ports.postgres, password: secrets.postgresPassword },
          ...{ logsDirectory: dataDir.logs, durable: true, guard: watchdog, signal },
        };
        const { standby: mode } = start.options;
        const more = mode === undefined ? {} : primarySettings(mode);
        const cluster = await prepareCluster({ ...own, settings: { ...settings, ...more } });
        const replica =
          mode === undefined
            ? undefined
            : await prepareStandby(own, {
                ...{ ...own, directory: dataDir.postgresStandby, port: ports.postgresStandby ?? 0 },
                settings,
              });
        await supervisor.start(cluster.program, signal);
        if (replica !== undefined) await supervisor.start(replica.program, signal);
        await ensureDatabase(cluster.url('postgres'), DATABASE_NAME);
        started.resolve(cluster);
        const { version, source } = cluster.binaries;
        return `PostgreSQL ${version} (${source}) on 127.0.0.1:${ports.postgres}`;
      } catch (error) {
        started.reject(error);
        throw error;
      }
    },
  };
}

const atPort = (url: string, port: number): string => {
  const at = new URL(url);
  at.port = String(port);
  return at.href;
};

/** Returns settings with enough connections for all processes of this start. */
function clusterSettings({
  options,
  environment,
  postgresSettings,
}: Launch): Record<string, string | number> {
  const pool = Number(environment['DATABASE_POOL_SIZE'] || DEFAULT_POOL);
  const real = options.temporal === 'server';
  const wanted =
    (options.workers + options.apis) * (pool + 2) +
    SPARE_CONNECTIONS +
    (real ? temporalServerConnections : 0);
  return {
    max_connections: Math.max(MIN_CONNECTIONS, wanted),
    ...(real ? SERVER_SETTINGS : {}),
    ...postgresSettings,
  };
}

function externalPostgres(url: string): Step {
  return {
    title: 'PostgreSQL',
    run: async () => {
      const { version, where } = await checkDatabase(url);
      return `PostgreSQL ${version} (DATABASE_URL) at ${where}`;
    },
  };
}

function devServer({ session, signal }: Launch, namespace: string): Step {
  return {
    title: 'Temporal',
    run: async (report) => {
      const { dataDir, ports, watchdog, supervisor } = session;
      rotateLog(dataDir.logs, 'temporal');
      const cli = await findTemporalCli({ report, signal, guard: watchdog });
      const program = temporalProgram({
        cli,
        databaseFile: devServerFile(dataDir.temporal),
        port: ports.temporal,
        httpPort: ports.temporalHttp,
        uiPort: ports.temporalUi,
        codecUrl: codecUrl(ports.private),
        namespace,
      });
      await supervisor.start(program, signal);
      return `Temporal on 127.0.0.1:${ports.temporal}, web UI ${localUrl(ports.temporalUi)}`;
    },
  };
}

function externalTemporalStep({ address, namespace }: ExternalTemporal): Step {
  return { title: 'Temporal', run: async () => `Temporal (external) at ${address}, namespace ${namespace}` };
}
