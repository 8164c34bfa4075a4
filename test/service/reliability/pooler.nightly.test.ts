import { randomUUID } from 'node:crypto';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import pg from 'pg';
import { checkServer } from '../../../src/db/server/checks.ts';
import { inTransaction, isDatabaseUnavailable, openDatabase } from '../../../src/db/server/database.ts';
import { migrate } from '../../../src/db/server/migrate.ts';
import { isTransactionPooler } from '../../../src/db/server/pooler.ts';
import { openTenantReads } from '../../../src/db/server/tenant-reads.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { findPgbouncer, pgbouncer } from '../../support/pgbouncer.ts';
import { type TransactionPooler, transactionPooler } from '../../support/transaction-pooler.ts';
import { cloneDatabase, createWorld } from '../../support/world.ts';

/** Returns the first answer that a connection is free for, because few are lent. */
const answered = (shop: Shop, path: string) =>
  eventually(async () => {
    const answer = await shop.call('GET', path);
    return answer.status === 503 ? undefined : answer;
  });

type Pooler = (databaseUrl: string, size: number) => Promise<TransactionPooler>;

if (findPgbouncer() === null) {
  process.stderr.write('No pgbouncer found: the pooler of these tests stands for it alone.\n');
}
const poolers: [string, Pooler][] = [
  ['the pooler of these tests', transactionPooler],
  ...(findPgbouncer() === null ? [] : ([['PgBouncer', pgbouncer]] as [string, Pooler][])),
];

describe.each(poolers)('%s', (_name, open) => {
  let directUrl: string;
  let pooler: TransactionPooler;
  beforeAll(async () => {
    directUrl = await cloneDatabase();
    pooler = await open(directUrl, 1);
  });
  afterAll(() => pooler.close());

  /** The tenant and the role to which the reads of a connection are bound. */
  const binding = `SELECT current_user AS role, current_setting('card_payments.merchant', true) AS merchant`;

  it('leaks session settings', async () => {
    const [one, other] = [1, 2].map(() => new pg.Client({ connectionString: pooler.url })) as [
      pg.Client,
      pg.Client,
    ];
    await Promise.all([one.connect(), other.connect()]);
    try {
      await one.query(`SELECT set_config('card_payments.merchant', 'one', false)`);
      expect((await other.query<{ merchant: string }>(binding)).rows[0]?.merchant).toBe('one');
      await one.query(`SELECT set_config('card_payments.merchant', '', false)`);
    } finally {
      await Promise.all([one.end(), other.end()]);
    }
  });

  it('behind a pooler, reads are bound to their tenant, and the next ones to theirs', async () => {
    const options = { url: pooler.url, poolSize: 2, pooler: 'transaction', applicationName: 'test' } as const;
    const tenants = openTenantReads(options);
    const database = openDatabase(options);
    try {
      const merchants = Array.from({ length: 20 }, () => randomUUID());
      const seen = await Promise.all(
        merchants.map(async (merchantId) => {
          const bound = tenants.read({ merchantId, environment: 'live' }, async (connection) => {
            await connection.query('SELECT $1::int', [1]);
            return (await connection.query<{ role: string; merchant: string }>(binding)).rows[0];
          });
          const loose = database.query<{ role: string; merchant: string }>(binding);
          return { merchantId, bound: await bound, loose: (await loose).rows[0] };
        }),
      );
      for (const { merchantId, bound, loose } of seen) {
        expect(bound).toEqual({ role: 'card_payments_tenant', merchant: merchantId });
        expect(loose?.role).not.toBe('card_payments_tenant');
        expect(loose?.merchant ?? '').toBe('');
      }
      // A failed read leaves no settings either.
      const failed = tenants.read({ merchantId: randomUUID(), environment: 'live' }, (connection) =>
        connection.query('SELECT 1 / 0'),
      );
      await expect(failed).rejects.toThrow(/division by zero/);
      expect((await database.query<{ merchant: string }>(binding)).rows[0]?.merchant ?? '').toBe('');
    } finally {
      await tenants.end();
      await database.end();
    }
  });

  it('behind a pooler, transactions have the deadlines that sessions cannot be given', async () => {
    const database = openDatabase({
      url: pooler.url,
      poolSize: 1,
      pooler: 'transaction',
      applicationName: 'test',
      statementTimeoutMs: 4_321,
    });
    const deadlines = `SELECT current_setting('statement_timeout') AS statement,
    current_setting('idle_in_transaction_session_timeout') AS idle`;
    try {
      const inside = await inTransaction(database, (transaction) => transaction.query(deadlines));
      expect(inside.rows[0]).toEqual({ statement: '4321ms', idle: '5s' });
      expect((await database.query(deadlines)).rows[0]).toMatchObject({ statement: '0' });
    } finally {
      await database.end();
    }
  });

  it.each([1, 3])('a pooler with %d connections is recognized by its connections', async (size) => {
    const other = await open(directUrl, size);
    try {
      await expect(isTransactionPooler(other.url, 'test')).resolves.toBe(true);
      await expect(isTransactionPooler(directUrl, 'test')).resolves.toBe(false);
    } finally {
      await other.close();
    }
  });

  it('without DATABASE_POOLER the service refuses a pooler in one line that names it', async () => {
    const { signal } = new AbortController();
    const database = openDatabase({ url: pooler.url, poolSize: 1, applicationName: 'test' });
    try {
      await expect(checkServer(database, 'api', false, signal, { url: pooler.url })).resolves.toMatch(
        /^DATABASE_URL leads to a pooler .*DATABASE_POOLER=transaction$/,
      );
      await expect(migrate(pooler.url)).rejects.toThrow(/^a pooler .* cannot migrate/);
    } finally {
      await database.end();
    }
  });

  it('a whole payment goes through a pooler', async () => {
    const world = await createWorld({ DATABASE_POOLER: 'transaction' }, { pooler: (url) => open(url, 8) });
    try {
      const shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
      const id = await shop.customPayment();
      expect((await shop.pay(id, await shop.captureCard(id))).status).toBe(200);
      await eventually(async () => ((await shop.read(id))['status'] === 'paid' ? true : undefined));
      expect((await shop.call('GET', '/v1/payments')).body).toMatchObject({ meta: { total: 1 } });
    } finally {
      await world.close();
    }
  });

  it('merchants who read at the same time over few connections see only their own data', async () => {
    let lentUrl = '';
    const world = await createWorld(
      { DATABASE_POOLER: 'transaction', DATABASE_POOL_SIZE: '6' },
      {
        worker: false,
        pooler: async (url) => {
          const opened = await open(url, 3);
          lentUrl = opened.url;
          return opened;
        },
      },
    );
    const client = new pg.Client({ connectionString: lentUrl });
    try {
      const shops = await Promise.all(
        Array.from(
          { length: 8 },
          async () => new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox')),
        ),
      );
      const ids = await Promise.all(shops.map((shop) => shop.customPayment()));
      for (let round = 0; round < 8; round += 1) {
        await Promise.all(
          shops.map(async (shop, at) => {
            const own = `/v1/payments/${ids[at]}`;
            const foreign = `/v1/payments/${ids[(at + 1) % ids.length]}`;
            const [list, mine, theirs] = await Promise.all(
              ['/v1/payments', own, foreign].map((path) => answered(shop, path)),
            );
            expect(list?.body).toMatchObject({ data: [{ id: ids[at] }], meta: { total: 1 } });
            expect([mine?.status, theirs?.status]).toEqual([200, 404]);
          }),
        );
      }
      await client.connect();
      for (let each = 0; each < 30; each += 1) {
        const { rows } = await client.query<{ role: string; merchant: string | null }>(binding);
        expect(rows[0]?.role).not.toBe('card_payments_tenant');
        expect(rows[0]?.merchant ?? '').toBe('');
      }
    } finally {
      await client.end();
      await world.close();
    }
  });
});

it('a server that accepts a connection and sends nothing is waited for, not refused', async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const sockets: Socket[] = [];
  silent.on('connection', (socket) => sockets.push(socket));
  const url = `postgres://unknown@127.0.0.1:${(silent.address() as AddressInfo).port}/none`;
  try {
    const failed: unknown = await isTransactionPooler(url, 'test', 200).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(Error);
    expect(isDatabaseUnavailable(failed)).toBe(true);
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});
