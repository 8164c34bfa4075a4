import { openTenantReads, type TenantReads } from '../../src/db/server/tenant-reads.ts';
import { shortReference, shortReferenceNumber } from '../../src/domain/short-reference.ts';
import type { Environment } from '../../src/domain/statuses.ts';
import { type World, createWorld } from '../support/world.ts';
import { Probe } from './contract-checks.ts';
import { type Merchants, openCast } from './support.ts';
import { proves } from '../support/proves.ts';

let world: World;
let cast: Merchants;
let tenants: TenantReads;
const guarded = [
  'payments',
  'events',
  'refunds',
  'disputes',
  'dispute_files',
  'payment_links',
  'reconciliation_runs',
  'reconciliation_differences',
  'mail_settings',
  'mails',
  'webhook_endpoints',
  'merchant_branding',
  'merchant_settings',
  'api_keys',
  'api_requests',
  'audit_entries',
  'card_results',
  'card_testing_marks',
  'connectors',
  'refund_approvals',
  'list_changes',
  'list_counts',
  'payment_search_terms',
  'unexpected_captures',
  'movements',
  'card_payments_archive.payments',
  'card_payments_archive.refunds',
  'card_payments_archive.refund_approvals',
  'card_payments_archive.disputes',
  'card_payments_archive.dispute_files',
];

beforeAll(async () => {
  world = await createWorld();
  cast = await openCast(world);
  tenants = openTenantReads({ url: world.settings.DATABASE_URL, poolSize: 1, applicationName: 'test-reads' });
  for (const shop of [cast.a, cast.b, cast.aLive]) {
    const id = await shop.customPayment();
    await shop.pay(id, await shop.captureCard(id));
  }
});
afterAll(async () => {
  await tenants.end();
  await world.close();
});

const tenantOf = (merchantId: string, environment: Environment) => ({ merchantId, environment });
const owners = (table: string, tenant: { merchantId: string; environment: Environment }) =>
  tenants.read(tenant, async (database) => {
    const { rows } = await database.query<{ owner: string }>(
      `SELECT DISTINCT merchant_id || ' ' || environment AS owner FROM ${table}`,
    );
    return rows.map(({ owner }) => owner);
  });

describe('row-level security as the second net', () => {
  it(
    proves(
      'a statement without any WHERE clause answers the rows of one merchant and environment only',
      'ENV-02',
      'AUTH-10',
    ),
    async () => {
      const { a, b } = cast.merchants;
      for (const [merchant, environment] of [
        [a, 'sandbox'],
        [b, 'sandbox'],
        [a, 'live'],
        [a, 'sandbox'],
      ] as const) {
        for (const table of ['payments', 'events']) {
          expect(await owners(table, tenantOf(merchant, environment))).toEqual([
            `${merchant} ${environment}`,
          ]);
        }
      }
    },
  );

  it('a connection without a tenant sees nothing, and a reader can write nothing', async () => {
    for (const table of guarded) {
      await expect(
        tenants.read(tenantOf(cast.merchants.a, 'sandbox'), async (database) => {
          await database.query("SELECT set_config('card_payments.merchant', '', false)");
          const { rows } = await database.query<{ count: number }>(
            `SELECT count(*)::int AS count FROM ${table}`,
          );
          // Thrown, so that the connection, whose binding was removed, is not used again.
          throw new Error(`rows seen: ${rows[0]?.count}`);
        }),
      ).rejects.toThrow('rows seen: 0');
      await expect(
        tenants.read(tenantOf(cast.merchants.a, 'sandbox'), (database) =>
          database.query(`DELETE FROM ${table}`),
        ),
      ).rejects.toThrow('permission denied');
    }
    // No reading role may read keys and credentials.
    for (const secret of [
      'SELECT * FROM api_keys',
      'SELECT credentials_sealed FROM connectors',
      'SELECT url_sealed FROM mail_settings',
      'SELECT content_sealed FROM mails',
      'SELECT recipient FROM mails',
    ]) {
      await expect(
        tenants.read(tenantOf(cast.merchants.a, 'sandbox'), (database) => database.query(secret)),
      ).rejects.toThrow('permission denied');
    }
  });

  it('every table that names a merchant and is read by merchants has a policy', async () => {
    const { rows } = await world.database.query<{ name: string; secured: boolean }>(
      `SELECT replace(n.nspname || '.' || c.relname, 'public.', '') AS name, c.relrowsecurity AS secured
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_attribute m ON m.attrelid = c.oid AND m.attname = 'merchant_id'
       JOIN pg_attribute e ON e.attrelid = c.oid AND e.attname = 'environment'
       WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname IN ('public', 'card_payments_archive')`,
    );
    // Only the service reads these tables: for the holder of the key or the link, or as worker or operator.
    const internal = ['idempotency_keys', 'event_seal_heads', 'event_seals', 'key_pairings'];
    const open = rows.filter(({ secured }) => !secured).map(({ name }) => name);
    expect(open.toSorted()).toEqual(internal.toSorted());
    expect(
      rows
        .filter(({ secured }) => secured)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(guarded.toSorted());
  });

  it('a search for a part of a text returns nothing for another tenant than the connection has', async () => {
    const { a, b } = cast.merchants;
    const found = (merchant: string, asked: string) =>
      tenants.read(tenantOf(merchant, 'sandbox'), async (database) => {
        const { rows } = await database.query<{ id: string }>(
          `SELECT id FROM find_payment_texts($1, 'sandbox', '%', NULL, NULL) AS id`,
          [asked],
        );
        return rows.length;
      });
    expect(await found(a, a)).toBeGreaterThan(0);
    expect(await found(a, b)).toBe(0);
    await expect(
      tenants.read(tenantOf(a, 'live'), async (database) => {
        const { rows } = await database.query(
          `SELECT FROM find_payment_texts($1, 'sandbox', '%', NULL, NULL)`,
          [a],
        );
        return rows.length;
      }),
    ).resolves.toBe(0);
  });

  it('a search for a short reference returns nothing for another tenant than the connection has', async () => {
    const { a, b } = cast.merchants;
    const { rows: payments } = await world.database.query<{ id: string }>(
      `SELECT id FROM payments WHERE merchant_id = $1 AND environment = 'sandbox' LIMIT 1`,
      [a],
    );
    const number = shortReferenceNumber(shortReference(payments[0]?.id ?? ''));
    const found = (merchant: string, environment: Environment, asked: string) =>
      tenants.read(tenantOf(merchant, environment), async (database) => {
        const { rows } = await database.query<{ id: string }>(
          `SELECT id FROM find_short_references($1, 'sandbox', $2) AS id`,
          [asked, number],
        );
        return rows;
      });
    expect(await found(a, 'sandbox', a)).toEqual(payments);
    expect(await found(a, 'sandbox', b)).toEqual([]);
    expect(await found(b, 'sandbox', a)).toEqual([]);
    expect(await found(a, 'live', a)).toEqual([]);
  });

  it('states and alerts of a payment are seen by those who see the payment', async () => {
    const { rows: all } = await world.database.query<{ id: string; merchantId: string }>(
      `SELECT id, merchant_id AS "merchantId" FROM payments WHERE environment = 'sandbox'`,
    );
    for (const { id, merchantId } of all) {
      await world.database.query('UPDATE payments SET attempts_left = attempts_left - 1 WHERE id = $1', [id]);
      await world.database.query(
        `INSERT INTO operator_alerts (sweep, subject, merchant_id, detail, since)
         VALUES ('payments', $1, $2, 'x', now())`,
        [id, merchantId],
      );
    }
    const own = all.filter(({ merchantId }) => merchantId === cast.merchants.a).map(({ id }) => id);
    expect(own.length).toBeLessThan(all.length);
    for (const [table, column] of [
      ['payment_versions', 'payment_id'],
      ['operator_alerts', 'subject'],
    ]) {
      const seen = await tenants.read(tenantOf(cast.merchants.a, 'sandbox'), (database) =>
        database.query<{ id: string }>(`SELECT DISTINCT ${column}::text AS id FROM ${table}`),
      );
      expect(seen.rows.map(({ id }) => id).toSorted()).toEqual(own.toSorted());
    }
  });

  it('the merchant reads of the API run on connections of that role', async () => {
    const shop = new Probe(world.baseUrl, cast.a.key);
    for (const path of ['/v1/payments', '/v1/refunds', '/v1/disputes', '/v1/events', '/v1/branding']) {
      expect((await shop.call('GET', path)).status).toBe(200);
    }
    const { rows } = await world.database.query<{ query: string }>(
      `SELECT query FROM pg_stat_activity
       WHERE application_name = 'card-payments-api-reads' AND datname = current_database()`,
    );
    expect(rows.length).toBeGreaterThan(0);
  });
});
