import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonData } from '../support/answers.ts';
import { Shop, eventually } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { type Receiver, createReceiver, isSignedBy } from '../support/receiver.ts';

const workerScript = join(dirname(fileURLToPath(import.meta.url)), '../../dist/src/worker/main.js');
const payments = 16;

let world: World;
const receivers: Receiver[] = [];
const workers: ChildProcess[] = [];

beforeAll(async () => {
  world = await createWorld(
    { WEBHOOK_RETRY_SCHEDULE_SECONDS: Array(40).fill('1').join(',') },
    { worker: false },
  );
});
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(receivers.map((one) => one.close()));
  await world.close();
});

async function startWorker(): Promise<ChildProcess> {
  const { settings } = world;
  const environment = Object.fromEntries(
    [
      'DATABASE_URL',
      'TEMPORAL_ADDRESS',
      'TASK_QUEUE_PREFIX',
      'VAULT_URL',
      'NETWORK_URL',
      'WEBHOOK_RETRY_SCHEDULE_SECONDS',
    ].map((name) => [name, String(settings[name as keyof typeof settings])]),
  );
  const worker = spawn(process.execPath, [workerScript], {
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'silent', ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  workers.push(worker);
  await once(worker, 'message');
  return worker;
}

interface Logged {
  id: string;
  type: string;
  data: { id: string };
}

async function wholeLog(shop: Shop): Promise<Logged[]> {
  const log: Logged[] = [];
  for (let after = 'start'; ; after = log.at(-1)?.id ?? after) {
    const page = jsonData(await shop.call('GET', `/v1/events?after=${after}&limit=50`)) as Logged[];
    if (page.length === 0) return log;
    log.push(...page);
  }
}

/** Pays, and waits out whatever happens to the worker that serves it. */
async function payUntilPaid(shop: Shop): Promise<string> {
  const id = await shop.customPayment();
  await eventually(async () => ((await shop.capture(id)).status === 200 ? true : undefined), 60_000);
  const card = await shop.captureCard(id);
  await eventually(async () => {
    await shop.pay(id, card);
    return (await shop.read(id))['status'] === 'paid' ? true : undefined;
  }, 60_000);
  return id;
}

describe('deliveries while workers are killed', () => {
  it('put every event into the log once and deliver it to every endpoint: failing, slow or unavailable', async () => {
    const shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
    let isAway = true;
    const failing = new Map<string, number>();
    const [healthy, fails, drips, away] = await Promise.all([
      createReceiver(),
      createReceiver(({ event }, response) => {
        const tries = (failing.get(event.id) ?? 0) + 1;
        failing.set(event.id, tries);
        // About one in three at the first try.
        response.writeHead(tries === 1 && event.id.charCodeAt(10) % 3 === 0 ? 500 : 204).end();
      }),
      createReceiver(({ event }, response) => {
        response.writeHead(200);
        if (event.id.charCodeAt(12) % 3 !== 0) {
          response.end();
          return;
        }
        const timer = setInterval(() => response.write('.'), 100);
        response.on('close', () => clearInterval(timer));
      }),
      createReceiver((_delivery, response) => {
        if (isAway) response.destroy();
        else response.writeHead(204).end();
      }),
    ]);
    receivers.push(healthy, fails, drips, away);
    const secrets = await Promise.all(
      receivers.map(async ({ url }) => {
        const added = await shop.call('POST', '/v1/webhook-endpoints', { url });
        return {
          id: String(added.body.data?.['id']),
          secret: String(added.body.data?.['secret']),
        };
      }),
    );
    const [first] = await Promise.all([startWorker(), startWorker()]);
    const paid: string[] = [];
    let started = 0;
    const paying = Promise.all(
      Array.from({ length: 6 }, async () => {
        while (started < payments) {
          started += 1;
          paid.push(await payUntilPaid(shop));
        }
      }),
    );
    await eventually(async () => (paid.length >= payments / 3 ? true : undefined), 90_000);
    first.kill('SIGKILL');
    const replacement = await startWorker();
    await eventually(async () => (paid.length >= (2 * payments) / 3 ? true : undefined), 90_000);
    isAway = false;
    replacement.kill('SIGKILL');
    await startWorker();
    await paying;

    const log = await wholeLog(shop);
    expect(log.map(({ data }) => data.id).toSorted()).toEqual(paid.toSorted());
    expect(new Set(log.map(({ type }) => type))).toEqual(new Set(['payment.paid']));
    for (const [index, { id, secret }] of secrets.entries()) {
      await eventually(async () => {
        const delivered = await shop.call(
          'GET',
          `/v1/webhook-endpoints/${id}/deliveries?status=delivered&limit=100`,
        );
        return (jsonData(delivered) as unknown[]).length === payments ? true : undefined;
      }, 90_000);
      const received = receivers[index]?.received ?? [];
      expect(new Set(received.map(({ event }) => event.id))).toEqual(new Set(log.map((one) => one.id)));
      expect(received.filter((delivery) => !isSignedBy(secret, delivery))).toEqual([]);
    }
  }, 240_000);
});
