import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from '../../../local-stack/launcher.ts';
import { choosePort } from '../../../local-stack/ports.ts';
import { StackProblem } from '../../../local-stack/problem.ts';
import { type StackDescription, StackSession } from '../../../local-stack/session.ts';
import { Problem } from '../../../scripts/lib/problem.mjs';
import { entriesOf } from '../../bench/stack.ts';
import { type Balancer, openBalancer } from '../../cluster/balancer.ts';
import { portOf, redirected } from '../../cluster/redirect.ts';
import { type Relay, openRelay } from '../../cluster/relay.ts';
import { Shop } from '../../deploy/shop.ts';
import { drillEnvironment } from '../../support/harness/drill-environment.ts';
import type { Observed } from '../observations.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { Disturbed } from './disturbed.ts';
import { type Pair, describePair, pairs } from './pairs.ts';
import { SmallDisk } from './small-disk.ts';

const receiverPort = 4320;
/** The checkout deadline of a schedule, in s: it passes within the schedule, and after the usual faults. */
export const deadlineSeconds = 40;

type Closer = () => Promise<void> | void;

/** A stack of `npm start -- --temporal cluster` whose parts can be disturbed. */
export interface ClusterStack {
  session: StackSession;
  description: StackDescription;
  balancer: Balancer;
  receiver: Receiver;
  disturbed: Disturbed;
  /** The file system of the service's rows; undefined where none can be mounted. */
  disk: SmallDisk | undefined;
  relayOf: (pair: Pair) => Relay;
  observed: Observed;
  stop: () => Promise<void>;
}

export interface ClusterStackOptions {
  /** With a synchronous standby, for a failover. Such a stack has no small disk. */
  standby: boolean;
  logLine: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Starts Temporal's six processes, two APIs behind a balancer and two workers, with a relay between each pair
 * of processes that a partition can separate. Throws Problem when it cannot be started.
 */
export async function startClusterStack({
  standby,
  logLine,
  signal,
}: ClusterStackOptions): Promise<ClusterStack> {
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-cluster-'));
  const shims = mkdtempSync(join(tmpdir(), 'card-payments-shims-'));
  /** Closed in this order: the relays forward until the processes have stopped. */
  const closers: Closer[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closers) await close();
    for (const path of [directory, shims]) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  };
  const options = {
    ...{ port: undefined, fresh: false, demo: false, guides: false, workers: 2, apis: 2 },
    ...({ temporal: 'cluster', connector: 'simulator' } as const),
    ...(standby && { standby: 'sync' as const }),
    dataDir: join(directory, 'data'),
  };
  try {
    const output = { display: false, line: logLine };
    const session = await StackSession.open(options, output, signal);
    closers.push(() => session.stop());
    const disturbed = new Disturbed(shims);
    const disk = standby ? undefined : SmallDisk.mount(join(directory, 'disk'));
    if (disk !== undefined) {
      closers.push(() => disk.unmount());
      session.dataDir.postgres = join(disk.directory, 'postgres');
    }
    const relays = await openRelays(session, disturbed, closers);
    const entries = entriesOf();
    const description = await launch({
      ...{ session, options, entries, output, signal },
      environment: drillEnvironment(deadlineSeconds),
    });
    const { receiver, balancer } = await openEnds(session, description, closers);
    return {
      ...{ session, description, balancer, receiver, disturbed, disk, stop },
      relayOf: (pair) => {
        const relay = relays.get(describePair(pair));
        if (relay === undefined) throw new Error(`no relay cuts off ${describePair(pair)}`);
        return relay;
      },
      observed: {
        ...{ databaseUrl: description.databaseUrl, temporalAddress: description.temporalAddress },
        ...{ networkUrl: description.networkUrl, networkKey: session.secrets.networkServiceKey },
        ...{ network: 'tombstone', apiKey: description.sandboxApiKey, receiver },
        logsDirectory: session.dataDir.logs,
      },
    };
  } catch (error) {
    await stop();
    throw error instanceof StackProblem ? new Problem(error.message) : error;
  }
}

/** Puts the relays and the libraries before the processes of the session, which are not started yet. */
async function openRelays(
  session: StackSession,
  disturbed: Disturbed,
  closers: Closer[],
): Promise<Map<string, Relay>> {
  const relays = new Map<string, Relay>();
  for (const pair of pairs) {
    const relay = await openRelay(portOf(session.ports, pair.to));
    relays.set(describePair(pair), relay);
    closers.push(() => relay.close());
  }
  session.supervisor.amend = (program) => {
    for (const pair of pairs) {
      const relay = relays.get(describePair(pair));
      if (program.name === pair.from && relay) program = redirected(program, pair.to, relay.port);
    }
    return disturbed.amend(program);
  };
  return relays;
}

/** Opens what is outside the stack: the merchant's receiver of webhooks, and the balancer of the APIs. */
async function openEnds(
  session: StackSession,
  description: StackDescription,
  closers: Closer[],
): Promise<{ receiver: Receiver; balancer: Balancer }> {
  const { port } = await choosePort([receiverPort]);
  const receiver = await startReceiver(port);
  closers.unshift(() => receiver.close());
  const url = `http://127.0.0.1:${port}/hooks`;
  const { data } = await new Shop(description).call('POST', '/webhook-endpoints', { url });
  receiver.expectSecret(String(data['secret']));
  const balancer = openBalancer(
    description.apiUrls.map((api, index) => ({
      api,
      privateUrl: description.privateUrls[index === 0 ? 'api' : `api-${index + 1}`] ?? '',
    })),
  );
  closers.unshift(() => balancer.close());
  return { receiver, balancer };
}
