import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type ApiProcess, startApiProcess } from '../support/service-process.ts';
import { type Answer, eventually, validCreate } from '../support/shop.ts';
import { type World, createWorld } from '../support/world.ts';
import { Probe, refusal } from './contract-checks.ts';
import { type Merchants, openApi, openCast, total } from './support.ts';
import { proves } from '../support/proves.ts';

/** The specified retention. The world's own API deletes keys after seconds. */
const keptForADay = { IDEMPOTENCY_RETENTION_SECONDS: '86400' };

let world: World;
let cast: Merchants;
let second: Awaited<ReturnType<typeof openApi>>;

beforeAll(async () => {
  world = await createWorld({ IDEMPOTENCY_RETENTION_SECONDS: '3' });
  cast = await openCast(world);
  // A second API that keeps keys as long as the specification requires.
  second = await openApi(world, { IDEMPOTENCY_RETENTION_SECONDS: 86_400 });
});
afterAll(async () => {
  await second.stop();
  await world.close();
});

/** Creates a merchant, so that its total counts only this test's payments; keys live 24 hours. */
async function ownShop(): Promise<Probe> {
  return new Probe(second.baseUrl, await world.key(await world.merchant(), 'sandbox'));
}

describe('one key and one body', () => {
  it(
    proves(
      'are replayed byte for byte, marked as a replay, and create nothing more',
      'IDEM-06',
      'CREATE-24',
      'CRES-02',
    ),
    async () => {
      const shop = await ownShop();
      const key = randomUUID();
      const first = await shop.create({ checkoutMode: 'custom' }, key);
      const again = await shop.create({ checkoutMode: 'custom' }, key);
      expect([first.status, again.status]).toEqual([201, 201]);
      expect(again.text).toBe(first.text);
      expect(first.headers.get('idempotent-replayed')).toBeNull();
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(await total(shop)).toBe(1);
    },
  );

  it(
    proves(
      'are replayed also after the payment is paid or failed, and by another process',
      'IDEM-06',
      'CRES-02',
      'EP-07',
    ),
    async () => {
      const shop = await ownShop();
      for (const number of ['4242424242424242', '4000000000009987']) {
        const key = randomUUID();
        const first = await shop.create({ checkoutMode: 'custom' }, key);
        const id = String(first.body.data?.['id']);
        await shop.pay(id, await shop.captureCard(id, number));
        expect((await shop.read(id))['status']).not.toBe('pending');
        expect((await shop.create({ checkoutMode: 'custom' }, key)).text).toBe(first.text);
        const third = await openApi(world);
        try {
          const elsewhere = await new Probe(third.baseUrl, shop.key).create({ checkoutMode: 'custom' }, key);
          expect([elsewhere.status, elsewhere.text]).toEqual([201, first.text]);
        } finally {
          await third.stop();
        }
      }
    },
  );

  it(
    proves(
      'ignore the order of members, white space and escapes; an explicit default is another body',
      'AMB-11',
    ),
    async () => {
      const shop = await ownShop();
      const key = randomUUID();
      const first = await shop.create({ metadata: { a: 'é', b: 1 } }, key);
      const reordered = `{ "metadata":{"b":1.0, "a":"\\u00e9"}, ${JSON.stringify(validCreate).slice(1)}`;
      const again = await shop.call('POST', '/v1/payments', reordered, { 'idempotency-key': key });
      expect(again.text).toBe(first.text);
      expect(refusal(await shop.create({ metadata: { a: 'é', b: 1 }, locale: 'en' }, key))).toEqual([
        409,
        'idempotency_key_reused',
      ]);
    },
  );

  it(
    proves(
      'create one payment in fifty parallel requests to two API processes; each is its 201 or in progress',
      'IDEM-09',
      'IDEM-08',
      'GEN-03',
    ),
    async () => {
      const shop = await ownShop();
      const processes = await Promise.all([
        startApiProcess(world, keptForADay),
        startApiProcess(world, keptForADay),
      ]);
      const shops = processes.map(({ baseUrl }) => new Probe(baseUrl, shop.key));
      try {
        for (let round = 0; round < 3; round += 1) {
          const key = randomUUID();
          const answers = await Promise.all(
            Array.from({ length: 50 }, (_, at) =>
              (shops[at % 2] ?? shop).create({ checkoutMode: 'custom' }, key),
            ),
          );
          const created = answers.filter(({ status }) => status === 201);
          expect(created.length).toBeGreaterThan(0);
          expect(new Set(created.map(({ text }) => text)).size).toBe(1);
          for (const answer of answers.filter(({ status }) => status !== 201)) {
            expect(refusal(answer)).toEqual([409, 'idempotency_in_progress']);
          }
          expect(await total(shop)).toBe(round + 1);
          // IDEM-11: a key is not in progress for ever.
          for (const each of [shop, ...shops]) {
            expect((await each.create({ checkoutMode: 'custom' }, key)).text).toBe(created[0]?.text);
          }
        }
      } finally {
        await Promise.all(processes.map(({ kill }) => kill()));
      }
    },
  );
});

describe('one key and another body', () => {
  it.each<[string, Record<string, unknown>]>([
    ['amount', { amountCents: 2501 }],
    ['reference', { reference: 'order-2' }],
    [proves('one metadata value', 'META-06'), { metadata: { a: 2 } }],
    ['customer', { customer: { name: 'B' } }],
    ['a URL', { successUrl: 'https://shop.example/other' }],
    ['locale', { locale: 'es' }],
    ['checkoutMode', { checkoutMode: 'custom' }],
  ])(
    proves(
      '%s changed is 409 idempotency_key_reused, without Retry-After, creating nothing',
      'IDEM-07',
      'IDEM-12',
      'META-06',
    ),
    async (_what, change) => {
      const shop = await ownShop();
      const key = randomUUID();
      await shop.create({ metadata: { a: 1 } }, key);
      const answer = await shop.create({ metadata: { a: 1 }, ...change }, key);
      expect(refusal(answer)).toEqual([409, 'idempotency_key_reused']);
      expect(answer.headers.get('retry-after')).toBeNull();
      expect(await total(shop)).toBe(1);
    },
  );

  it(
    proves('the scope of an Idempotency-Key is the merchant, not the API key', 'IDEM-04', 'LIMIT-11'),
    async () => {
      const key = randomUUID();
      const first = await cast.a.create({}, key);
      expect((await cast.aSecond.create({}, key)).text).toBe(first.text);
      const other = await cast.b.create({}, key);
      expect(other.status).toBe(201);
      expect(other.body.data?.['id']).not.toBe(first.body.data?.['id']);
    },
  );

  it(
    proves(
      'using a key again in the other environment is a reuse, and never returns the other environment’s payment',
      'AMB-10',
      'ENV-02',
    ),
    async () => {
      const key = randomUUID();
      await cast.a.create({}, key);
      expect(refusal(await cast.aLive.create({}, key))).toEqual([409, 'idempotency_key_reused']);
    },
  );
});

describe('retention and faults', () => {
  it(proves('a key replays within its retention and is new after it', 'IDEM-05', 'LIMIT-10'), async () => {
    const key = randomUUID();
    const first = await cast.a.create({}, key);
    expect((await cast.a.create({}, key)).text).toBe(first.text);
    const fresh = await eventually(async () => {
      const answer = await cast.a.create({}, key);
      return answer.text === first.text ? undefined : answer;
    });
    expect(fresh.status).toBe(201);
    expect(fresh.body.data?.['id']).not.toBe(first.body.data?.['id']);
    const { rows } = await world.database.query<{ kept: number }>(
      `SELECT extract(epoch FROM k.expires_at - k.created_at)::int AS kept FROM idempotency_keys k
       JOIN payments p ON p.id = k.resource_id WHERE k.operation = 'create_payment'`,
    );
    expect(rows.map(({ kept }) => kept)).toContain(86_400);
  });

  it(proves('a 503 before anything is stored frees the key', 'AMB-12', 'ERR-17'), async () => {
    const shop = await ownShop();
    const key = randomUUID();
    const away = await openApi(world, { DATABASE_URL: 'postgres://unknown:x@127.0.0.1:9/none' });
    try {
      expect((await new Probe(away.baseUrl, shop.key).create({}, key)).status).toBe(503);
    } finally {
      await away.stop();
    }
    expect((await shop.create({}, key)).status).toBe(201);
    expect(await total(shop)).toBe(1);
  });

  it(
    proves(
      'a process killed before the payment is stored leaves a key that works',
      'IDEM-11',
      'IDEM-13',
      'RETRY-03',
    ),
    async () => {
      const shop = await ownShop();
      const key = randomUUID();
      const api = await startApiProcess(world, keptForADay);
      const lock = await world.database.connect();
      try {
        // The lock holds the request between its first statement and its commit.
        await lock.query('BEGIN');
        await lock.query('LOCK TABLE payments IN EXCLUSIVE MODE');
        const lost = lostCreate(api, shop, key);
        await eventually(async () => {
          const { rows } = await lock.query(
            "SELECT FROM pg_locks WHERE relation = 'payments'::regclass AND NOT granted",
          );
          return rows.length > 0 ? true : undefined;
        });
        await api.kill();
        expect(await lost).toBe('lost');
      } finally {
        await lock.query('ROLLBACK');
        lock.release();
        await api.kill();
      }
      const answer = await usedAgain(shop, key);
      expect(await total(shop)).toBe(1);
      expect((await shop.create({ checkoutMode: 'custom' }, key)).text).toBe(answer.text);
    },
  );

  it(
    proves(
      'a process killed before it answered leaves a key whose next use gives that payment',
      'IDEM-08',
      'IDEM-10',
      'IDEM-11',
      'IDEM-13',
      'AMB-13',
      'RETRY-03',
    ),
    async () => {
      const shop = await ownShop();
      const key = randomUUID();
      // Temporal accepts connections and never answers, and a commit is slow.
      const hole = createServer(() => undefined).listen(0, '127.0.0.1');
      await once(hole, 'listening');
      const address = hole.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const api = await startApiProcess(world, { ...keptForADay, TEMPORAL_ADDRESS: `127.0.0.1:${port}` });
      try {
        await slowCommits(5);
        const lost = lostCreate(api, shop, key);
        await eventually(async () => {
          const { rows } = await world.database.query(
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'",
          );
          return rows.length > 0 ? true : undefined;
        });
        await api.kill();
        expect(await lost).toBe('lost');
      } finally {
        await slowCommits(0);
        await api.kill();
        hole.close();
      }
      const answer = await usedAgain(shop, key);
      const id = String(answer.body.data?.['id']);
      const { rows } = await world.database.query<{ id: string }>(
        'SELECT resource_id AS id FROM idempotency_keys WHERE key = $1',
        [key],
      );
      expect(id).toBe(rows[0]?.id);
      expect(await total(shop)).toBe(1);
      expect(refusal(await shop.create({ checkoutMode: 'custom', reference: 'x' }, key))).toEqual([
        409,
        'idempotency_key_reused',
      ]);
      expect((await shop.create({ checkoutMode: 'custom' }, key)).text).toBe(answer.text);
      expect((await shop.pay(id, await shop.captureCard(id))).body.data).toMatchObject({ status: 'paid' });
    },
  );

  it(
    proves('a payment created while Temporal hangs is answered 201, and replayed', 'IDEM-07', 'IDEM-11'),
    async () => {
      const shop = await ownShop();
      const hole = createServer(() => undefined).listen(0, '127.0.0.1');
      await once(hole, 'listening');
      const address = hole.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const api = await startApiProcess(world, { ...keptForADay, TEMPORAL_ADDRESS: `127.0.0.1:${port}` });
      try {
        const key = randomUUID();
        const away = new Probe(api.baseUrl, shop.key);
        const created = await away.create({ checkoutMode: 'custom' }, key);
        expect(created.status).toBe(201);
        expect((await away.create({ checkoutMode: 'custom' }, key)).text).toBe(created.text);
        const id = String(created.body.data?.['id']);
        expect((await shop.pay(id, await shop.captureCard(id))).body.data).toMatchObject({ status: 'paid' });
      } finally {
        await api.kill();
        hole.close();
      }
    },
  );
});

/** Makes every commit of a new payment take this long, in seconds; 0 ends that. */
async function slowCommits(seconds: number): Promise<void> {
  await world.database.query('DROP TRIGGER IF EXISTS slow_commit ON payments');
  if (seconds === 0) return;
  await world.database.query(`
    CREATE OR REPLACE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(${seconds}); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON payments DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION slow_commit()`);
}

/** Makes a create whose process dies before it answers. */
const lostCreate = (api: ApiProcess, shop: Probe, key: string): Promise<unknown> =>
  new Probe(api.baseUrl, shop.key).create({ checkoutMode: 'custom' }, key).catch(() => 'lost');

/** Repeats a create until its 201. Until then it may only be in progress, for at most 30 s. */
const usedAgain = (shop: Probe, key: string): Promise<Answer> =>
  eventually(async () => {
    const answer = await shop.create({ checkoutMode: 'custom' }, key);
    if (answer.status !== 201) expect(refusal(answer)).toEqual([409, 'idempotency_in_progress']);
    return answer.status === 201 ? answer : undefined;
  }, 30_000);
