import { Shop, eventually } from '../../support/shop.ts';
import { createWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ DATABASE_LIST_POOL_SIZE: '2' }, { worker: false });
});
afterAll(() => world.close());

it('25 hanging lists do not block single reads, and are answered 503', async () => {
  const shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  const id = await shop.customPayment();
  const blocker = await world.database.connect();
  try {
    await blocker.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0;
      LOCK TABLE list_counts, refunds, disputes, events IN ACCESS EXCLUSIVE MODE`);
    let answered = 0;
    const lists = Array.from({ length: 25 }, async (_, n) => {
      const path = ['payments', 'refunds', 'disputes', 'events'][n % 4];
      const { status } = await shop.call('GET', `/v1/${path}`);
      answered += 1;
      return status;
    });
    // All connections of the lists wait for the lock.
    await eventually(async () => {
      const { rows } = await world.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length >= 2 ? true : undefined;
    });
    const read = await shop.call('GET', `/v1/payments/${id}`);
    expect(read.status).toBe(200);
    expect(answered).toBe(0);
    expect(new Set(await Promise.all(lists))).toEqual(new Set([503]));
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
  expect((await shop.call('GET', '/v1/payments')).status).toBe(200);
});
