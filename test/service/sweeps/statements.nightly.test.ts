import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { archiveSchema } from '../../../src/db/payments/archive.ts';
import type { Database } from '../../../src/db/server/database.ts';
import { usualRetention } from '../../../src/db/server/leftovers.ts';
import { readDueWork } from '../../../src/db/server/due-work.ts';
import { takeTerm } from '../../../src/db/server/sweep-leaders.ts';
import { createSweepAlerts } from '../../../src/sweeps/alerts.ts';
import { createFigureSweeps } from '../../../src/sweeps/read-figures.ts';
import type { Sweep } from '../../../src/sweeps/sweep.ts';
import type { ProviderPorts } from '../../../src/providers/connectors.ts';
import type { RefundsElsewhere } from '../../../src/providers/refund-port.ts';
import { createAuditCopySweep } from '../../../src/sweeps/sweep-audit-copies.ts';
import { createCapturedCardSweep } from '../../../src/sweeps/sweep-captured-cards.ts';
import { createCaptureSweep } from '../../../src/sweeps/sweep-captures.ts';
import { createDeliverySweep } from '../../../src/sweeps/sweep-deliveries.ts';
import { createDisputeSweep } from '../../../src/sweeps/sweep-disputes.ts';
import { createEventSealSweep } from '../../../src/sweeps/sweep-event-seals.ts';
import { createAgedRowSweep, createLeftoverSweep } from '../../../src/sweeps/sweep-leftovers.ts';
import { createLostRows } from '../../../src/sweeps/lost-rows.ts';
import { createPartitionSweep } from '../../../src/sweeps/sweep-partitions.ts';
import { createPaymentPageSweep } from '../../../src/sweeps/sweep-payment-page.ts';
import { createPaymentSweep } from '../../../src/sweeps/sweep-payments.ts';
import { createProviderRefundSweep } from '../../../src/sweeps/sweep-provider-refunds.ts';
import { createRefundSweep } from '../../../src/sweeps/sweep-refunds.ts';
import { createRestoredRowSweep } from '../../../src/sweeps/sweep-restored-rows.ts';
import { sealEvents } from '../../../src/webhooks/event-seals.ts';
import { scheduleRefundCheck } from '../../../src/db/refunds/refund-checks.ts';
import { partial } from '../../support/partial.ts';
import { createTestLogger } from '../../support/logger.ts';
import { manyPayments, manyRefunds, manyRequests, ownerOfMany } from '../../support/many-rows.ts';
import { cloneDatabase } from '../../support/world.ts';

const keyring = createKeyring(`one:${Buffer.alloc(32, 7).toString('base64')}`);
/** Number of rows of each large table. */
const manyRows = 100_000;

let url: string;
let database: Database;
/** Every statement that a sweep sent, with its latest values. */
const sent = new Map<string, unknown[]>();

/** A connection that records the statements sent over it. */
class NotingClient extends pg.Client {
  override query(...args: unknown[]): never {
    const [text, values] = args;
    if (typeof text === 'string') sent.set(text, Array.isArray(values) ? values : []);
    return (pg.Client.prototype.query as (...all: unknown[]) => never).apply(this, args);
  }
}

beforeAll(async () => {
  url = await cloneDatabase();
  // Without the service's deadlines: filling takes longer.
  database = new pg.Pool({ connectionString: url, max: 2 });
  const merchantId = await ownerOfMany(database);
  const inSlices = async (count: number, ageSeconds: number, final: boolean): Promise<string[]> => {
    const ids: string[] = [];
    for (let done = 0; done < count; done += 10_000) {
      const size = Math.min(10_000, count - done);
      ids.push(...(await manyPayments(database, merchantId, { count: size, ageSeconds, final })));
    }
    return ids;
  };
  const paid = await inSlices(manyRows, 86_400, true);
  await inSlices(5_000, 600, false);
  await inSlices(20, 7_200, false);
  await manyPayments(database, merchantId, { count: 20, ageSeconds: 600, started: false });
  for (let from = 0; from < paid.length; from += 20_000) {
    const slice = paid.slice(from, from + 20_000);
    await manyRefunds(database, slice, 'succeeded');
    await database.query(
      `INSERT INTO attempts (payment_id, attempt_no, status, method, started_at, resolved_at, provider_reference)
       SELECT id, 1, 'paid', 'card', now(), now(), 'pi_' || id FROM unnest($1::uuid[]) AS id`,
      [slice],
    );
    await database.query(
      `INSERT INTO capture_access (payment_id, status, ends_at)
       SELECT id, 'ended', now() - interval '1 day' FROM unnest($1::uuid[]) AS id`,
      [slice],
    );
    await database.query(
      `INSERT INTO disputes (id, merchant_id, environment, payment_id, provider_reference, amount_cents, reason,
         stage, status, resolution, evidence_due_at, created_at, closed_at)
       SELECT gen_random_uuid(), $2, 'sandbox', id, 'dp_' || id, 2500, 'fraudulent', 'chargeback', 'won',
         'decided', now(), now(), now() FROM unnest($1::uuid[]) AS id`,
      [slice, merchantId],
    );
    await database.query(
      `INSERT INTO events (id, merchant_id, environment, payment_id, sequence, type, data, created_at)
       -- Half of them with the random ids of earlier builds.
       SELECT CASE WHEN n % 2 = 0 THEN first_event_id(now()) || lpad(($3 + n)::text, 9, '0')
         ELSE 'evt_' || substr(replace(id::text, '-', ''), 1, 24) END, $2, 'sandbox', id, 1, 'payment.paid', '{}', now()
       FROM unnest($1::uuid[]) WITH ORDINALITY AS paid (id, n)`,
      [slice, merchantId, from],
    );
  }
  await archive(await inSlices(20_000, 400 * 86_400, true));
  await database.query(
    `INSERT INTO connectors (id, merchant_id, environment, kind, account, credentials_sealed, active)
     VALUES (gen_random_uuid(), $1, 'sandbox', 'stripe', 'acct_1', '\\x00', true)`,
    [merchantId],
  );
  const some = paid.slice(0, 20);
  await database.query(
    'INSERT INTO provider_refund_hints (payment_id, next_check_at) SELECT id, now() FROM unnest($1::uuid[]) AS id',
    [some],
  );
  await database.query(
    'INSERT INTO captured_cards (payment_id, next_check_at) SELECT id, now() FROM unnest($1::uuid[]) AS id',
    [some],
  );
  const endpointId = randomUUID();
  await database.query(
    `INSERT INTO webhook_endpoints (id, merchant_id, environment, url, secret_sealed, created_at,
       updated_at)
     VALUES ($1, $2, 'sandbox', 'https://shop.example/hook', '\\x00', now(), now())`,
    [endpointId, merchantId],
  );
  await database.query(
    `INSERT INTO webhook_deliveries (event_id, endpoint_id, status, due_at, created_at, started_at, ended_at)
     SELECT id, $1, 'delivered', now(), now(), now(), now() FROM events`,
    [endpointId],
  );
  await database.query(
    `INSERT INTO idempotency_keys (merchant_id, environment, operation, key, body_hash, resource_id, created_at,
         lease_until, expires_at)
     SELECT $1, 'sandbox', 'create', 'k' || n, '\\x00', gen_random_uuid(), now(), now(),
       now() + n * interval '1 second' FROM generate_series(1, $2::int) AS n`,
    [merchantId, manyRows],
  );
  await database.query(
    `INSERT INTO rate_limits (bucket, arrival) SELECT 'b' || n, now() FROM generate_series(1, $1::int) AS n`,
    [manyRows],
  );
  await manyRequests(database, merchantId, manyRows);
  await database.query(
    `INSERT INTO operator_alerts (sweep, subject, detail, since, cleared_at)
     SELECT 'payments', n::text, 'test', now(), now() FROM generate_series(1, $1::int) AS n`,
    [manyRows],
  );
  // Work for every sweep, so that each sends all of its statements.
  const [first = '', second = '', third = '', fourth = ''] = paid;
  await database.query(
    `UPDATE attempts SET status = 'processing', resolved_at = NULL, started_at = now() - interval '1 hour'
     WHERE payment_id = ANY ($1)`,
    [[first, second]],
  );
  await database.query("UPDATE capture_access SET status = 'ending' WHERE payment_id = $1", [first]);
  await database.query("UPDATE capture_access SET status = 'registered' WHERE payment_id = $1", [second]);
  await database.query(
    `UPDATE refunds SET next_check_at = now() - interval '1 hour' WHERE payment_id = ANY ($1)`,
    [[first, second]],
  );
  await manyRefunds(database, [third, fourth], 'pending');
  await database.query(
    `UPDATE disputes SET status = 'needsResponse', resolution = NULL, closed_at = NULL,
       next_check_at = now() - interval '1 minute' WHERE payment_id = ANY ($1)`,
    [[first, second]],
  );
  await database.query(
    `UPDATE webhook_deliveries SET status = 'pending', ended_at = NULL, next_check_at = now() - interval '1 minute'
     WHERE event_id IN (SELECT id FROM events WHERE payment_id = ANY ($1))`,
    [[first, second]],
  );
  await database.query('ANALYZE');
}, 300_000);
afterAll(() => database.end());

/** Gives payments the rows that are read of archived ones, and archives them as the sweep does. */
async function archive(ids: string[]): Promise<void> {
  await manyRefunds(database, ids, 'succeeded');
  await database.query(
    `INSERT INTO attempts (payment_id, attempt_no, status, method, started_at, resolved_at, provider_reference)
     SELECT id, 1, 'paid', 'card', now(), now(), 'pi_' || id FROM unnest($1::uuid[]) AS id`,
    [ids],
  );
  for (const [table, column] of [
    ['refunds', 'payment_id'],
    ['attempts', 'payment_id'],
    ['payment_versions', 'payment_id'],
    ['payments', 'id'],
  ]) {
    await database.query('SELECT move_archive_rows(current_schema(), $1, $2, $3, $4::uuid[])', [
      archiveSchema,
      table,
      column,
      ids,
    ]);
  }
}

function allSweeps(noting: Database): Sweep[] {
  const alerts = createSweepAlerts({ database: noting, logger: createTestLogger([]), now: Date.now });
  const common = { database: noting, alerts, now: Date.now, everyMs: 1_000 };
  /** Makes half of all checks fail, so that the statements after a failure are sent too. */
  let turn = 0;
  const half = async (): Promise<void> => {
    turn += 1;
    if (turn % 2 === 0) throw new Error('away');
  };
  const disputes = [{ paymentId: randomUUID(), status: 'needsResponse' as const }].map((one) => ({
    ...one,
    disputeId: 'dp_1',
    chargeReference: null,
    amountCents: 2500,
    reason: 'fraudulent',
    stage: 'chargeback' as const,
    evidenceDueAt: new Date().toISOString(),
    createdAt: new Date().toISOString(),
  }));
  const progress = { hasCompleted: false, seq: null, lastAttemptNo: 0, method: null, openStatus: null };
  return [
    createPaymentSweep({
      ...common,
      connectors: {
        simulated: [],
        portsOf: async () =>
          partial<ProviderPorts>({
            network: partial<ProviderPorts['network']>({ prepare: null, lookup: async () => null }),
          }),
      },
      runs: {
        start: async () => {
          await half();
          return 'started';
        },
        find: async () => null,
        end: async () => undefined,
        resume: async () => undefined,
        confirm: async () => undefined,
        async *listEnded() {
          yield [randomUUID()];
        },
      },
      lostRows: createLostRows({
        database: noting,
        readProgress: async () => progress,
        attempts: {
          isKnownToProvider: async () => false,
          isCharged: async () => false,
          restoreReleased: async () => false,
          restore: async () => undefined,
        },
      }),
      onHealed: () => undefined,
      onNewTimeline: () => undefined,
    }),
    ...createFigureSweeps({ database: noting, kinds: [] }).sweeps,
    createLeftoverSweep(common),
    createAgedRowSweep(common),
    createPartitionSweep({ ...common, retention: usualRetention, logger: createTestLogger([]) }),
    createCaptureSweep({ ...common, vault: { revokeCapture: half } }),
    createRefundSweep({
      ...common,
      workflows: { recover: async () => (await half(), 'started') },
      network: {
        followRefund: async ({ refundId }) => {
          await half();
          await scheduleRefundCheck(noting, refundId, null);
          return { status: 'succeeded', paymentStatus: null, nextLookInMs: null };
        },
      },
    }),
    createDisputeSweep({
      ...common,
      connectors: {
        simulated: ['sandbox'],
        portsOf: async () =>
          partial<ProviderPorts>({
            disputes: partial<ProviderPorts['disputes']>({
              listDisputeChanges: async () => ({ disputes, unreadable: [], cursor: 'c', more: false }),
            }),
          }),
      },
      workflows: { recover: async () => (await half(), 'signaled') },
    }),
    createCapturedCardSweep({
      ...common,
      connectors: {
        simulated: [],
        portsOf: async () =>
          partial<ProviderPorts>({ vault: partial<ProviderPorts['vault']>({ forgetCards: half }) }),
      },
    }),
    createProviderRefundSweep({
      ...common,
      connectors: {
        simulated: [],
        portsOf: async () => {
          const refunds = [{ reference: 're_1', key: null, chargeReference: 'pi_1' }];
          const elsewhere = partial<RefundsElsewhere>({
            listNewRefunds: async () => ({ refunds, cursor: 're_1', more: false }),
            listRefundsBehind: async () => refunds,
          });
          return partial<ProviderPorts>({ refunds: partial<ProviderPorts['refunds']>({ elsewhere }) });
        },
      },
      network: { recordProviderRefunds: half },
    }),
    createRestoredRowSweep({
      ...common,
      runs: {
        async *listSince() {
          yield [{ kind: 'payment', id: randomUUID(), startedAtMs: Date.now(), hasCompleted: true }];
        },
      },
      onRowsMissing: () => undefined,
    }),
    createEventSealSweep({ ...common, seal: (tenant) => sealEvents({ database: noting, keyring }, tenant) }),
    createAuditCopySweep({ ...common, sink: { send: half }, logger: createTestLogger([]) }),
    createPaymentPageSweep({
      ...common,
      ...{ publicUrl: 'http://127.0.0.1:9', script: { path: '/assets/page.js', integrity: '' }, frames: [] },
      openUrl: () => 'http://127.0.0.1:9/c/token',
      logger: createTestLogger([]),
      get: async () => ({ status: 200, policy: '', text: '<script>' }),
    }),
    createDeliverySweep({ ...common, starter: { recover: async () => half().then(() => false) } }),
  ];
}

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** Returns the tables that a plan reads completely. */
function scannedWhole(plan: Plan): string[] {
  const own = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? '?'] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scannedWhole)];
}

it('no statement of any sweep reads a large table from end to end, with its values or without', async () => {
  const noting = new pg.Pool({ connectionString: url, max: 2, Client: NotingClient });
  const sweeps = allSweeps(noting);
  const conditions = sweeps.flatMap((sweep) => sweep.conditions ?? []);
  const term = await takeTerm(noting, 'payments', 'test');
  const { due } = await readDueWork(noting, { role: 'payments', term }, conditions);
  expect(due.size).toBeGreaterThan(10);
  for (const sweep of sweeps) await sweep.run(() => true);
  await noting.end();
  const statements = [...sent].filter(([text]) => /^\s*(SELECT|WITH|UPDATE|DELETE|INSERT)/.test(text));
  expect(statements.length).toBeGreaterThan(25);

  const { rows: large } = await database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND reltuples > 10000 AND relnamespace = 'public'::regnamespace`,
  );
  const largeTables = new Set(large.map(({ name }) => name));
  expect([...largeTables].map((name) => name.replace(/_\d{6}$/, '_month')).toSorted()).toEqual([
    'api_requests_first',
    'attempts',
    'capture_access',
    'disputes',
    'events_first',
    'events_month',
    'idempotency_keys',
    'list_changes',
    'movements',
    'operator_alerts',
    'payment_search_terms',
    'payments',
    'rate_limits',
    'refunds',
    'webhook_deliveries_first',
    'webhook_deliveries_month',
  ]);

  // The check detects a plan that reads a whole table.
  const { rows: whole } = await database.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (FORMAT JSON) SELECT id FROM payments WHERE workflow_started_at IS NULL AND check_scheduled`,
  );
  expect(whole.flatMap((row) => scannedWhole(row['QUERY PLAN'][0].Plan))).toEqual(['payments']);

  const wrong: string[] = [];
  for (const [text, values] of statements) {
    const withValues = await database.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (FORMAT JSON) ${text}`,
      values,
    );
    // The generic plan that PostgreSQL uses for a prepared statement with any values. It is requested by a
    // simple query, whose parameters have no values.
    const generic = await database.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (FORMAT JSON, GENERIC_PLAN) ${text}`,
    );
    for (const [kind, { rows }] of [
      ['custom', withValues],
      ['generic', generic],
    ] as const) {
      const plan = rows[0]?.['QUERY PLAN'][0].Plan;
      const scanned = plan ? scannedWhole(plan).filter((name) => largeTables.has(name)) : ['no plan'];
      if (scanned.length > 0) wrong.push(`${kind} plan reads ${scanned.join(', ')}: ${text}`);
    }
  }
  expect(wrong).toEqual([]);
});
