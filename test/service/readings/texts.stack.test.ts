import pg from 'pg';
import { searchStatement } from '../../../src/db/payments/payment-search.ts';
import type { Database } from '../../../src/db/server/database.ts';
import { openTenantReads, type TenantReads } from '../../../src/db/server/tenant-reads.ts';
import { manyPayments, ownerOfMany } from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

let database: Database;
let tenants: TenantReads;
let merchantId: string;
let open: string[];
let ended: string[];

beforeAll(async () => {
  const url = await cloneDatabase();
  database = new pg.Pool({ connectionString: url, max: 1 });
  tenants = openTenantReads({ url, poolSize: 1, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
  open = await manyPayments(database, merchantId, { count: 3, ageSeconds: 60 });
  ended = await manyPayments(database, merchantId, { count: 3, ageSeconds: 7_200, final: true });
  await manyPayments(database, await ownerOfMany(database), { count: 3, ageSeconds: 60 });
});
afterAll(async () => {
  await tenants.end();
  await database.end();
});

/** Returns the ids of the payments that the index of texts finds, newest first. */
const found = (q: string, from?: Date): Promise<string[]> => {
  const tenant = { merchantId, environment: 'sandbox' as const };
  return tenants.read(tenant, async (connection) => {
    const { text, values } = searchStatement(tenant, { q, from }, null, 100, { by: 'index' });
    const { rows } = await connection.query<{ id: string }>(text, values);
    return rows.map(({ id }) => id);
  });
};

it('the index of texts finds open payments and those that ended, of the tenant alone', async () => {
  expect(await found('ORDE')).toEqual([...open.toReversed(), ...ended.toReversed()]);
  expect(await found('orde', new Date(Date.now() - 3_600_000))).toEqual(open.toReversed());
  expect(await found('nothing')).toEqual([]);
});

it('a payment is found once, before and after it ends', async () => {
  const [id = ''] = await manyPayments(database, merchantId, { count: 1, ageSeconds: 30 });
  const since = new Date(Date.now() - 45_000);
  expect(await found('order', since)).toEqual([id]);
  await database.query(
    `UPDATE payments SET status = 'paid', checkout_status = 'paid', paid_at = now(), finalized_at = now() WHERE id = $1`,
    [id],
  );
  expect(await found('order', since)).toEqual([id]);
});
