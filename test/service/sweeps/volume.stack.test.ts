import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { listAlerts } from '../../../src/db/server/operator-alerts.ts';
import { createSweepAlerts } from '../../../src/sweeps/alerts.ts';
import { createAgedRowSweep } from '../../../src/sweeps/sweep-leftovers.ts';
import { createPaymentSweep } from '../../../src/sweeps/sweep-payments.ts';
import { createRefundSweep } from '../../../src/sweeps/sweep-refunds.ts';
import type { Connectors } from '../../../src/providers/connectors.ts';
import type { PaymentRuns } from '../../../src/temporal/clients/payment-runs.ts';
import { createTestLogger } from '../../support/logger.ts';
import { manyPayments, manyRefunds, ownerOfMany } from '../../support/many-rows.ts';
import { partial } from '../../support/partial.ts';
import { cloneDatabase } from '../../support/world.ts';

let database: Database;
let merchantId: string;
beforeEach(async () => {
  database = openDatabase({ url: await cloneDatabase(), poolSize: 4, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
});
afterEach(() => database.end());

const always = (): boolean => true;

/** Returns runs as Temporal would report them: all are gone, and reading a `broken` one fails. */
function fakeRuns(broken: (id: string) => boolean = () => false) {
  const asked: string[] = [];
  const started: string[] = [];
  const orFail = (id: string): void => {
    asked.push(id);
    if (broken(id)) throw Object.assign(new Error('away'), { code: 14 });
  };
  const runs: PaymentRuns = {
    start: async ({ id }) => {
      orFail(id);
      started.push(id);
      return 'started';
    },
    find: async (id) => {
      orFail(id);
      return null;
    },
    end: async () => undefined,
    resume: async (id) => orFail(id),
    confirm: async (id) => orFail(id),
    async *listEnded() {
      yield [];
    },
  };
  return { runs, asked, started };
}

function paymentSweep(runs: PaymentRuns, now: () => number = Date.now, lines: string[] = []) {
  const alerts = createSweepAlerts({ database, logger: createTestLogger(lines), now });
  const onHealed = (): void => undefined;
  const connectors = partial<Connectors>({});
  const lostRows = { readProgress: async () => null, restore: async () => false };
  const onNewTimeline = onHealed;
  return createPaymentSweep({
    database,
    connectors,
    runs,
    lostRows,
    alerts,
    now,
    everyMs: 1_000,
    onHealed,
    onNewTimeline,
  });
}

describe('the sweep of payments', () => {
  it('does not check 5,000 open payments in which nothing can be wrong', async () => {
    await manyPayments(database, merchantId, { count: 5_000, ageSeconds: 600 });
    const { runs, asked } = fakeRuns();
    await paymentSweep(runs).run(always);
    expect(asked).toEqual([]);
    const { rows } = await database.query('SELECT FROM payment_checks');
    expect(rows).toHaveLength(0);
  });

  it('failing checks do not block other payments: 250 of 1,000 past their deadline', async () => {
    const ids = await manyPayments(database, merchantId, { count: 1_000, ageSeconds: 3_600 });
    const { runs, started } = fakeRuns((id) => id === ids[249]);
    await paymentSweep(runs).run(always);
    expect(new Set(started).size).toBe(999);
    expect(started).not.toContain(ids[249]);
  });

  it('ten payments that cannot be started do not block others, and raise an alert later', async () => {
    const bad = new Set(
      await manyPayments(database, merchantId, { count: 10, ageSeconds: 120, started: false }),
    );
    const good = await manyPayments(database, merchantId, { count: 300, ageSeconds: 60, started: false });
    const { runs, started } = fakeRuns((id) => bad.has(id));
    let nowMs = Date.now();
    const lines: string[] = [];
    const sweep = paymentSweep(runs, () => nowMs, lines);
    await sweep.run(always);
    expect(new Set(started)).toEqual(new Set(good));
    expect(await listAlerts(database, 100)).toEqual([]);
    for (let round = 0; round < 8; round += 1) {
      nowMs += 5 * 60_000;
      // One item works, so that the failures belong to the items.
      await manyPayments(database, merchantId, { count: 1, ageSeconds: 60, started: false });
      await sweep.run(always).catch(() => undefined);
    }
    const alerts = await listAlerts(database, 100);
    expect(new Set(alerts.map(({ subject }) => subject))).toEqual(bad);
    expect(alerts[0]).toMatchObject({ sweep: 'payments', merchantId, detail: 'Error:14' });
    expect(lines.some((line) => line.includes('needs attention'))).toBe(true);
  });
});

describe('the sweep of refunds', () => {
  const refundSweep = (start: (id: string) => void) =>
    createRefundSweep({
      database,
      workflows: {
        recover: async ({ id }) => {
          start(id);
          return 'started';
        },
      },
      network: {
        followRefund: async () => ({ status: 'succeeded', paymentStatus: null, nextLookInMs: null }),
      },
      alerts: createSweepAlerts({ database, logger: createTestLogger([]), now: Date.now }),
      now: Date.now,
      everyMs: 1_000,
    });

  it('checks all of 600 pending refunds, however old the others are, and not again at once', async () => {
    const payments = await manyPayments(database, merchantId, { count: 600, ageSeconds: 3_600, final: true });
    const refunds = await manyRefunds(database, payments, 'pending');
    const started: string[] = [];
    const sweep = refundSweep((id) => void started.push(id));
    await sweep.run(always);
    expect(new Set(started)).toEqual(new Set(refunds));
    await sweep.run(always);
    expect(started).toHaveLength(600);
  });
});

describe('the sweep of aged rows', () => {
  it('deletes the rows of hours of load in one run', async () => {
    await database.query(
      `INSERT INTO idempotency_keys (merchant_id, environment, operation, key, body_hash, resource_id, created_at,
         lease_until, expires_at)
       SELECT $1, 'sandbox', 'create', 'k' || n, '\\x00', gen_random_uuid(), now(), now(), now() - interval '1 hour'
       FROM generate_series(1, 20000) AS n`,
      [merchantId],
    );
    await database.query(
      `INSERT INTO rate_limits (bucket, arrival)
       SELECT 'b' || n, now() + CASE WHEN n % 2 = 0 THEN interval '1 hour' ELSE interval '-1 hour' END
       FROM generate_series(1, 12000) AS n`,
    );
    const sweep = createAgedRowSweep({ database, now: Date.now, everyMs: 1_000 });
    for (let run = 0; run < 3; run += 1) await sweep.run(always);
    const { rows } = await database.query<{ keys: number; limits: number }>(
      `SELECT (SELECT count(*) FROM idempotency_keys) AS keys, (SELECT count(*) FROM rate_limits) AS limits`,
    );
    expect(rows[0]).toEqual({ keys: 0, limits: 6_000 });
  });
});
