import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { Client as PostgresClient } from 'pg';
import { launch } from '../../local-stack/launcher.ts';
import { choosePort } from '../../local-stack/ports.ts';
import { ensureDatabase } from '../../local-stack/postgres.ts';
import type { SandboxOptions } from '../../local-stack/sandbox.ts';
import {
  type Entries,
  devServerPolls,
  localUrl,
  nodeProgram,
  serviceEnvironment,
} from '../../local-stack/services.ts';
import { type StackDescription, StackSession } from '../../local-stack/session.ts';
import { Problem } from '../../scripts/lib/problem.mjs';
import { projectRoot } from '../support/harness/project-root.ts';
import { floorDatabase, floorTables } from './floor/protocol.ts';
import type { BenchOptions } from './options.ts';
import { StatementCounter, countingSettings } from './statements.ts';

const FLOOR_PORT = 3900;
const FLOOR_GRACE_MS = 15_000;

export interface BenchStack {
  description: StackDescription;
  floorUrl: string;
  processes: () => Record<string, number>;
  counter: StatementCounter;
  /** The settings for operator commands of this stack. */
  operator: SandboxOptions;
  temporal: TemporalClient;
  stop: () => Promise<void>;
}

export interface StackStart {
  options: BenchOptions;
  logLine: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Starts the whole stack of `npm start`, in its own directory and without rate limits, and the floor's two
 * processes on the same PostgreSQL and Temporal. Throws StackProblem.
 */
export async function startBenchStack({ options, logLine, signal }: StackStart): Promise<BenchStack> {
  const dataDir = mkdtempSync(join(tmpdir(), 'card-payments-bench-'));
  const output = { display: false, line: logLine };
  const { temporal: kind, workers, apis } = options;
  const stackOptions = {
    port: undefined,
    dataDir,
    fresh: false,
    demo: false,
    guides: false,
    workers,
    apis,
    temporal: kind,
    connector: 'simulator' as const,
  };
  const closers: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closers.toReversed()) await close();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const session = await StackSession.open(stackOptions, output, signal);
    closers.push(() => session.stop());
    const description = await launch({
      session,
      options: stackOptions,
      entries: entriesOf(options.checkout),
      environment: environment(),
      output,
      signal,
      postgresSettings: countingSettings,
    });
    const floorUrl = await startFloor(session, description, kind, signal);
    const counter = await StatementCounter.open(description.databaseUrl);
    closers.push(() => counter.close());
    const connection = await Connection.connect({ address: description.temporalAddress });
    closers.push(() => connection.close());
    return {
      description,
      floorUrl,
      processes: () => session.supervisor.processes,
      counter,
      operator: {
        dataDir: session.dataDir,
        admin: entriesOf(options.checkout).admin,
        environment: serviceEnvironment(environment(), session.ports, session.secrets, {
          ...description,
          temporalNamespace: 'default',
          isDevServer: kind === 'dev',
        }),
        signal,
      },
      temporal: new TemporalClient({ connection }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the environment without the shell's own stack, which must not be measured in place of this one. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => name !== 'DATABASE_URL' && !name.startsWith('TEMPORAL_'),
  );
  // Rate limits would distort the measurement. docs/configuration.md
  return { ...Object.fromEntries(kept), RATE_LIMITS: 'off' };
}

async function startFloor(
  { supervisor }: StackSession,
  { databaseUrl, temporalAddress }: StackDescription,
  kind: BenchOptions['temporal'],
  signal: AbortSignal,
): Promise<string> {
  const url = new URL(databaseUrl);
  await ensureDatabase(databaseUrl, floorDatabase);
  url.pathname = `/${floorDatabase}`;
  const client = new PostgresClient({ connectionString: url.href });
  await client.connect();
  await client.query(floorTables);
  await client.end();
  const { port } = await choosePort([FLOOR_PORT]);
  const floorEnvironment = {
    ...environment(),
    DATABASE_URL: url.href,
    TEMPORAL_ADDRESS: temporalAddress,
    API_PORT: String(port),
    // The settings of the service's own workers.
    ...(kind === 'dev' && devServerPolls(process.env)),
  };
  const entry = (name: string): string => fileURLToPath(new URL(`./floor/${name}.js`, import.meta.url));
  const program = (name: string, script: string) =>
    nodeProgram(name, entry(script), floorEnvironment, 0, FLOOR_GRACE_MS);
  await Promise.all([
    supervisor.start(program('floor-worker', 'worker'), signal),
    supervisor.start(program('floor-api', 'server'), signal),
  ]);
  return localUrl(port);
}

/** Returns the built processes of a checkout, of this version or of one that has them at another path. */
export function entriesOf(checkout = projectRoot): Entries {
  const built = (...places: string[]): string => {
    const found = places.map((place) => join(checkout, 'dist', place)).find((path) => existsSync(path));
    if (found !== undefined) return found;
    throw new Problem(`${checkout} has no dist/${places[0]}: run npm ci and npm run build there`);
  };
  const source = (path: string): string => built(`src/${path}`, path);
  return {
    api: source('api/server.js'),
    worker: source('worker/main.js'),
    vault: built('simulators/vault/main.js'),
    network: built('simulators/network/main.js'),
    // No bench runs these, and earlier versions do not have them.
    stripe: join(checkout, 'dist/simulators/dialects/stripe/main.js'),
    pciVault: join(checkout, 'dist/simulators/dialects/pci-vault/main.js'),
    cardFrame: join(checkout, 'dist/src/card-frame/main.js'),
    migrate: source('cli/migrate.js'),
    admin: source('cli/admin.js'),
  };
}
