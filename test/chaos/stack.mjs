import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { startHttpProxy } from './http-proxy.mjs';
import { startPostgresProxy } from './postgres-proxy.mjs';
import { startReceiver } from './receiver.mjs';
import { callbackNames, networkNames, serviceNames, vaultNames } from './names.mjs';

/** Windows short enough that a schedule sees them pass. */
export const deadlineSeconds = 12;

/**
 * The real processes on loopback with a proxy on every hop: two APIs, two workers, vault, network, Temporal and a
 * durable PostgreSQL, from the compiled service in `dist`. `trouble` decides faults and what happens at named points;
 * the receiver of webhooks is in this process. Everything dies with this process (watchdog).
 */
export async function startStack({ dist, directory, trouble, say }) {
  const load = (file) => import(pathToFileURL(join(dist, file)).href);
  const { Supervisor } = await load('local-stack/supervisor.js');
  const { Watchdog } = await load('local-stack/watchdog.js');
  const { choosePort } = await load('local-stack/ports.js');
  const { ensureDatabase, prepareCluster } = await load('local-stack/postgres.js');
  const { findTemporalCli } = await load('local-stack/temporal-cli.js');
  const { temporalProgram } = await load('local-stack/temporal.js');
  const logsDirectory = join(directory, 'logs');
  mkdirSync(logsDirectory, { recursive: true });
  const watchdog = new Watchdog();
  watchdog.removeWhenOrphaned(directory);
  const supervisor = new Supervisor({ logsDirectory, guard: watchdog, onChange() {}, say: trouble.note });
  const { signal } = new AbortController();
  const names = [
    'pg',
    'pgProxy',
    'temporal',
    'temporalHttp',
    'vault',
    'vaultProxy',
    'network',
    'networkProxy',
  ];
  names.push('api1', 'api2', 'api1Proxy', 'api2Proxy', 'callbackProxy', 'receiver');
  const ports = {};
  // Two runs that start together look in different places.
  let from = 38_000 + (process.pid % 100) * 40;
  for (const name of names) {
    ports[name] = (await choosePort([from])).port;
    from = ports[name] + 1;
  }
  const url = (name) => `http://127.0.0.1:${ports[name]}`;
  const closers = [];
  try {
    const cluster = await prepareCluster({
      directory: join(directory, 'postgres'),
      port: ports.pg,
      password: randomBytes(18).toString('base64url'),
      logsDirectory,
      durable: true,
      guard: watchdog,
      signal,
    });
    const cli = await findTemporalCli({ report() {}, guard: watchdog });
    await Promise.all([
      supervisor.start(cluster.program, signal),
      supervisor.start(
        temporalProgram({
          cli,
          databaseFile: join(directory, 'temporal', 'temporal.db'),
          port: ports.temporal,
          httpPort: ports.temporalHttp,
          namespace: 'default',
        }),
        signal,
      ),
    ]);
    await ensureDatabase(cluster.url('postgres'), 'card_payments');
    const databaseUrl = cluster.url('card_payments');
    const run = promisify(execFile);
    const plain = { PATH: process.env.PATH, DATABASE_URL: databaseUrl, LOG_LEVEL: 'info' };
    await run(process.execPath, [join(dist, 'src', 'cli', 'migrate.js')], { env: plain });

    const receiver = await startReceiver(ports.receiver);
    closers.push(receiver.close);
    let turn = 0;
    const hops = [
      { hop: 'api', port: ports.api1Proxy, target: url('api1'), classify: serviceNames },
      { hop: 'api', port: ports.api2Proxy, target: url('api2'), classify: serviceNames },
      { hop: 'vault', port: ports.vaultProxy, target: url('vault'), classify: vaultNames },
      { hop: 'network', port: ports.networkProxy, target: url('network'), classify: networkNames },
      {
        hop: 'callback',
        port: ports.callbackProxy,
        target: () => url((turn += 1) % 2 ? 'api1' : 'api2'),
        classify: callbackNames,
      },
    ];
    const proxies = [];
    for (const each of hops) {
      const fault = (name) => trouble.fault(each.hop, name);
      const proxy = await startHttpProxy({ ...each, reach: trouble.reach, fault });
      proxies.push(proxy);
      closers.push(proxy.close);
    }
    const postgresProxy = await startPostgresProxy({
      port: ports.pgProxy,
      targetPort: ports.pg,
      reach: trouble.reach,
      loseCommit: trouble.loseCommit,
    });
    closers.push(postgresProxy.close);

    const secrets = {
      vault: randomBytes(16).toString('hex'),
      network: randomBytes(16).toString('hex'),
      between: randomBytes(16).toString('hex'),
      callback: `whsec_${randomBytes(32).toString('base64')}`,
    };
    const service = {
      ...plain,
      DATABASE_URL: databaseUrl.replace(`:${ports.pg}/`, `:${ports.pgProxy}/`),
      TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`,
      PUBLIC_URL: url('api1Proxy'),
      VAULT_URL: url('vaultProxy'),
      VAULT_SERVICE_KEY: secrets.vault,
      NETWORK_URL: url('networkProxy'),
      NETWORK_SERVICE_KEY: secrets.network,
      NETWORK_CALLBACK_SECRET: secrets.callback,
      CHECKOUT_DEADLINE_SECONDS: String(deadlineSeconds),
      CAPTURE_WINDOW_SECONDS: String(deadlineSeconds - 2),
      WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1,2,2,3,3,5,5,5,10,10,10,10',
      // Long enough that some are canceled, short enough that most are on their way when somebody dies.
      REFUND_DELAY_SECONDS: '1',
      RATE_LIMITS: 'off',
      DATABASE_POOL_SIZE: '8',
    };
    const simulator = { PATH: process.env.PATH };
    const program = (name, script, env, stage) => ({
      name,
      command: { file: process.execPath, args: [join(dist, script)], env },
      stage,
      signals: ['SIGTERM'],
      graceMs: 15_000,
      readyWithinMs: 60_000,
      ipc: true,
      ready: (child) =>
        new Promise((resolve) => child.on('message', (message) => message?.type === 'ready' && resolve())),
    });
    const vaultEnv = {
      ...simulator,
      VAULT_SIM_PORT: String(ports.vault),
      VAULT_SIM_DATA_DIR: join(directory, 'vault'),
      VAULT_SIM_PUBLIC_URL: url('vaultProxy'),
      VAULT_SIM_SERVICE_KEY: secrets.vault,
      VAULT_SIM_NETWORK_KEY: secrets.between,
    };
    const networkEnv = {
      ...simulator,
      NETWORK_SIM_PORT: String(ports.network),
      NETWORK_SIM_DATA_DIR: join(directory, 'network'),
      NETWORK_SIM_PUBLIC_URL: url('network'),
      NETWORK_SIM_SERVICE_KEY: secrets.network,
      NETWORK_SIM_VAULT_URL: url('vault'),
      NETWORK_SIM_VAULT_KEY: secrets.between,
      NETWORK_SIM_CALLBACK_URL: `${url('callbackProxy')}/callbacks/network`,
      NETWORK_SIM_CALLBACK_SECRET: secrets.callback,
    };
    await Promise.all(
      [
        program('vault', 'simulators/vault/main.js', vaultEnv, 2),
        program('network', 'simulators/network/main.js', networkEnv, 2),
        program('worker-1', 'src/worker/main.js', service, 1),
        program('worker-2', 'src/worker/main.js', service, 1),
        program('api-1', 'src/api/server.js', { ...service, API_PORT: String(ports.api1) }, 0),
        program('api-2', 'src/api/server.js', { ...service, API_PORT: String(ports.api2) }, 0),
      ].map((each) => supervisor.start(each, signal)),
    );
    const admin = async (...args) => {
      const { stdout } = await run(
        process.execPath,
        [join(dist, 'src', 'cli', 'admin.js'), ...args, '--json'],
        {
          env: plain,
        },
      );
      return JSON.parse(stdout);
    };
    const { merchantId } = await admin('merchant', 'create', '--name', 'Chaos shop');
    const place = ['--merchant', merchantId, '--environment', 'sandbox'];
    await admin('settings', 'set', ...place, '--custom-mode', 'on');
    const { apiKey } = await admin('key', 'create', ...place, '--name', 'chaos');
    const { secret } = await admin('webhook', 'create', ...place, '--url', `${url('receiver')}/hooks`);
    receiver.expect(secret);
    say('stack is up');
    return {
      apiKey,
      merchantId,
      databaseUrl,
      logsDirectory,
      receiver,
      temporalAddress: `127.0.0.1:${ports.temporal}`,
      apis: [url('api1Proxy'), url('api2Proxy')],
      directApis: [url('api1'), url('api2')],
      networkUrl: url('network'),
      networkKey: secrets.network,
      proxies,
      cutPostgres: postgresProxy.cutAll,
      pid: (name) => supervisor.processes[name],
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }

  async function stop() {
    await supervisor.stop();
    await Promise.allSettled(closers.map((close) => close()));
    await watchdog.close();
  }
}
