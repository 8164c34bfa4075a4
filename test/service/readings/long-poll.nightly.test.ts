import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let shop: Shop;
beforeAll(async () => {
  world = await createWorld();
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

const waitFor = async (id: string, seconds: number | string, of = shop) =>
  of.call('GET', `/v1/payments/${id}/status?waitSeconds=${seconds}`);
const statusOf = (answer: Awaited<ReturnType<typeof waitFor>>): unknown => answer.body.data?.['status'];

/** Returns the statements of the API that run now, and the transactions that it holds open. */
const busy = async (): Promise<string[]> => {
  const { rows } = await world.database.query<{ state: string; query: string }>(
    `SELECT state, query FROM pg_stat_activity WHERE datname = current_database()
       AND application_name LIKE 'card-payments-api%' AND state <> 'idle'`,
  );
  return rows.map(({ state, query }) => `${state}: ${query}`);
};

it('forty calls wait without holding a connection, and each is answered when its payment changes', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 4; n += 1) ids.push(await shop.customPayment());
  const [first = '', ...rest] = ids;
  const answers = new Map<string, unknown[]>();
  const calls = ids.flatMap((id) =>
    Array.from({ length: 10 }, async () => {
      const answer = await waitFor(id, 25);
      answers.set(id, [...(answers.get(id) ?? []), statusOf(answer)]);
      return answer.status;
    }),
  );
  // More waits than a pool has connections. Once all have arrived, only the shared poll runs statements.
  await eventually(async () => {
    for (let sample = 0; sample < 20; sample += 1) {
      const others = (await busy()).filter((one) => !/^active: SELECT id, version FROM payments/.test(one));
      if (others.length > 0) return undefined;
      if ((await shop.read(first))['status'] !== 'pending') return undefined;
    }
    return true;
  });
  expect(answers.size).toBe(0);

  const paying = shop.pay(first, await shop.captureCard(first));
  await eventually(async () => (answers.get(first)?.length === 10 ? true : undefined));
  expect((await paying).body.data).toMatchObject({ status: 'paid' });
  expect([...answers.keys()]).toEqual([first]);
  for (const shown of answers.get(first) ?? []) expect(['processing', 'paid']).toContain(shown);

  for (const id of rest) await shop.pay(id, await shop.captureCard(id));
  expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
  expect(answers.size).toBe(4);
});

it('a final status is answered at once, a changed one at its deadline, and an unchanged one after the wait', async () => {
  const id = await shop.customPayment();
  expect(statusOf(await waitFor(id, 1))).toBe('open');
  const closing = waitFor(id, 25);
  await shop.call(
    'POST',
    `/v1/sandbox/payments/${id}/advance-clock`,
    { bySeconds: 1_799 },
    { 'idempotency-key': `clock-${id}` },
  );
  expect(statusOf(await closing)).toBe('expired');
  // If these calls were held, the test would time out.
  for (let n = 0; n < 4; n += 1) expect(statusOf(await waitFor(id, 25))).toBe('expired');
});

it('a value other than a whole number from 1 to 25 is refused, and a foreign payment is not waited for', async () => {
  const id = await shop.customPayment();
  for (const seconds of ['0', '26', '1.5', '-1', 'ten', '', '1&waitSeconds=2', '01']) {
    const { status, body } = await waitFor(id, seconds);
    expect([seconds, status, body.error?.code, body.error?.field]).toEqual([
      seconds,
      400,
      'invalid_request',
      'waitSeconds',
    ]);
  }
  const stranger = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  expect((await waitFor(id, 25, stranger)).status).toBe(404);
});

it('a merchant may have a hundred waiting calls; further ones are answered at once, and others still wait', async () => {
  const busyShop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  const id = await busyShop.customPayment();
  const gone = new AbortController();
  let left = 0;
  const answered: number[] = [];
  const waits = Array.from({ length: 101 }, async () => {
    try {
      const answer = await fetch(`${world.baseUrl}/v1/payments/${id}/status?waitSeconds=25`, {
        headers: { authorization: `Bearer ${busyShop.key}` },
        signal: gone.signal,
      });
      answered.push(answer.status);
    } catch {
      left += 1;
    }
  });
  await eventually(async () => (answered.length > 0 ? true : undefined));
  const other = await shop.customPayment();
  const waiting = waitFor(other, 25);
  // A caller that disconnects frees its slot.
  gone.abort();
  await Promise.all(waits);
  expect({ answered, left }).toEqual({ answered: [200], left: 100 });
  const freed = waitFor(id, 25, busyShop);
  await shop.pay(other, await shop.captureCard(other));
  expect(['processing', 'paid']).toContain(statusOf(await waiting));
  await busyShop.pay(id, await busyShop.captureCard(id));
  expect(['processing', 'paid']).toContain(statusOf(await freed));
});

it('a stop answers all waiting calls', async () => {
  const own = await createWorld({}, { worker: false });
  const caller = new Shop(own.baseUrl, await own.key(await own.merchant(), 'sandbox'));
  const id = await caller.customPayment();
  const waits = [waitFor(id, 25, caller), waitFor(id, 25, caller)];
  // Both have arrived when a poll reads them.
  await eventually(async () => {
    const { rows } = await own.database.query<{ seen: boolean }>(
      `SELECT count(*) > 0 AS seen FROM pg_stat_activity WHERE datname = current_database()
         AND application_name = 'card-payments-api' AND query LIKE 'SELECT id, version FROM payments%'`,
    );
    return rows[0]?.seen === true ? true : undefined;
  });
  const closed = own.close();
  for (const answer of await Promise.all(waits))
    expect([answer.status, statusOf(answer)]).toEqual([200, 'open']);
  await closed;
});
