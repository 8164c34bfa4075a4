import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { projectRoot } from '../../support/harness/project-root.ts';
import { payUntilAnswered } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, cloneDatabase, createWorld } from '../../support/world.ts';
import { type Received, type Receiver, createReceiver } from '../../support/receiver.ts';

const script = join(projectRoot, 'examples/shop/shop.mjs');
const orderCount = 24;
const amountCents = 2500;

let world: World;
let directory: string;
let example: ChildProcess | null = null;
let front: Receiver | null = null;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'card-payments-shop-'));
  world = await createWorld({ WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,1,1,1' }, { webhooks: true });
});
afterEach(killExample);
afterAll(async () => {
  await front?.close();
  await world.close();
  rmSync(directory, { recursive: true });
});

/** Starts the example as its README describes; returns its URL. */
async function startExample(environment: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env['PATH'], PORT: '0', RECONCILE_SECONDS: '1', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  example = child;
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return /http:\S+/.exec(line.toString())?.[0] ?? '';
}

async function killExample(): Promise<void> {
  const child = example;
  example = null;
  if (!child || child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

const line = (fact: object): string => `${JSON.stringify(fact)}\n`;

/** Returns the orders that the shop shipped, one entry for each shipment in its file. */
const shipments = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((text) => text.includes('"shipped"'))
    .map((text) => (JSON.parse(text) as { order: string }).order);

describe('the example shop', () => {
  it('fulfills every paid order exactly once when webhooks are doubled, reordered and lost and the shop is killed', async () => {
    const key = await world.key(await world.merchant(), 'sandbox');
    const shop = new Shop(world.baseUrl, key);
    let target = '';
    // Between service and shop, every third delivery is lost, and every third arrives late and three times.
    const later: Promise<unknown>[] = [];
    const pass = (delivery: Received): Promise<Response | undefined> =>
      fetch(`${target}/webhook`, {
        method: 'POST',
        headers: Object.fromEntries(
          Object.entries(delivery.headers).filter(([name]) => name.startsWith('webhook-')),
        ) as Record<string, string>,
        body: delivery.text,
        // The shop may have just been killed.
      }).catch(() => undefined);
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
    const ordersFile = join(directory, 'orders.jsonl');
    const environment = {
      CARD_PAYMENTS_URL: world.baseUrl,
      CARD_PAYMENTS_API_KEY: key,
      WEBHOOK_SECRET: String(added.body.data?.['secret']),
      ORDERS_FILE: ordersFile,
    };
    const references = Array.from({ length: orderCount }, (_, index) => `order-${index}`);
    const ids = await Promise.all(references.map((reference) => shop.customPayment({ reference })));
    const facts = references.map(
      (order, index) => line({ order, amountCents }) + line({ order, paymentId: ids[index] }),
    );
    // A crash during a write leaves half a line.
    writeFileSync(ordersFile, `${facts.join('')}{"order":"order-0","ship`);
    target = await startExample(environment);

    const paid: string[] = [];
    const pay = async (index: number): Promise<void> => {
      const id = ids[index] ?? '';
      const declined = index % 4 === 3;
      const number = declined ? '4000000000009987' : '4242424242424242';
      await payUntilAnswered(shop, id, await shop.captureCard(id, number));
      if (!declined) paid.push(`order-${index}`);
    };
    // A few at a time, so that a busy machine does not turn this into a test of queues.
    for (let first = 0; first < orderCount; first += 6) {
      await Promise.all([0, 1, 2, 3, 4, 5].map((next) => pay(first + next)));
      if (first !== 12) continue;
      await killExample();
      target = await startExample(environment);
    }
    await eventually(async () => (turn >= orderCount ? true : undefined));
    await Promise.all(later);
    const shipped = await eventually(async () => {
      const orders = shipments(ordersFile);
      return orders.length >= paid.length ? orders : undefined;
    });
    expect(shipped.toSorted()).toEqual(paid.toSorted());
    // A late copy of every delivery, before and after a restart, must change nothing.
    await Promise.all(front.received.map(pass));
    await killExample();
    target = await startExample(environment);
    const copies = await Promise.all(front.received.map(pass));
    expect(copies.every((answer) => answer?.status === 204)).toBe(true);
    const forged = await fetch(`${target}/webhook`, { method: 'POST', body: front.received[0]?.text ?? '' });
    expect(forged.status).toBe(400);
    const after = await fetch(`${target}/fulfillments`);
    expect(await after.json()).toEqual({ count: paid.length });
    expect(shipments(ordersFile)).toHaveLength(paid.length);
  });

  it('answers an order with a checkout address and serves the pages that the checkout leads to', async () => {
    const key = await world.key(await world.merchant(), 'sandbox');
    const target = await startExample({
      CARD_PAYMENTS_URL: world.baseUrl,
      CARD_PAYMENTS_API_KEY: key,
      WEBHOOK_SECRET: 'whsec_c2VjcmV0LW9mLXRoZS1leGFtcGxlLXNob3A=',
      ORDERS_FILE: join(directory, 'pages.jsonl'),
    });
    const placed = await fetch(`${target}/orders`, { method: 'POST', body: JSON.stringify({ amountCents }) });
    expect(placed.status).toBe(201);
    const order = (await placed.json()) as { reference: string; checkoutUrl: string };
    expect((await fetch(order.checkoutUrl)).status).toBe(200);
    const { rows } = await world.database.query<{ success: string; cancel: string }>(
      'SELECT success_url AS success, cancel_url AS cancel FROM payments WHERE reference = $1',
      [order.reference],
    );
    expect(rows).toEqual([
      { success: `${target}/thanks?order=${order.reference}`, cancel: `${target}/cart` },
    ]);
    const pages = [`/thanks?order=${order.reference}`, '/thanks', '/cart'];
    for (const page of pages) {
      const answer = await fetch(target + page);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toMatch(/<h1>[^<]+<\/h1>/);
    }
    const wrong = await fetch(`${target}/orders`, { method: 'POST', body: '{"amountCents":"ten"}' });
    expect(wrong.status).toBe(400);
  });

  it.each([
    ['CARD_PAYMENTS_URL', '', /^error: CARD_PAYMENTS_URL is not set: set it to the address [^\n]+\n$/],
    ['CARD_PAYMENTS_URL', 'shop', /^error: CARD_PAYMENTS_URL is not a URL: [^\n]+\n$/],
    ['CARD_PAYMENTS_API_KEY', '', /^error: CARD_PAYMENTS_API_KEY is not set: [^\n]+`npm start` prints\n$/],
    ['WEBHOOK_SECRET', '', /^error: WEBHOOK_SECRET is not set: [^\n]+`npx card-payments listen` prints\n$/],
    ['WEBHOOK_SECRET', 'whsec_%', /^error: WEBHOOK_SECRET is not a signing secret: [^\n]+\n$/],
    ['PORT', 'http', /^error: PORT is not a whole number from 0 to 65535: [^\n]+\n$/],
    ['ORDERS_FILE', '/proc/x/orders', /^error: \/proc\/x\/orders cannot be used [^\n]+ORDERS_FILE[^\n]+\n$/],
  ])('names a missing or wrong setting and the fix in one line: %s=%s', (name, value, message) => {
    const { status, stderr } = spawnSync(process.execPath, [script], {
      encoding: 'utf8',
      timeout: 20_000,
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        CARD_PAYMENTS_URL: world.baseUrl,
        CARD_PAYMENTS_API_KEY: 'cps_sandbox_key',
        WEBHOOK_SECRET: 'whsec_c2VjcmV0',
        ORDERS_FILE: join(directory, 'settings.jsonl'),
        [name]: value,
      },
    });
    expect(stderr).toMatch(message);
    expect(status).toBe(1);
  });

  it('ships once by its SQL statement for any number of concurrent callers', async () => {
    const database = new pg.Pool({ connectionString: await cloneDatabase(), max: 8 });
    const sql = (name: string): string => readFileSync(join(projectRoot, 'examples/shop', name), 'utf8');
    await database.query(sql('schema.sql'));
    const id = '00000000-0000-7000-8000-000000000001';
    await database.query('INSERT INTO orders (reference, amount_cents, payment_id) VALUES ($1, $2, $3)', [
      'order-1',
      amountCents,
      id,
    ]);
    const fulfill = (amount: number) => database.query(sql('fulfill.sql'), ['order-1', id, amount]);
    expect((await fulfill(amountCents + 1)).rowCount).toBe(0);
    const results = await Promise.all(Array.from({ length: 16 }, () => fulfill(amountCents)));
    expect(results.filter(({ rowCount }) => rowCount === 1)).toHaveLength(1);
    const { rows } = await database.query<{ reference: string }>('SELECT reference FROM shipments');
    await database.end();
    expect(rows).toEqual([{ reference: 'order-1' }]);
  });
});
