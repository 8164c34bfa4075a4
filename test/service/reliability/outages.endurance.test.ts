import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Probe } from '../../conformance/contract-checks.ts';
import { answerChallenge } from '../../conformance/support.ts';
import { type Answer, eventually, ledger, sendCard } from '../../support/shop.ts';
import { type TcpRelay, tcpRelay } from '../../support/harness/tcp-relay.ts';
import { type World, createWorld } from '../../support/world.ts';

/** The patience of a caller, in ms, which is longer than every bounded wait of the service. */
const patienceMs = 30_000;
/** Every payment is resolved this long after the end of an outage, in ms. */
const healingMs = 60_000;

/**
 * Checks every answer: only those in the specification's error table, a 503 only with Retry-After, and all in
 * time.
 */
class PatientShop extends Probe {
  override async call(...request: Parameters<Probe['call']>): Promise<Answer> {
    const late = new AbortController();
    const answer = await Promise.race([
      super.call(...request),
      sleep(patienceMs, null, { signal: late.signal }),
    ]).finally(() => late.abort());
    const what = `${request[0]} ${request[1]}`;
    if (!answer) throw new Error(`${what} was not answered in time`);
    if (answer.status === 503 && !/^[1-9]\d*$/.test(answer.headers.get('retry-after') ?? '')) {
      throw new Error(`${what} answered 503 without Retry-After`);
    }
    return answer;
  }
}

type Card = Awaited<ReturnType<typeof sendCard>>;

interface Place {
  world: World;
  shop: PatientShop;
  postgres: TcpRelay;
  temporal: TcpRelay;
}

/** Each has its own service: outages of different services run at the same time, those of one in turn. */
const placeNames = ['postgres', 'temporal', 'worker', 'crowded'] as const;
type PlaceName = (typeof placeNames)[number];
const places: Place[] = [];

async function openPosition(settings: Record<string, string>): Promise<Place> {
  const [postgres, temporal] = await Promise.all([tcpRelay(), tcpRelay()]);
  const world = await createWorld(settings, { postgres, temporal });
  const merchant = await world.merchant({ sandbox: { customActions: true } });
  const shop = new PatientShop(world.baseUrl, await world.key(merchant, 'sandbox'));
  return { world, shop, postgres, temporal };
}

const capturedCharges = async (world: World, id: string) =>
  (await ledger(world.networkUrl, id)).charges.filter(({ status }) => status === 'captured').length;

async function count(world: World, statement: string, value: unknown): Promise<number> {
  const { rows } = await world.database.query<{ found: number }>(
    `SELECT count(*)::int AS found FROM ${statement}`,
    [value],
  );
  return rows[0]?.found ?? 0;
}

/**
 * Acts like a careful merchant: reads the status first, and does only what it allows. Ends when the checkout
 * is paid.
 */
async function finish(shop: PatientShop, id: string, card?: Card): Promise<void> {
  let held = card;
  const end = Date.now() + healingMs;
  while (Date.now() < end) {
    const { status } = await shop.status(id);
    if (status === 'paid') return;
    if (status === 'open' || status === 'failed_retryable') {
      const access = held ? undefined : (await shop.capture(id)).body.data?.['capture'];
      if (access) held = await sendCard(access, '4242424242424242');
      if (held) await shop.pay(id, held);
    }
    if (status === 'requiresAction') await shop.confirm(id);
    await sleep(300);
  }
  throw new Error('a payment was not resolved in time');
}

/** Repeats a create under one key, as after a lost answer. Returns the payment's id. */
const created = (shop: PatientShop, key: string) =>
  eventually(async () => {
    const answer = await shop.create({ checkoutMode: 'custom', reference: key }, key);
    return answer.status === 201 ? String(answer.body.data?.['id']) : undefined;
  }, healingMs);

interface Outage {
  title: string;
  place: PlaceName;
  begin: (place: Place) => void | Promise<void>;
  end: (place: Place) => void | Promise<void>;
  expected: Omit<Report, 'after' | 'payments'>;
}

/** The observations of an outage, and what is `expected`. */
interface Report {
  /** Status of each endpoint's answer during the outage. */
  during: Record<string, number>;
  /** Checkout statuses during the outage: card captured, charge in progress, challenge completed. */
  seen: unknown[];
  /** Statuses of continuous reads, from before the outage until after it. */
  reads: number[];
  /** Statuses of /healthz and /readyz on the private port. */
  health: number[];
  /** Afterwards, per payment: checkout, payment, captured charges at the network, events that show `paid`. */
  after: Record<string, unknown[]>;
  /** Payments under the key of a creation that the outage cut, and under one sent during the outage. */
  payments: number[];
}

async function live(place: Place, outage: Outage): Promise<Report> {
  const { world, shop } = place;
  const withCard = async (number?: string) => {
    const id = await shop.customPayment();
    return { id, card: await shop.captureCard(id, number) };
  };
  const fresh = { id: await shop.customPayment() };
  const captured = await withCard();
  const challenged = await withCard('4000000000003220');
  // A busy machine may answer 503 before the network has the charge.
  await eventually(async () => {
    const { status, body } = await shop.pay(challenged.id, challenged.card);
    return body.data?.['status'] === 'requiresAction' || status === 409 ? true : undefined;
  });
  await eventually(async () =>
    (await ledger(world.networkUrl, challenged.id)).charges.length > 0 ? true : undefined,
  );
  await answerChallenge(world, challenged.id, 'authenticated');
  const charging = await withCard('4000000000007304');
  const charge = shop.pay(charging.id, charging.card);
  await eventually(async () =>
    (await ledger(world.networkUrl, charging.id)).charges.length > 0 ? true : undefined,
  );

  // Slow, so that the outage hits statements that wait for their answer, and a half-finished creation.
  place.postgres.delayMs = 20;
  // Opens the pools' connections: on a busy machine a new one may take longer than a request waits for it.
  await Promise.all(Array.from({ length: 10 }, () => shop.status(fresh.id)));
  const readStatuses = new Set<number>();
  let answered = 0;
  const over = new AbortController();
  const reader = async (): Promise<void> => {
    while (!over.signal.aborted) {
      readStatuses.add((await shop.call('GET', `/v1/payments/${fresh.id}`)).status);
      answered += 1;
      await sleep(30);
    }
  };
  const readers = Promise.all([reader(), reader(), reader()]);
  await eventually(async () => (readStatuses.has(200) ? true : undefined));
  const cutKey = randomUUID();
  const cut = shop.create({ checkoutMode: 'custom', reference: cutKey }, cutKey);
  const key = randomUUID();
  const path = (id: string, verb: string) => `/v1/payments/${id}/${verb}`;
  // Awaited together at the end; a failure before must not count as unhandled.
  const background = Promise.all([charge, cut, readers]);
  background.catch(() => undefined);

  const privately = async (name: string) =>
    (
      await fetch(`http://127.0.0.1:${world.settings.PRIVATE_PORT}/${name}`, {
        signal: AbortSignal.timeout(patienceMs),
      })
    ).status;
  const during: Record<string, number> = {};
  let seen: unknown[] = [];
  let health: number[] = [];
  try {
    await sleep(100);
    place.postgres.delayMs = 0;
    await outage.begin(place);
    answered = 0;
    // Read before any call, to see the effect of the outage alone.
    const answers = await Promise.all(
      [captured, charging, challenged].map(({ id }) => shop.call('GET', path(id, 'status'))),
    );
    seen = answers.flatMap(({ body }) => (body.data ? [body.data['status']] : []));
    const calls = {
      create: shop.create({ checkoutMode: 'custom', reference: key }, key),
      retrieve: shop.call('GET', `/v1/payments/${fresh.id}`),
      list: shop.call('GET', '/v1/payments'),
      checkout: shop.call('GET', path(challenged.id, 'checkout')),
      capture: shop.capture(fresh.id),
      pay: shop.pay(captured.id, captured.card),
      confirm: shop.confirm(challenged.id),
    };
    health = await Promise.all([privately('healthz'), privately('readyz')]);
    await Promise.all(
      Object.entries(calls).map(async ([name, call]) => {
        during[name] = (await call).status;
      }),
    );
    during['status'] = Math.max(...answers.map((answer) => answer.status));
    // Three answers may have been on their way when it began. The fourth belongs to the outage.
    await eventually(async () => (answered > 3 ? true : undefined));
  } finally {
    await outage.end(place);
    over.abort();
  }

  const [cutId, id] = await Promise.all([created(shop, cutKey), created(shop, key)]);
  const payments: Record<string, { id: string; card?: Card }> = {
    fresh,
    captured,
    charging,
    challenged,
    cut: { id: cutId },
    created: { id },
  };
  const after: Report['after'] = {};
  await Promise.all(
    Object.entries(payments).map(async ([name, payment]) => {
      await finish(shop, payment.id, payment.card);
      after[name] = [
        (await shop.status(payment.id))['status'],
        (await shop.read(payment.id))['status'],
        await capturedCharges(world, payment.id),
        await count(world, `events WHERE type = 'payment.paid' AND payment_id = $1`, payment.id),
      ];
    }),
  );
  await background;
  return {
    during,
    seen,
    reads: [...readStatuses].toSorted((one, other) => one - other),
    health,
    after,
    payments: [
      await count(world, 'payments WHERE reference = $1', cutKey),
      await count(world, 'payments WHERE reference = $1', key),
    ],
  };
}

const everything = (status: number): Report['during'] =>
  Object.fromEntries(
    ['retrieve', 'list', 'checkout', 'status', 'create', 'capture', 'pay', 'confirm'].map((name) => [
      name,
      status,
    ]),
  );
/** Without PostgreSQL not even the key can be checked. */
const withoutPostgres = { during: everything(503), seen: [], reads: [200, 503], health: [200, 503] };
/** Reads, creation and capture work; calls that only the payment's workflow may decide wait. */
const withoutWorkflows = {
  during: { ...everything(200), create: 201, capture: 200, pay: 503, confirm: 503 },
  seen: ['open', 'processing', 'requiresAction'],
  reads: [200],
};

const outages: Outage[] = [
  {
    title: 'PostgreSQL refuses connections',
    place: 'postgres',
    begin: ({ postgres }) => postgres.be('refuse'),
    end: ({ postgres }) => postgres.be('pass'),
    expected: withoutPostgres,
  },
  {
    title: 'PostgreSQL is frozen',
    place: 'postgres',
    begin: ({ postgres }) => postgres.be('hold'),
    end: ({ postgres }) => postgres.be('pass'),
    expected: withoutPostgres,
  },
  {
    title: 'PostgreSQL takes 100 ms more for each answer',
    place: 'postgres',
    begin: ({ postgres }) => void (postgres.delayMs = 100),
    end: ({ postgres }) => void (postgres.delayMs = 0),
    expected: { ...withoutWorkflows, during: { ...everything(200), create: 201 }, health: [200, 200] },
  },
  {
    title: 'Temporal refuses connections',
    place: 'crowded',
    begin: ({ temporal }) => temporal.be('refuse'),
    end: ({ temporal }) => temporal.be('pass'),
    expected: { ...withoutWorkflows, health: [200, 503] },
  },
  {
    title: 'Temporal is frozen',
    place: 'temporal',
    begin: ({ temporal }) => temporal.be('hold'),
    // As when the server is replaced, its held requests are lost. Calls given up long ago, all at once, can
    // break a test server.
    end: ({ temporal }) => {
      temporal.be('refuse');
      temporal.be('pass');
    },
    expected: { ...withoutWorkflows, health: [200, 503] },
  },
  {
    title: 'no worker runs',
    place: 'worker',
    begin: ({ world }) => world.stopWorker(),
    end: ({ world }) => world.startWorker(),
    expected: { ...withoutWorkflows, health: [200, 200] },
  },
];

/** Sends 150 simultaneous requests on two connections to a slow PostgreSQL, and checks the state after. */
async function overload({ world, shop, postgres }: Place) {
  const known = await shop.customPayment();
  const keys = Array.from({ length: 50 }, () => randomUUID());
  const create = (key: string) => shop.create({ checkoutMode: 'custom', reference: key }, key);
  postgres.delayMs = 250;
  const answers = await Promise.all(
    keys.flatMap((key) => [
      create(key),
      shop.call('GET', `/v1/payments/${known}`),
      shop.call('GET', `/v1/payments/${known}/status`),
    ]),
  ).finally(() => {
    postgres.delayMs = 0;
  });
  const served = answers.filter(({ status }) => status === 200 || status === 201);
  const refused = answers.filter(({ status }) => status === 429 || status === 503);
  await finish(shop, known);
  // A key whose creation was interrupted may still be in progress. No key may create a second payment.
  const repeated = new Set<number>();
  for (const key of keys) repeated.add((await create(key)).status);
  await eventually(
    async () =>
      (await count(world, 'payments WHERE workflow_started_at IS NULL AND reference = ANY($1)', keys)) === 0
        ? true
        : undefined,
    healingMs,
  );
  return {
    others: answers.length - served.length - refused.length,
    someServed: served.length > 0,
    someRefused: refused.length > 0,
    refusedAgain: [...repeated].filter((status) => status !== 201 && status !== 409),
    charges: await capturedCharges(world, known),
    twice: await count(
      world,
      '(SELECT 1 FROM payments WHERE reference = ANY($1) GROUP BY reference HAVING count(*) > 1) AS twice',
      keys,
    ),
  };
}

const reports = new Map<string, Promise<Report>>();
let overloaded: ReturnType<typeof overload>;

beforeAll(async () => {
  // One after the other, because the process has one environment.
  for (const name of placeNames) {
    const place = await openPosition(name === 'crowded' ? { DATABASE_POOL_SIZE: '2' } : {});
    places.push(place);
    let before: Promise<unknown> = Promise.resolve();
    for (const outage of outages.filter((each) => each.place === name)) {
      const report = before.then(() => live(place, outage));
      reports.set(outage.title, report);
      before = report.catch(() => undefined);
    }
    if (name === 'crowded') {
      overloaded = before.then(() => overload(place));
      overloaded.catch(() => undefined);
    }
  }
});
afterAll(async () => {
  await Promise.allSettled([...reports.values(), overloaded]);
  for (const { world, postgres, temporal } of places) {
    await world.close();
    await Promise.all([postgres.close(), temporal.close()]);
  }
});

it.each(outages)(
  '$title: specified answers in time, other reads work, then each payment is paid once',
  async ({ title, expected }) => {
    const paidOnce = ['paid', 'paid', 1, 1];
    expect(await reports.get(title)).toEqual({
      ...expected,
      after: {
        fresh: paidOnce,
        captured: paidOnce,
        charging: paidOnce,
        challenged: paidOnce,
        cut: paidOnce,
        created: paidOnce,
      },
      payments: [1, 1],
    });
  },
);

it('150 simultaneous requests on two connections are 2xx, 429 or 503, create no payment twice, and cause no later fault', async () => {
  expect(await overloaded).toEqual({
    others: 0,
    someServed: true,
    someRefused: true,
    refusedAgain: [],
    charges: 1,
    twice: 0,
  });
});
