import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { StackDescription } from '../../local-stack/session.ts';
import type { Http } from '../bench/http.ts';
import type { Shop } from '../bench/shop.ts';

/** A running stack, and what acts on it. */
export interface Scene {
  description: StackDescription;
  shop: Shop;
  http: Http;
  processes: () => Readonly<Record<string, number>>;
}

/** A fault that is made for real, and the alerts that it has to fire. */
export interface Fault {
  what: string;
  fires: readonly string[];
  /** Makes the fault last; returns what ends it. */
  begin: (scene: Scene) => Promise<() => Promise<void>>;
}

/** Paid after five seconds. docs/sandbox.md */
const slowCard = '4000000000007304';

/** Freezes processes by their names in `stack.json`. */
function freeze({ processes }: Scene, names: readonly string[]): () => Promise<void> {
  const pids = names.map((name) => processes()[name]).filter((pid) => pid !== undefined);
  if (pids.length !== names.length) throw new Error(`one of ${names.join(', ')} does not run`);
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return async () => {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  };
}

/** Repeats work until it is stopped; what it throws is part of the fault. */
function repeatedly(work: () => Promise<unknown>, pauseMs: number): () => Promise<void> {
  const stopping = new AbortController();
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await work().catch(() => undefined);
      await sleep(pauseMs);
    }
  })();
  return async () => {
    stopping.abort();
    await loop;
  };
}

const slowPays: Fault = {
  what: 'a network that takes five seconds',
  fires: ['PaySlow'],
  begin: async ({ shop }) => repeatedly(async () => shop.pay(await shop.newPayable(slowCard)), 100),
};

const silentEndpoint: Fault = {
  what: 'an endpoint of a shop that never answers',
  fires: ['WebhooksBehind'],
  begin: async ({ description: { baseUrl, sandboxApiKey }, shop, http }) => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await http.call('POST', `${baseUrl}/v1/webhook-endpoints`, {
      headers: { authorization: `Bearer ${sandboxApiKey}`, 'idempotency-key': randomUUID() },
      body: { url: `http://127.0.0.1:${port}/` },
    });
    const stop = repeatedly(() => shop.newPaid(), 1_000);
    return async () => {
      await stop();
      server.closeAllConnections();
      server.close();
    };
  },
};

const frozenNetwork: Fault = {
  what: 'a payment network that is frozen',
  fires: ['PaymentsFailing', 'OutcomeUnknownTooLong', 'OperatorAlertOpen', 'PaymentsOverdue'],
  begin: async (scene) => {
    const { shop } = scene;
    const prepared = await Promise.all([shop.newPayable(), shop.newPayable()]);
    const thaw = freeze(scene, ['network']);
    for (const payable of prepared) void shop.pay(payable).catch(() => undefined);
    const stop = repeatedly(async () => shop.pay(await shop.newPayable()), 1_000);
    return async () => {
      await stop();
      await thaw();
    };
  },
};

const lockedTable: Fault = {
  what: 'a table that a session of the database locks',
  fires: ['DatabasePoolExhausted'],
  begin: async ({ description: { databaseUrl }, shop }) => {
    const id = await shop.newPayment();
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    await client.query('LOCK TABLE payments IN ACCESS EXCLUSIVE MODE');
    const reads = Array.from({ length: 60 }, () => repeatedly(() => shop.get(`/v1/payments/${id}`), 10));
    return async () => {
      await client.query('ROLLBACK');
      await client.end();
      await Promise.all(reads.map((stop) => stop()));
    };
  },
};

const foreignLeader: Fault = {
  what: 'the locks of the sweeps in a session that sweeps nothing',
  fires: ['SweepsStopped'],
  begin: async ({ description: { databaseUrl } }) => {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    for (const role of ['payments', 'provider', 'webhooks']) {
      for (let taken = false; !taken;) {
        await client.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'card-payments-sweeps'",
        );
        const { rows } = await client.query<{ taken: boolean }>(
          "SELECT pg_try_advisory_lock(hashtextextended('sweeps of ' || $1, 0)) AS taken",
          [role],
        );
        taken = rows[0]?.taken === true;
      }
    }
    return () => client.end();
  },
};

const frozenProcesses: Fault = {
  what: 'an API and a worker that are frozen',
  fires: ['ApiAbsent', 'WorkerAbsent'],
  begin: async (scene) => freeze(scene, ['api', 'worker']),
};

/** In this order: each begins on a stack that serves. */
export const faults: readonly Fault[] = [
  slowPays,
  silentEndpoint,
  frozenNetwork,
  lockedTable,
  foreignLeader,
  frozenProcesses,
];
