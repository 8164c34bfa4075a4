import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { createAgedRowSweep } from '../../../src/sweeps/sweep-leftovers.ts';
import { ownerOfMany } from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

let database: Database;
beforeAll(async () => {
  database = openDatabase({ url: await cloneDatabase(), poolSize: 2, applicationName: 'test' });
});
afterAll(() => database.end());

const count = async (table: 'event_seals' | 'rate_limits'): Promise<unknown> =>
  (await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)).rows[0]?.n;

it('one turn deletes all event seals and full rate limits that are past their time, in small batches', async () => {
  const merchantId = await ownerOfMany(database);
  await database.query(
    `INSERT INTO event_seals (merchant_id, environment, last_position, previous_hash, previous_at, ids, positions,
       instants, hashes, hash, signature, sealed_at)
     SELECT $1, 'sandbox', n, sha256('before'), now(), '{}', '{}', '{}', '{}', sha256(n::text::bytea),
       decode(repeat('00', 64), 'hex'),
       now() - interval '1000 days'
     FROM generate_series(1, 450) AS n`,
    [merchantId],
  );
  await database.query(
    `INSERT INTO rate_limits (bucket, arrival)
     SELECT 'test:' || n, now() - interval '1 hour' FROM generate_series(1, 12000) AS n`,
  );
  const sweep = createAgedRowSweep({ database, now: Date.now, everyMs: 5_000 });
  await sweep.run(() => true);
  expect([await count('event_seals'), await count('rate_limits')]).toEqual([0, 0]);
});
