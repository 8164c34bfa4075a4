import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase } from '../../../src/db/server/database.ts';
import { processRoles } from '../../../src/db/server/privileges.ts';
import { readDeliveryFigures, readPaymentFigures } from '../../../src/db/server/system-figures.ts';
import { createFigureSweeps } from '../../../src/sweeps/read-figures.ts';
import { freePorts } from '../../support/free-ports.ts';
import { projectRoot } from '../../support/harness/project-root.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let workerUrl: string;
let key: string;
beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  workerUrl = `http://127.0.0.1:${port}/metrics`;
  world = await createWorld({ WORKER_PORT: String(port) }, { webhooks: true });
  key = await world.key(await world.merchant(), 'sandbox');
});
afterAll(() => world.close());

const scrape = async (url: string): Promise<string> => (await fetch(url)).text();
const apiUrl = (): string => `http://127.0.0.1:${world.settings.PRIVATE_PORT}/metrics`;
/** Returns the value of a series; undefined when there is none. */
const valueOf = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

it('counts a pay by route, environment and outcome, and the calls to the providers', async () => {
  const shop = new Shop(world.baseUrl, key);
  const id = await shop.customPayment();
  expect((await shop.pay(id, await shop.captureCard(id))).status).toBe(200);
  await eventually(async () => {
    const text = await scrape(workerUrl);
    const labels = 'environment="sandbox",method="card",connector="simulator"';
    const paid = valueOf(text, `card_payments_attempts_total{${labels},outcome="paid"}`);
    return paid === 1 ? true : undefined;
  });
  const worker = await scrape(workerUrl);
  expect(valueOf(worker, 'card_payments_time_to_paid_seconds_count{environment="sandbox"}')).toBe(1);
  const charge = 'provider="simulated network",operation="charge",outcome="answered"';
  expect(valueOf(worker, `card_payments_provider_request_seconds_count{${charge}}`)).toBe(1);
  const api = await scrape(apiUrl());
  const pay = 'route="/v1/payments/:id/pay",method="POST",status="200"';
  expect(valueOf(api, `card_payments_http_request_seconds_count{${pay}}`)).toBe(1);
  expect(valueOf(api, 'card_payments_pay_seconds_count{environment="sandbox"}')).toBe(1);
  for (const text of [api, worker]) {
    // The page contains no id, merchant, key or address.
    expect(text).not.toContain(id);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|@|127\.0\.0\.1|cps_/);
    expect(text.split('\n').filter((line) => /^\w/.test(line)).length).toBeLessThan(2_000);
  }
});

it('shows the figures of the whole system in the worker that leads, and not in the API', async () => {
  await eventually(async () => {
    const text = await scrape(workerUrl);
    const isThere =
      valueOf(text, 'card_payments_unknown_attempts{environment="live"}') === 0 &&
      valueOf(text, 'card_payments_deliveries_waiting{environment="live"}') === 0 &&
      valueOf(text, 'card_payments_operator_alerts{kind="payments"}') === 0;
    return isThere ? true : undefined;
  });
  const figures = /^card_payments_(unknown_attempts|overdue_payments|deliveries_waiting|operator_alerts)\{/m;
  expect(await scrape(apiUrl())).not.toMatch(figures);
});

it('a process shows figures only while it leads and only new ones', async () => {
  let leads = true;
  let now = 0;
  const { sweeps, figures } = createFigureSweeps({
    database: world.database,
    kinds: ['clock'],
    clock: () => now,
  });
  expect(figures.payments()).toBeNull();
  for (const sweep of sweeps) await sweep.run(() => leads);
  expect(figures.payments()?.alerts).toContainEqual({ kind: 'clock', open: 0 });
  expect(figures.deliveries()?.map(({ environment }) => environment)).toEqual(['sandbox', 'live']);
  leads = false;
  expect([figures.payments(), figures.deliveries()]).toEqual([null, null]);
  leads = true;
  now = 10_001;
  expect([figures.payments(), figures.deliveries()]).toEqual([null, null]);
});

it('a scrape makes no statement', async () => {
  const scrapes = 200;
  const texts: string[] = [];
  const query = Reflect.get(pg.Client.prototype, 'query') as (...all: unknown[]) => unknown;
  const noting = function (this: pg.Client, ...given: unknown[]): unknown {
    texts.push(typeof given[0] === 'string' ? given[0] : JSON.stringify(given[0]));
    return Reflect.apply(query, this, given);
  };
  Object.assign(pg.Client.prototype, { query: noting });
  try {
    for (let turn = 0; turn < scrapes; turn += 1) await Promise.all([scrape(apiUrl()), scrape(workerUrl)]);
  } finally {
    Object.assign(pg.Client.prototype, { query });
  }
  // The sweeps and the clocks run beside it, but none of their statements runs once for each scrape.
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count >= scrapes)).toEqual([]);
});

it('reads what is unknown, overdue and due with the privileges of a worker', async () => {
  const merchantId = await world.merchant();
  const shop = new Shop(world.baseUrl, await world.key(merchantId, 'live'));
  const unknown = await shop.customPayment();
  const overdue = await shop.customPayment();
  await world.stopWorker();
  try {
    await world.database.query(
      `INSERT INTO attempts (payment_id, attempt_no, method, status, unknown_since)
       VALUES ($1, 1, 'card', 'processing', clock_timestamp() - interval '2 minutes')`,
      [unknown],
    );
    await world.database.query(
      `UPDATE payments SET expires_at = now() - interval '1 minute',
         capture_expires_at = now() - interval '1 minute' WHERE id = $1`,
      [overdue],
    );
    const database = openDatabase({ url: workerDatabase(), poolSize: 1, applicationName: 'test' });
    try {
      const live = (await readPaymentFigures(database)).find((one) => one.environment === 'live');
      expect(live).toMatchObject({ unknownAttempts: 1, overduePayments: 1 });
      expect(live?.oldestUnknownSeconds).toBeGreaterThanOrEqual(120);
      // The value is the same while the sweep checks it.
      await world.database.query('UPDATE payments SET check_scheduled = true WHERE id = $1', [overdue]);
      await world.database.query('INSERT INTO payment_checks VALUES ($1, now())', [overdue]);
      const checked = (await readPaymentFigures(database)).find((one) => one.environment === 'live');
      expect(checked).toMatchObject({ unknownAttempts: 1, overduePayments: 1 });
      expect(await readDeliveryFigures(database)).toContainEqual({
        environment: 'live',
        deliveriesWaiting: 0,
        oldestDeliverySeconds: 0,
      });
    } finally {
      await database.end();
    }
  } finally {
    await world.startWorker();
  }
});

/** The statements in the runbooks that an operator copies, without those that name a session. */
const statements = readdirSync(join(projectRoot, 'docs', 'runbooks'))
  .map((name) => readFileSync(join(projectRoot, 'docs', 'runbooks', name), 'utf8'))
  .flatMap((text) => [...text.matchAll(/(?<!p)sql -c "([^"]+)"/g)].map(([, statement = '']) => statement))
  .filter((statement) => !statement.includes('PID'));

it('the runbooks have statements', () => {
  expect(statements.length).toBeGreaterThan(8);
});

it.each(statements)('the database runs the statement of a runbook: %s', async (statement) => {
  await expect(world.database.query(statement)).resolves.toBeDefined();
});

function workerDatabase(): string {
  const url = new URL(world.settings.DATABASE_URL);
  url.username = processRoles.worker;
  url.password = process.env['TEST_DATABASE_ROLES_PASSWORD'] ?? '';
  return url.toString();
}
