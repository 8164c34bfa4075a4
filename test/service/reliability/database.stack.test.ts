import { randomUUID } from 'node:crypto';
import {
  checkServer,
  neededMigrations,
  readServerFacts,
  refuseServer,
} from '../../../src/db/server/checks.ts';
import { type Database, inTransaction, openDatabase } from '../../../src/db/server/database.ts';
import { openTenantReads } from '../../../src/db/server/tenant-reads.ts';
import { recordingProxy } from '../../support/recording-proxy.ts';
import { cloneDatabase } from '../../support/world.ts';

let url: string;
let database: Database;
beforeAll(async () => {
  url = await cloneDatabase();
  database = openDatabase({ url, poolSize: 2, applicationName: 'test' });
});
afterAll(() => database.end());

const open = (options: string): Database => {
  const target = new URL(url);
  target.searchParams.set('options', options);
  return openDatabase({ url: target.toString(), poolSize: 1, applicationName: 'test' });
};

it('a connection that dies between two statements fails its transaction and nothing else', async () => {
  const failed = inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await database.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    // Long enough for the server's message to arrive while no statement runs.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await transaction.query('SELECT 1');
  });
  await expect(failed).rejects.toThrow(/terminat|connection/i);
  expect((await database.query('SELECT 1')).rowCount).toBe(1);
});

it('a connection that dies during a read fails that read and nothing else', async () => {
  const reads = openTenantReads({ url, poolSize: 1, applicationName: 'test' });
  const tenant = { merchantId: randomUUID(), environment: 'sandbox' } as const;
  try {
    const failed = reads.read(tenant, async (connection) => {
      const { rows } = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await database.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return connection.query('SELECT 1');
    });
    await expect(failed).rejects.toThrow(/terminat|connection/i);
    expect((await reads.read(tenant, (connection) => connection.query('SELECT 1'))).rowCount).toBe(1);
  } finally {
    await reads.end();
  }
});

describe.each(['none', 'transaction'] as const)(
  'the last statement of a transaction, pooler %s',
  (pooler) => {
    const insert = 'INSERT INTO last_statements (id) VALUES ($1)';
    let own: Database;
    beforeAll(async () => {
      await database.query('CREATE TABLE IF NOT EXISTS last_statements (id int PRIMARY KEY)');
      own = openDatabase({ url, poolSize: 1, applicationName: 'test', pooler });
    });
    beforeEach(() => database.query('TRUNCATE last_statements'));
    afterAll(() => own.end());
    const written = async (): Promise<number[]> =>
      (await database.query<{ id: number }>('SELECT id FROM last_statements ORDER BY id')).rows.map(
        ({ id }) => id,
      );

    it('commits with the earlier statements', async () => {
      const answered = await inTransaction(own, async (transaction, last) => {
        await transaction.query(insert, [1]);
        return last({ text: insert, values: [2] });
      });
      expect(answered.rowCount).toBe(1);
      expect(await written()).toEqual([1, 2]);
    });

    it('rolls the earlier statements back when it fails, and leaves a usable connection', async () => {
      const failed = inTransaction(own, async (transaction, last) => {
        await transaction.query(insert, [1]);
        await last({ text: insert, values: [1] });
      });
      await expect(failed).rejects.toMatchObject({ code: '23505' });
      expect(await written()).toEqual([]);
      await inTransaction(own, async (_transaction, last) => last({ text: insert, values: [3] }));
      expect(await written()).toEqual([3]);
    });
  },
);

it('the last statement of a transaction and its COMMIT are one message', async () => {
  const proxy = await recordingProxy(url);
  const own = openDatabase({ url: proxy.url, poolSize: 1, applicationName: 'test' });
  try {
    await inTransaction(own, async (_transaction, last) => last({ text: 'SELECT $1::int', values: [7] }));
    const [commit] = proxy.sent().filter((chunk) => chunk.includes('COMMIT'));
    expect(commit?.includes('SELECT $1::int')).toBe(true);
  } finally {
    await own.end();
    await proxy.close();
  }
});

it('the database of the tests passes the check', async () => {
  await expect(checkServer(database, 'api', false, new AbortController().signal)).resolves.toBeNull();
});

it.each([
  ['-c synchronous_commit=off', /synchronous_commit = off/],
  ['-c synchronous_commit=local', /synchronous_commit = local/],
  ['-c default_transaction_isolation=serializable', /default_transaction_isolation = serializable/],
  ['-c default_transaction_read_only=on', /read-only/],
])('a role that connects with %s is refused in one line', async (options, expected) => {
  const dangerous = open(options);
  try {
    await expect(checkServer(dangerous, 'api', false, new AbortController().signal)).resolves.toMatch(
      expected,
    );
  } finally {
    await dangerous.end();
  }
});

it('a database without all migrations is refused', async () => {
  const facts = await readServerFacts(database);
  const needed = await neededMigrations();
  expect(refuseServer(facts, needed, false)).toBeNull();
  expect(refuseServer(facts, [...needed, '9999_later'], false)).toMatch(/9999_later/);
});

it.each([
  [{ fsync: 'off' }, /fsync/],
  [{ fullPageWrites: 'off' }, /full_page_writes/],
  [{ inRecovery: true }, /standby/],
  [{ versionNumber: 130_011 }, /too old/],
])('production refuses a server with %j', async (change, expected) => {
  const well = { ...(await readServerFacts(database)), fsync: 'on', fullPageWrites: 'on' };
  expect(refuseServer(well, [], true)).toBeNull();
  expect(refuseServer({ ...well, ...change }, [], true)).toMatch(expected);
});

it('waits for a server that does not answer, until it is aborted', async () => {
  const away = openDatabase({
    url: 'postgres://unknown@127.0.0.1:1/none',
    poolSize: 1,
    applicationName: 'test',
  });
  try {
    const stop = new AbortController();
    const waiting = checkServer(away, 'api', false, stop.signal);
    stop.abort();
    await expect(waiting).resolves.toBeNull();
  } finally {
    await away.end();
  }
});
