import pg from 'pg';
import { listAttempts } from '../../../src/db/payments/attempts.ts';
import { findCheckout } from '../../../src/db/payments/checkouts.ts';
import type { Database, Queryable } from '../../../src/db/server/database.ts';
import { listPaymentDeliveries } from '../../../src/db/webhooks/delivery-reads.ts';
import { listPaymentDisputes } from '../../../src/db/disputes/dispute-reads.ts';
import { findPaymentHistory, findTimelineEvents } from '../../../src/db/payments/payment-history.ts';
import { findPayment } from '../../../src/db/payments/payments.ts';
import { listPaymentRefunds } from '../../../src/db/refunds/refund-reads.ts';
import { openTenantReads, type TenantReads } from '../../../src/db/server/tenant-reads.ts';
import { blocksAsPrepared, statementsOf } from '../../support/blocks.ts';
import { manyPayments, manyRefunds, ownerOfMany } from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

/** Blocks that reading one payment with its related rows may touch. */
const maxBlocks = 60;

let database: Database;
let tenants: TenantReads;
let tenant: { merchantId: string; environment: 'sandbox' };
let id: string;
beforeAll(async () => {
  const url = await cloneDatabase();
  database = new pg.Pool({ connectionString: url, max: 2 });
  tenants = openTenantReads({ url, poolSize: 1, applicationName: 'test' });
  tenant = { merchantId: await ownerOfMany(database), environment: 'sandbox' };
  // The planner's statistics are from a time when no customer had more than one payment.
  const tables = ['payments', 'attempts', 'capture_access', 'payment_versions', 'refunds'];
  for (const table of tables) await database.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  for (let merchants = 0; merchants < 60; merchants += 1) {
    await withAttempts(
      await manyPayments(database, await ownerOfMany(database), { count: 1, ageSeconds: 900 }),
    );
  }
  await database.query('VACUUM ANALYZE');
  const ids = await manyPayments(database, tenant.merchantId, { count: 20_000, ageSeconds: 600 });
  await withAttempts(ids);
  await manyRefunds(database, ids.slice(9_990, 10_010), 'succeeded');
  id = ids[10_000] ?? '';
});
afterAll(async () => {
  await tenants.end();
  await database.end();
});

/** Gives each of these payments an open attempt and access to the vault. */
async function withAttempts(ids: readonly string[]): Promise<void> {
  await database.query(
    `INSERT INTO attempts (payment_id, attempt_no, method, status, started_at)
     SELECT id, 1, 'card', 'processing', now() FROM unnest($1::uuid[]) AS id`,
    [ids],
  );
  await database.query(
    `INSERT INTO capture_access (payment_id, secret_sealed, status, ends_at)
     SELECT id, '\\x00', 'registered', now() FROM unnest($1::uuid[]) AS id`,
    [ids],
  );
}

const readings: [string, (connection: Queryable) => Promise<unknown>][] = [
  ['payment', (connection) => findPayment(connection, tenant, id)],
  ['checkout', (connection) => findCheckout(connection, tenant, id)],
  ['history', (connection) => findPaymentHistory(connection, tenant, id)],
  ['events', (connection) => findTimelineEvents(connection, id)],
  ['attempts', (connection) => listAttempts(connection, id)],
  ['refunds', (connection) => listPaymentRefunds(connection, id)],
  ['disputes', (connection) => listPaymentDisputes(connection, id)],
  ['deliveries', (connection) => listPaymentDeliveries(connection, id)],
];

it.each(readings)(
  "a payment's %s cost by the size of the payment, not of its merchant",
  async (_name, read) => {
    const blocks = await tenants.read(tenant, async (connection) => {
      const { answer, sent } = await statementsOf(connection, read);
      expect(answer).not.toBeNull();
      const [[text, values] = ['', []]] = sent;
      return blocksAsPrepared(connection, text, values.map(String));
    });
    expect(blocks).toBeLessThan(maxBlocks);
  },
);
