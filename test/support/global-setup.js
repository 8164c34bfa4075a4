/**
 * Starts the servers of the `stack` project: one PostgreSQL cluster with a migrated template database, and
 * one Temporal dev server. Tests find them through the environment variables below. A watchdog stops
 * everything when jest is killed.
 */
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../scripts/bootstrap.mjs';
import { build } from '../../scripts/build.mjs';
import { importLocalStack } from '../../scripts/lib/local-stack.mjs';
import { testStack } from './test-stack.js';

const TEMPLATE = 'card_payments_template';
const MIGRATE_MS = 60_000;

/**
 * What the servers of a run share.
 * @typedef {object} Context
 * @property {string} directory
 * @property {string} logsDirectory
 * @property {import('../../local-stack/watchdog.ts').Watchdog} watchdog
 * @property {import('../../local-stack/supervisor.ts').Supervisor} supervisor
 * @property {AbortSignal} signal
 */

export default async function globalSetup() {
  await build({ strict: false });
  const directory = process.env.TEST_RUN_DIR ?? join(tmpdir(), `card-payments-test-${randomUUID()}`);
  const stack = await startTestStack(directory);
  Object.assign(process.env, stack.environment);
  testStack.running = stack;
}

/** @param {string} directory */
async function startTestStack(directory) {
  const { Supervisor } = await importLocalStack('supervisor');
  const { Watchdog } = await importLocalStack('watchdog');
  const logsDirectory = join(directory, 'logs');
  mkdirSync(logsDirectory, { recursive: true });
  const watchdog = new Watchdog();
  watchdog.removeWhenOrphaned(directory);
  /** @param {string} line */
  const print = (line) => process.stderr.write(`${line}\n`);
  const supervisor = new Supervisor({ logsDirectory, guard: watchdog, onChange: () => {}, print });
  /** @type {Context} */
  const context = { directory, logsDirectory, watchdog, supervisor, signal: new AbortController().signal };
  const stop = () => supervisor.stop();
  try {
    const [database, temporal, testServer] = await Promise.all([
      startPostgres(context),
      startTemporal(context),
      findTimeSkippingServer(),
    ]);
    const environment = {
      ...database,
      ...temporal,
      TEST_SERVER_PATH: testServer,
      TEST_WORKFLOW_BUNDLE: join(root, 'dist', 'src', 'workflow-bundle.js'),
    };
    return { environment, directory, watchdog, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param {Context} context */
async function startPostgres({ directory, logsDirectory, watchdog, supervisor, signal }) {
  const { choosePort } = await importLocalStack('ports');
  const { ensureDatabase, prepareCluster, withClient } = await importLocalStack('postgres');
  const { port } = await choosePort([25_432]);
  const cluster = await prepareCluster({
    directory: join(directory, 'postgres'),
    port,
    password: randomBytes(24).toString('base64url'),
    logsDirectory,
    durable: false,
    guard: watchdog,
    signal,
  });
  await supervisor.start(cluster.program, signal);
  const adminUrl = cluster.url('postgres');
  await ensureDatabase(adminUrl, TEMPLATE);
  const rolesPassword = randomBytes(24).toString('base64url');
  await migrate(cluster.url(TEMPLATE), rolesPassword);
  // An open connection to the template would make every copy of it fail.
  await withClient(adminUrl, (client) =>
    client.query(`alter database ${TEMPLATE} is_template true allow_connections false`),
  );
  return {
    TEST_DATABASE_ADMIN_URL: adminUrl,
    TEST_DATABASE_TEMPLATE: TEMPLATE,
    TEST_DATABASE_ROLES_PASSWORD: rolesPassword,
  };
}

/**
 * @param {string} databaseUrl
 * @param {string} rolesPassword With which the processes' roles log in.
 */
async function migrate(databaseUrl, rolesPassword) {
  const script = join(root, 'dist', 'src', 'cli', 'migrate.js');
  if (!existsSync(script)) return;
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    DATABASE_API_PASSWORD: rolesPassword,
    DATABASE_WORKER_PASSWORD: rolesPassword,
    NODE_OPTIONS: '',
  };
  await promisify(execFile)(process.execPath, [script], { env, timeout: MIGRATE_MS });
}

/** @param {Context} context */
async function startTemporal({ supervisor, watchdog, signal }) {
  const { choosePort } = await importLocalStack('ports');
  const { findTemporalCli } = await importLocalStack('temporal-cli');
  const { temporalProgram } = await importLocalStack('temporal');
  const cli = await findTemporalCli({ report: () => {}, guard: watchdog });
  const { port } = await choosePort([27_233]);
  const { port: httpPort } = await choosePort([27_243]);
  await supervisor.start(temporalProgram({ cli, port, httpPort, namespace: 'default' }), signal);
  return { TEST_TEMPORAL_ADDRESS: `127.0.0.1:${port}` };
}

async function findTimeSkippingServer() {
  const { findTestServer } = await importLocalStack('test-server');
  return findTestServer({ report: () => {} });
}
