import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { openTenantReads, type TenantReads } from '../../../src/db/server/tenant-reads.ts';
import { readEndpointFailures } from '../../../src/db/webhooks/endpoint-health.ts';
import { blocksOfRead, vacuumAll } from '../../support/blocks.ts';
import { endpointOfMany, makePastMonths, manyDeliveries, ownerOfMany } from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

let database: Database;
let tenants: TenantReads;
let tenant: { merchantId: string; environment: 'sandbox' };
beforeEach(async () => {
  const url = await cloneDatabase();
  database = openDatabase({ url, poolSize: 2, applicationName: 'test' });
  tenants = openTenantReads({ url, poolSize: 1, applicationName: 'test' });
  tenant = { merchantId: await ownerOfMany(database), environment: 'sandbox' };
  await makePastMonths(database, 3);
});
afterEach(async () => {
  await tenants.end();
  await database.end();
});

/** Creates an endpoint with as many deliveries, which fails since a minute unless it is `well`. */
async function endpoint(count: number, well = false): Promise<string> {
  const id = await endpointOfMany(database, tenant.merchantId);
  await manyDeliveries(database, id, { count, overSeconds: 80 * 86_400 });
  await database.query(
    `UPDATE webhook_endpoints SET failing_since = now() - interval '1 minute' WHERE id = $1 AND NOT $2`,
    [id, well],
  );
  return id;
}

/** Stores tries of the deliveries to an endpoint, newest delivery first. Ages in seconds before now. */
async function tried(
  endpointId: string,
  tries: readonly { ago: number; statusCode: number | null; error: string | null; status: string }[],
): Promise<void> {
  const { rows } = await database.query<{ eventId: string }>(
    `SELECT event_id AS "eventId" FROM webhook_deliveries WHERE endpoint_id = $1
     ORDER BY created_at DESC, event_id DESC`,
    [endpointId],
  );
  for (const [index, { ago, statusCode, error, status }] of tries.entries()) {
    const ref = [rows[index]?.eventId, endpointId];
    await database.query(
      `UPDATE webhook_deliveries SET status = $3, attempt_count = 1 WHERE event_id = $1 AND endpoint_id = $2`,
      [...ref, status],
    );
    await database.query(
      `INSERT INTO webhook_attempts (event_id, endpoint_id, attempt_no, started_at, duration_ms, status_code, error)
       VALUES ($1, $2, 1, now() - $3 * interval '1 second', 10, $4, $5)`,
      [...ref, ago, statusCode, error],
    );
  }
}

const read = () => tenants.read(tenant, (connection) => readEndpointFailures(connection, tenant));

it('the failure of an endpoint is its newest one, whatever became of the delivery', async () => {
  const failing = await endpoint(5);
  await tried(failing, [
    { ago: 9, statusCode: 500, error: 'status', status: 'pending' },
    { ago: 3, statusCode: 200, error: null, status: 'pending' },
    { ago: 5, statusCode: null, error: 'timeout', status: 'canceled' },
    { ago: 7, statusCode: null, error: 'dns', status: 'failed' },
  ]);
  expect(await read()).toEqual([{ endpointId: failing, statusCode: null, error: 'timeout' }]);
});

it('a working endpoint, one without a stored try and those of other merchants have no failure', async () => {
  const failed = [{ ago: 5, statusCode: 503, error: 'status', status: 'failed' }];
  await tried(await endpoint(3, true), failed);
  await endpoint(3);
  const other = { merchantId: await ownerOfMany(database), environment: 'sandbox' } as const;
  const own = tenant;
  tenant = other;
  await tried(await endpoint(3), failed);
  tenant = own;
  expect(await read()).toEqual([]);
});

it('the failures of the endpoints cost by their number, not by the number of deliveries', async () => {
  const ids = [await endpoint(10_000), await endpoint(10_000)];
  await database.query(
    `UPDATE webhook_deliveries SET attempt_count = 1 WHERE status IN ('failed', 'pending')`,
  );
  await database.query(
    `INSERT INTO webhook_attempts (event_id, endpoint_id, attempt_no, started_at, duration_ms, status_code, error)
     SELECT event_id, endpoint_id, 1, created_at, 10, 500, 'status' FROM webhook_deliveries WHERE attempt_count = 1`,
  );
  await vacuumAll(database);
  const tables = ['webhook_deliveries'];
  const { failures, blocks, scans } = await blocksOfRead(tenants, tenant, tables, async (connection) => ({
    failures: await readEndpointFailures(connection, tenant),
  }));
  expect(failures.map(({ endpointId }) => endpointId).toSorted()).toEqual(ids.toSorted());
  expect(scans).toBe(0);
  // Of 20,000 deliveries: at most 20 of each status are compared.
  expect(blocks).toBeLessThan(1_000);
});
