import { join } from 'node:path';
import { SettingsError, readSettings } from '../src/runtime/settings.ts';
import { rotateLog } from './data-dir.ts';
import { demoPayment } from './demo.ts';
import { type ExternalTemporal, externalTemporal } from './external-temporal.ts';
import type { StackOptions } from './options.ts';
import { DATABASE_NAME, checkDatabase, ensureDatabase, prepareCluster } from './postgres.ts';
import { StackProblem, reasonOf } from './problem.ts';
import { type Output, type Step, runTogether } from './progress.ts';
import { runTool } from './run-tool.ts';
import { type Sandbox, type SandboxOptions, createSandbox, isKeyAccepted, storedSandbox } from './sandbox.ts';
import {
  type Addresses,
  type Entries,
  localUrl,
  serviceEnvironment,
  servicePrograms,
  simulatorEnvironments,
} from './services.ts';
import type { StackDescription, StackSession } from './session.ts';
import type { Program } from './supervisor.ts';
import { findTemporalCli } from './temporal-cli.ts';
import { temporalProgram } from './temporal.ts';

const MIGRATE_MS = 120_000;

const LABELS: Readonly<Record<string, string>> = {
  api: 'API',
  vault: 'Card vault (simulator)',
  network: 'Payment network (simulator)',
};

export interface Launch {
  session: StackSession;
  options: StackOptions;
  entries: Entries;
  /** The user's own variables. */
  environment: NodeJS.ProcessEnv;
  output: Output;
  signal: AbortSignal;
}

/**
 * Starts the whole stack in order, makes the demo payment, publishes `stack.json`. Throws StackProblem at the
 * first part that cannot be started; what runs by then is the session's to stop. docs/operations.md.
 */
export async function launch(start: Launch): Promise<StackDescription> {
  const { session, output, options, entries } = start;
  const addresses = await startEngines(start);
  const environment = serviceEnvironment(start.environment, session.ports, session.secrets, addresses);
  await runTogether([migrations(start, environment)], output);

  const admin: SandboxOptions = {
    dataDir: session.dataDir,
    admin: entries.admin,
    environment,
    signal: start.signal,
  };
  const simulators = simulatorEnvironments(
    start.environment,
    session.ports,
    session.secrets,
    session.dataDir,
  );
  const programs = servicePrograms(entries, options.workers, environment, simulators);
  let sandbox = storedSandbox(session.dataDir);
  const steps = programs.map((program) => serviceStep(start, program));
  // The first merchant needs the database only, so it is made while the services start.
  if (sandbox === undefined) steps.push(sandboxStep(admin, (made) => (sandbox = made)));
  await runTogether(steps, output);

  const baseUrl = localUrl(session.ports.api);
  const { apiKey } = await usableSandbox(baseUrl, sandbox, admin);
  const demoPaymentId = options.demo ? await demo(start, baseUrl, apiKey) : null;
  const description = {
    baseUrl,
    vaultUrl: localUrl(session.ports.vault),
    networkUrl: localUrl(session.ports.network),
    temporalAddress: addresses.temporalAddress,
    temporalUiUrl: addresses.temporalUiUrl,
    databaseUrl: addresses.databaseUrl,
    sandboxApiKey: apiKey,
    demoPaymentId,
  };
  session.publish(description);
  return description;
}

/** Throws StackProblem for variables no process of the stack would start with, before anything is started. */
export function refuseWrongSettings(environment: NodeJS.ProcessEnv): void {
  if (environment['DEPLOYMENT'] === 'production') {
    throw new StackProblem(
      'npm start runs a development stack: unset DEPLOYMENT (docs/ tell how to run in production)',
    );
  }
  try {
    readSettings({
      ...environment,
      DATABASE_URL: environment['DATABASE_URL'] || 'postgres://127.0.0.1/unused',
    });
  } catch (error) {
    if (error instanceof SettingsError) throw new StackProblem(error.message);
    throw error;
  }
}

/** PostgreSQL and Temporal: the user's, or our own. */
async function startEngines(start: Launch): Promise<Addresses> {
  const { session, environment, output, signal } = start;
  const external = await externalTemporal(environment);
  const temporalNamespace = external?.namespace ?? (environment['TEMPORAL_NAMESPACE'] || 'default');
  let databaseUrl = environment['DATABASE_URL'] || '';
  const postgres =
    databaseUrl === ''
      ? embeddedPostgres(start, (url) => (databaseUrl = url))
      : externalPostgres(databaseUrl);
  const temporal =
    external === undefined ? embeddedTemporal(start, temporalNamespace) : givenTemporal(external);
  await runTogether([postgres, temporal], output);
  signal.throwIfAborted();
  return {
    databaseUrl,
    temporalAddress: external?.address ?? `127.0.0.1:${session.ports.temporal}`,
    temporalNamespace,
    temporalUiUrl:
      external === undefined ? localUrl(session.ports.temporalUi) : environment['TEMPORAL_UI_URL'] || null,
  };
}

function embeddedPostgres({ session, signal }: Launch, found: (url: string) => void): Step {
  return {
    title: 'PostgreSQL',
    run: async () => {
      const { dataDir, ports, secrets, watchdog, supervisor } = session;
      for (const name of ['postgres', 'initdb']) rotateLog(dataDir.logs, name);
      const cluster = await prepareCluster({
        directory: dataDir.postgres,
        port: ports.postgres,
        password: secrets.postgresPassword,
        logsDirectory: dataDir.logs,
        durable: true,
        guard: watchdog,
        signal,
      });
      await supervisor.start(cluster.program, signal);
      await ensureDatabase(cluster.url('postgres'), DATABASE_NAME);
      found(cluster.url(DATABASE_NAME));
      const { version, source } = cluster.binaries;
      return `PostgreSQL ${version} (${source}) on 127.0.0.1:${ports.postgres}`;
    },
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

function embeddedTemporal({ session, signal }: Launch, namespace: string): Step {
  return {
    title: 'Temporal',
    run: async (report) => {
      const { dataDir, ports, watchdog, supervisor } = session;
      rotateLog(dataDir.logs, 'temporal');
      const cli = await findTemporalCli({ report, signal, guard: watchdog });
      const program = temporalProgram({
        cli,
        databaseFile: join(dataDir.temporal, 'temporal.db'),
        port: ports.temporal,
        httpPort: ports.temporalHttp,
        uiPort: ports.temporalUi,
        codecUrl: `${localUrl(ports.private)}/codec`,
        namespace,
      });
      await supervisor.start(program, signal);
      return `Temporal on 127.0.0.1:${ports.temporal}, web UI ${localUrl(ports.temporalUi)}`;
    },
  };
}

function givenTemporal({ address, namespace }: ExternalTemporal): Step {
  return { title: 'Temporal', run: async () => `Temporal (yours) at ${address}, namespace ${namespace}` };
}

function migrations({ session, entries, signal }: Launch, environment: NodeJS.ProcessEnv): Step {
  return {
    title: 'Migrations',
    run: async () => {
      const logFile = join(session.dataDir.logs, 'migrate.log');
      rotateLog(session.dataDir.logs, 'migrate');
      await runTool(process.execPath, [entries.migrate], {
        logFile,
        timeoutMs: MIGRATE_MS,
        env: environment,
        signal,
        guard: session.watchdog,
      });
      return 'Migrations applied';
    },
  };
}

function serviceStep({ session, signal }: Launch, program: Program): Step {
  const title = LABELS[program.name] ?? program.name.replace('worker', 'Worker');
  return {
    title,
    run: async () => {
      rotateLog(session.dataDir.logs, program.name);
      await session.supervisor.start(program, signal);
      return title;
    },
  };
}

function sandboxStep(admin: SandboxOptions, made: (sandbox: Sandbox) => void): Step {
  return {
    title: 'Sandbox merchant',
    run: async () => {
      made(await createSandbox(admin));
      return 'Sandbox merchant with a key';
    },
  };
}

async function usableSandbox(
  baseUrl: string,
  sandbox: Sandbox | undefined,
  admin: SandboxOptions,
): Promise<Sandbox> {
  if (sandbox !== undefined && (await isKeyAccepted(baseUrl, sandbox.apiKey))) return sandbox;
  return createSandbox(admin);
}

/** A demo that fails is said, and the stack stays up to be looked at. */
async function demo({ output, signal }: Launch, baseUrl: string, apiKey: string): Promise<string | null> {
  try {
    return await demoPayment({ baseUrl, apiKey, line: output.line, signal });
  } catch (error) {
    signal.throwIfAborted();
    output.line(`✖ The demo payment did not succeed: ${reasonOf(error)}; see the logs`);
    return null;
  }
}
