import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ensureDatabase, prepareCluster } from '../../local-stack/postgres.ts';
import { declinesUnlimited } from '../../local-stack/sandbox.ts';
import { localUrl } from '../../local-stack/services.ts';
import { type Command, Supervisor } from '../../local-stack/supervisor.ts';
import { findTemporalCli } from '../../local-stack/temporal-cli.ts';
import { temporalProgram } from '../../local-stack/temporal.ts';
import { Watchdog } from '../../local-stack/watchdog.ts';
import type { FaultInjector, Victims } from './faults.ts';
import {
  type NetworkTrouble,
  type OrderAtNetwork,
  networkOrders,
  noTrouble,
  stripeTrouble,
} from './network-trouble.ts';
import type { ProcessName } from './plan.ts';
import { type ChaosPorts, chooseChaosPorts } from './ports.ts';
import { startPostgresProxy } from './postgres-proxy.ts';
import {
  bareEnvironment,
  type ChaosSecrets,
  chaosPrograms,
  newSecrets,
  type NetworkKind,
  pciVaultAccount,
  stripeKeys,
} from './programs.ts';
import { startHttpProxies } from './proxies.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const databaseName = 'card_payments';

/** The running stack: addresses of its parts without proxies, and of the service behind its proxies. */
export interface Stack extends Victims, NetworkTrouble {
  apiKey: string;
  merchantId: string;
  /** Both APIs, behind their proxies. */
  apis: string[];
  databaseUrl: string;
  temporalAddress: string;
  networkUrl: string;
  networkKey: string;
  network: NetworkKind;
  /** Sends an order to the network, without going through a proxy. */
  simulateAtNetwork: OrderAtNetwork;
  receiver: Receiver;
  logsDirectory: string;
  /** Kills a process of the service, which restarts from this build and with these variables. */
  restartWith: (name: ProcessName, other: { dist?: string; environment?: NodeJS.ProcessEnv }) => void;
  stop: () => Promise<void>;
}

export interface StackOptions {
  /** The build whose processes run. */
  dist: string;
  /** Data and logs. */
  directory: string;
  faults: FaultInjector;
  network: NetworkKind;
  deadlineSeconds: number;
}

/**
 * Starts the real processes on loopback with a proxy on every hop: two APIs, two workers, vault, network,
 * Temporal and a durable PostgreSQL; the receiver of webhooks is in this process. Everything dies with this
 * process (watchdog).
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { dist, directory, faults, network, deadlineSeconds } = options;
  const logsDirectory = join(directory, 'logs');
  mkdirSync(logsDirectory, { recursive: true });
  const watchdog = new Watchdog();
  watchdog.removeWhenOrphaned(directory);
  const supervisor = new Supervisor({
    logsDirectory,
    guard: watchdog,
    onChange() {},
    print: (line) => faults.note(line),
  });
  const closers: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    await supervisor.stop();
    await Promise.allSettled(closers.map((close) => close()));
    await watchdog.close();
  };
  try {
    const ports = await chooseChaosPorts();
    const databaseUrl = await startServers(supervisor, watchdog, ports, directory);
    await runCli(dist, 'migrate.js', databaseUrl);
    const receiver = await startReceiver(ports.receiver);
    closers.push(receiver.close);
    await startHttpProxies(ports, network, faults, (close) => closers.push(close));
    const postgresProxy = await startPostgresProxy({
      port: ports.postgresProxy,
      targetPort: ports.postgres,
      reach: (point) => faults.reach(point),
      losesCommit: () => faults.losesCommit(),
    });
    closers.push(postgresProxy.close);
    const secrets = newSecrets();
    const { signal } = new AbortController();
    const programs = chaosPrograms({
      dist,
      ports,
      secrets,
      databaseUrl,
      directory,
      network,
      deadlineSeconds,
    });
    await Promise.all(programs.map((program) => supervisor.start(program, signal)));
    const shop = await createShop(dist, databaseUrl, `${localUrl(ports.receiver)}/hooks`);
    receiver.expectSecret(shop.webhookSecret);
    if (network === 'stripe') await connectStripe(dist, databaseUrl, shop.merchantId, ports, secrets);
    const networkUrl = localUrl(ports.network);
    const networkKey = network === 'stripe' ? stripeKeys(secrets).secret : secrets.network;
    return {
      apiKey: shop.apiKey,
      merchantId: shop.merchantId,
      apis: [localUrl(ports.api1Proxy), localUrl(ports.api2Proxy)],
      databaseUrl,
      temporalAddress: `127.0.0.1:${ports.temporal}`,
      networkUrl,
      networkKey,
      network,
      simulateAtNetwork: networkOrders(networkUrl, networkKey),
      receiver,
      logsDirectory,
      restartWith: (name, { dist: from, environment }) => {
        const program = programs.find((each) => each.name === name);
        if (program) program.command = changedCommand(program.command, from, environment);
        send(supervisor.processes[name], 'SIGKILL');
      },
      pidOf: (name) => supervisor.processes[name],
      cutPostgres: postgresProxy.cutAll,
      failDeliveriesWhen: receiver.failWhen,
      ...(network === 'stripe'
        ? stripeTrouble(networkUrl, networkKey, (line) => faults.note(line))
        : noTrouble),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Sends a signal to a process; one that has ended already gets none. */
export function send(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}

/** Returns the command of a program, changed, with its script below `dist` or an earlier copy of it. */
function changedCommand(
  command: Command,
  from: string | undefined,
  environment: NodeJS.ProcessEnv | undefined,
): Command {
  const script = /(?<=dist[/\\])src[/\\].*$/.exec(command.args[0] ?? '')?.[0] ?? '';
  return {
    ...command,
    args: from === undefined ? command.args : [join(from, script)],
    env: { ...command.env, ...environment },
  };
}

/** Starts PostgreSQL and Temporal. Returns the URL of the service's database, without the proxy. */
async function startServers(
  supervisor: Supervisor,
  watchdog: Watchdog,
  ports: ChaosPorts,
  directory: string,
): Promise<string> {
  const { signal } = new AbortController();
  const cluster = await prepareCluster({
    directory: join(directory, 'postgres'),
    port: ports.postgres,
    password: randomBytes(18).toString('base64url'),
    logsDirectory: join(directory, 'logs'),
    durable: true,
    guard: watchdog,
    signal,
  });
  const cli = await findTemporalCli({ report() {}, guard: watchdog });
  const temporal = temporalProgram({
    cli,
    databaseFile: join(directory, 'temporal', 'temporal.db'),
    port: ports.temporal,
    httpPort: ports.temporalHttp,
    namespace: 'default',
  });
  await Promise.all([supervisor.start(cluster.program, signal), supervisor.start(temporal, signal)]);
  await ensureDatabase(cluster.url('postgres'), databaseName);
  return cluster.url(databaseName);
}

/** Creates the merchant of the schedules with a key and a webhook endpoint. */
async function createShop(
  dist: string,
  databaseUrl: string,
  webhookUrl: string,
): Promise<{ merchantId: string; apiKey: string; webhookSecret: string }> {
  const admin = async (...args: string[]): Promise<unknown> =>
    JSON.parse(await runCli(dist, 'admin.js', databaseUrl, [...args, '--json']));
  const { merchantId } = z
    .object({ merchantId: z.string() })
    .parse(await admin('merchant', 'create', '--name', 'Chaos shop'));
  const place = ['--merchant', merchantId, '--environment', 'sandbox'];
  await admin('settings', 'set', ...place, '--custom-mode', 'on', ...declinesUnlimited);
  const { apiKey } = z
    .object({ apiKey: z.string() })
    .parse(await admin('key', 'create', ...place, '--name', 'chaos'));
  const { secret } = z
    .object({ secret: z.string() })
    .parse(await admin('webhook', 'create', ...place, '--url', webhookUrl));
  return { merchantId, apiKey, webhookSecret: secret };
}

/** Connects the merchant's payments to the dialects, and their webhooks to the service, by proxies. */
async function connectStripe(
  dist: string,
  databaseUrl: string,
  merchantId: string,
  ports: ChaosPorts,
  secrets: ChaosSecrets,
): Promise<void> {
  const keys = stripeKeys(secrets);
  const { user, key } = pciVaultAccount;
  const printed = await runCli(dist, 'admin.js', databaseUrl, [
    ...['connector', 'set', '--merchant', merchantId, '--environment', 'sandbox', '--kind', 'stripe'],
    ...['--secret-key', keys.secret, '--publishable-key', keys.publishable],
    ...['--webhook-secret', secrets.callback],
    ...['--vault-user', user, '--vault-password', secrets.vault],
    ...['--vault-key', key, '--vault-passphrase', secrets.vault],
    ...['--api-base', localUrl(ports.networkProxy), '--vault-base', localUrl(ports.vaultProxy), '--json'],
  ]);
  const { webhookUrl } = z.object({ webhookUrl: z.string() }).parse(JSON.parse(printed));
  const response = await fetch(`${localUrl(ports.network)}/simulate/webhook_endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      url: localUrl(ports.callbackProxy) + new URL(webhookUrl).pathname,
      secret: secrets.callback,
    }),
  });
  if (!response.ok) throw new Error(`the Stripe dialect took no endpoint: ${response.status}`);
}

/** Runs a command of the build without proxies; returns its output. */
async function runCli(
  dist: string,
  script: string,
  databaseUrl: string,
  args: string[] = [],
): Promise<string> {
  const env = { ...bareEnvironment, DATABASE_URL: databaseUrl };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(dist, 'src', 'cli', script), ...args],
    { env },
  );
  return stdout;
}
