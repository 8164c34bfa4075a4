import { join } from 'node:path';
import { SettingsError, readSettings } from '../src/runtime/settings.ts';
import { rotateLog } from './data-dir.ts';
import { demoPayment } from './demo.ts';
import { connectDialects, dialectPrograms, disconnectDialects } from './dialects.ts';
import { startEngines } from './engines.ts';
import type { Launch } from './launch.ts';
import type { StackOptions } from './options.ts';
import { StackProblem, reasonOf } from './problem.ts';
import { type Step, runTogether } from './progress.ts';
import { runTool } from './run-tool.ts';
import {
  type Sandbox,
  type SandboxOptions,
  createSandbox,
  dashboardLink,
  isKeyAccepted,
  storedSandbox,
} from './sandbox.ts';
import { type DatabaseUsers, databaseUsers } from './database-users.ts';
import {
  type Addresses,
  cardFrameProgram,
  localUrl,
  privateUrls,
  serviceEnvironment,
  servicePrograms,
  simulatorEnvironments,
  simulatorPrograms,
} from './services.ts';
import type { StackDescription } from './session.ts';
import type { Program } from './supervisor.ts';

const MIGRATE_MS = 120_000;

const LABELS: Readonly<Record<string, string>> = {
  api: 'API',
  vault: 'Card vault (simulator)',
  network: 'Payment network (simulator)',
  'vault-live': 'Card vault of live payments (simulator)',
  'network-live': 'Payment network of live payments (simulator)',
  stripe: 'Stripe (dialect)',
  'pci-vault': 'PCI Vault (dialect)',
  'card-frame': 'Card frame',
};

/**
 * Starts the whole stack in order, makes the demo payment and publishes `stack.json`. Throws StackProblem
 * when a part cannot be started; the session stops the parts that run. docs/operations.md.
 */
export async function launch(start: Launch): Promise<StackDescription> {
  const { session, output, options, entries } = start;
  const { dialects } = session.ports;
  const isEmbedded = !start.environment['DATABASE_URL'];
  const environmentAt = (addresses: Addresses): NodeJS.ProcessEnv =>
    serviceEnvironment(start.environment, session.ports, session.secrets, addresses);
  // No roles are created in the user's own PostgreSQL.
  const usersAt = ({ databaseUrl }: Addresses): DatabaseUsers | undefined =>
    isEmbedded ? databaseUsers(databaseUrl, session.secrets.postgresPassword) : undefined;
  const addresses = await startEngines(start, (database) => [
    migrations(start, async () => {
      const known = await database;
      return { ...environmentAt(known), ...usersAt(known)?.passwords };
    }),
    // They need neither PostgreSQL nor Temporal.
    ...outsidePrograms(start).map((program) => serviceStep(start, program)),
  ]);

  const environment = environmentAt(addresses);
  const admin: SandboxOptions = {
    dataDir: session.dataDir,
    admin: entries.admin,
    environment,
    signal: start.signal,
  };
  const { workers } = options;
  const { moreApis, morePrivate } = session.ports;
  const counts = {
    workers,
    workerPorts: session.ports.workers,
    moreApis: moreApis.map((port, index) => ({ public: port, private: morePrivate[index] ?? 0 })),
  };
  const programs = servicePrograms(entries, counts, environment, usersAt(addresses));
  let sandbox = storedSandbox(session.dataDir);
  const steps = programs.map((program) => serviceStep(start, program));
  // The first merchant needs only the database, so it is created while the services start.
  if (sandbox === undefined) steps.push(sandboxStep(admin, (created) => (sandbox = created)));
  await runTogether(steps, output);

  const baseUrl = localUrl(session.ports.api);
  const usable = await usableSandbox(baseUrl, sandbox, admin);
  const { merchantId, apiKey } = usable;
  await (dialects
    ? connectDialects(admin, usable, session.secrets, dialects)
    : disconnectDialects(admin, usable));
  // The link is made by the operator's command, whose start takes as long as the demo payment.
  const [demoPaymentId, dashboardUrl] = await Promise.all([
    options.demo ? demo(start, baseUrl, apiKey) : null,
    dashboardLink(admin, merchantId),
  ]);
  const description = {
    baseUrl,
    apiUrls: [baseUrl, ...moreApis.map(localUrl)],
    privateUrls: privateUrls(session.ports),
    metricsUrls: Object.fromEntries(
      Object.entries(privateUrls(session.ports)).map(([name, url]) => [name, `${url}/metrics`]),
    ),
    vaultUrl: localUrl(session.ports.vault),
    networkUrl: localUrl(session.ports.network),
    liveVaultUrl: localUrl(session.ports.liveVault),
    liveNetworkUrl: localUrl(session.ports.liveNetwork),
    ...(dialects ? { stripeUrl: localUrl(dialects.stripe), pciVaultUrl: localUrl(dialects.pciVault) } : {}),
    temporalAddress: addresses.temporalAddress,
    temporalUiUrl: addresses.temporalUiUrl,
    databaseUrl: addresses.databaseUrl,
    ...(addresses.standbyUrl === undefined ? {} : { standbyUrl: addresses.standbyUrl }),
    merchantId,
    sandboxApiKey: apiKey,
    demoPaymentId,
    dashboardUrl,
  };
  session.publish(description);
  return description;
}

/**
 * Throws StackProblem, before anything is started, for variables that the service's settings reject or that
 * contradict the flags.
 */
export function refuseInvalidSettings(
  environment: NodeJS.ProcessEnv,
  { temporal, standby }: StackOptions,
): void {
  if (environment['DEPLOYMENT'] === 'production') {
    throw new StackProblem(
      'npm start runs a development stack: unset DEPLOYMENT (docs/operations.md explains production)',
    );
  }
  if (standby !== undefined && environment['DATABASE_URL']) {
    throw new StackProblem(
      '--standby replicates the embedded PostgreSQL: unset DATABASE_URL, or omit the flag',
    );
  }
  for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS']) {
    if (temporal === 'dev' || !environment[name]) continue;
    throw new StackProblem(
      `--temporal ${temporal} runs its own Temporal on the embedded PostgreSQL: unset ${name}, or omit the flag`,
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

/** Returns the programs of other companies: the simulators, and with the dialects also the card frame. */
function outsidePrograms({ session, entries, environment }: Launch): Program[] {
  const { ports, secrets, dataDir } = session;
  const { dialects } = ports;
  const simulators = simulatorEnvironments(environment, ports, secrets, dataDir);
  return [
    ...(dialects
      ? [
          ...dialectPrograms(entries, environment, dialects, secrets, dataDir),
          cardFrameProgram(entries, environment, ports, dialects),
        ]
      : []),
    ...simulatorPrograms(entries, simulators),
  ];
}

/** `environmentOf` resolves once the database answers. */
function migrations(
  { session, entries, signal }: Launch,
  environmentOf: () => Promise<NodeJS.ProcessEnv>,
): Step {
  return {
    title: 'Migrations',
    run: async () => {
      const environment = await environmentOf();
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
  const title = LABELS[program.name] ?? program.name.replace('worker', 'Worker').replace('api', 'API');
  return {
    title,
    run: async () => {
      rotateLog(session.dataDir.logs, program.name);
      await session.supervisor.start(program, signal);
      return title;
    },
  };
}

function sandboxStep(admin: SandboxOptions, onCreated: (sandbox: Sandbox) => void): Step {
  return {
    title: 'Sandbox merchant',
    run: async () => {
      onCreated(await createSandbox(admin));
      return 'Sandbox merchant with a key';
    },
  };
}

async function usableSandbox(
  baseUrl: string,
  sandbox: Sandbox | undefined,
  admin: SandboxOptions,
): Promise<Sandbox> {
  if (sandbox !== undefined && (await isKeyAccepted(baseUrl, sandbox.apiKey, admin.signal))) return sandbox;
  return createSandbox(admin);
}

/** Returns the demo payment's id, or null when it failed; the stack then stays up for inspection. */
async function demo({ output, signal }: Launch, baseUrl: string, apiKey: string): Promise<string | null> {
  try {
    return await demoPayment({ baseUrl, apiKey, line: output.line, signal });
  } catch (error) {
    signal.throwIfAborted();
    output.line(`✖ The demo payment failed: ${reasonOf(error)}. See the logs`);
    return null;
  }
}
