import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { payUntilAnswered } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, cloneDatabase, createWorld } from '../../support/world.ts';
import { type Received, type Receiver, createReceiver } from '../../support/receiver.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const orders = 24;

let world: World;
let database: pg.Pool;
let example: ChildProcess | null = null;
let front: Receiver | null = null;

beforeAll(async () => {
  world = await createWorld({ WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1,1' }, { webhooks: true });
});
afterAll(async () => {
  example?.kill('SIGTERM');
  await front?.close();
  await database?.end();
  await world.close();
});

/** Starts the example as its README says; returns its URL. */
async function startExample(environment: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [join(root, 'examples/shop/shop.mjs')], {
    env: { PATH: process.env['PATH'], PORT: '0', RECONCILE_SECONDS: '1', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  example = child;
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return /http:\S+/.exec(line.toString())?.[0] ?? '';
}

describe('the example shop', () => {
  it('fulfils every paid order exactly once although webhooks are doubled, reordered and lost', async () => {
    const key = await world.key(await world.merchant(), 'sandbox');
    const shop = new Shop(world.baseUrl, key);
    let target = '';
    // What stands between: every third delivery vanishes, every third comes late and three times.
    const later: Promise<unknown>[] = [];
    const pass = (delivery: Received): Promise<Response> =>
      fetch(`${target}/webhook`, {
        method: 'POST',
        headers: Object.fromEntries(
          Object.entries(delivery.headers).filter(([name]) => name.startsWith('webhook-')),
        ) as Record<string, string>,
        body: delivery.text,
      });
    let turn = 0;
    front = await createReceiver((delivery, response) => {
      turn += 1;
      const mode = turn % 3;
      if (mode === 1) later.push(pass(delivery));
      if (mode === 2) {
        const copies = new Promise((resolve) => {
          setTimeout(resolve, 400 - turn * 5);
        }).then(() => Promise.all([pass(delivery), pass(delivery), pass(delivery)]));
        later.push(copies);
      }
      response.writeHead(204).end();
    });
    const added = await shop.call('POST', '/v1/webhook-endpoints', { url: front.url });
    const shopDatabase = await cloneDatabase();
    target = await startExample({
      DATABASE_URL: shopDatabase,
      CARD_PAYMENTS_URL: world.baseUrl,
      CARD_PAYMENTS_API_KEY: key,
      WEBHOOK_SECRET: String(added.body.data?.['secret']),
    });
    database = new pg.Pool({ connectionString: shopDatabase, max: 2 });

    const paid: string[] = [];
    const order = async (index: number): Promise<void> => {
      const reference = `order-${index}`;
      const id = await shop.customPayment({ reference });
      await database.query('INSERT INTO orders (reference, amount_cents, payment_id) VALUES ($1, 2500, $2)', [
        reference,
        id,
      ]);
      const declined = index % 4 === 3;
      const number = declined ? '4000000000009987' : '4242424242424242';
      await payUntilAnswered(shop, id, await shop.captureCard(id, number));
      if (!declined) paid.push(reference);
    };
    // A few at a time: a busy machine must not make this a test of queues.
    for (let first = 0; first < orders; first += 6) {
      await Promise.all([0, 1, 2, 3, 4, 5].map((next) => order(first + next)));
    }
    await eventually(async () => (turn >= orders ? true : undefined));
    await Promise.all(later);
    const shipped = await eventually(async () => {
      const { rows } = await database.query<{ reference: string }>('SELECT reference FROM shipments');
      return rows.length >= paid.length ? rows.map(({ reference }) => reference) : undefined;
    });
    expect(shipped.toSorted()).toEqual(paid.toSorted());
    // A late copy of everything changes nothing.
    await Promise.all(front.received.map(pass));
    const forged = await fetch(`${target}/webhook`, { method: 'POST', body: front.received[0]?.text ?? '' });
    expect(forged.status).toBe(400);
    const after = await fetch(`${target}/fulfilments`);
    expect(await after.json()).toEqual({ count: paid.length });
  });
});
