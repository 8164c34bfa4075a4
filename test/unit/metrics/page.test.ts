import { Registry } from 'prom-client';
import { createRequestLabels } from '../../../src/api/app.ts';
import { createMetricsPage } from '../../../src/metrics/page.ts';
import { beginApiSeries, beginWorkerSeries, series } from '../../../src/metrics/series.ts';
import { createSystemGauges } from '../../../src/metrics/system-figures.ts';
import { boundedText } from '../../../src/worker/sdk-metrics.ts';

it('contain the usual metrics of a Node process, and none that are never sampled', async () => {
  const text = await createMetricsPage({ requestLog: { dropped: 3 } }).text();
  expect(text).toMatch(/^process_cpu_seconds_total /mu);
  expect(text).toMatch(/^nodejs_eventloop_lag_seconds /mu);
  expect(text).toMatch(/^request_log_dropped_total 3$/mu);
  expect(text).not.toMatch(/nodejs_eventloop_lag_(mean|p99)/u);
});

it('contain how busy the event loop was since the previous scrape', async () => {
  const metrics = createMetricsPage({});
  const utilization = async (): Promise<number> =>
    Number(/^nodejs_eventloop_utilization_ratio (\S+)$/mu.exec(await metrics.text())?.[1]);
  await utilization();
  const until = performance.now() + 50;
  while (performance.now() < until);
  const busy = await utilization();
  expect(busy).toBeGreaterThan(0);
  expect(busy).toBeLessThanOrEqual(1);
});

it('contain the connections of each pool, the build, and the text of others', async () => {
  const text = await createMetricsPage({
    pools: { main: { totalCount: 7, idleCount: 3, waitingCount: 2 } },
    more: async () => 'temporal_worker_task_slots_available 4\n',
  }).text();
  expect(text).toContain('card_payments_db_pool_connections{pool="main",state="used"} 4');
  expect(text).toContain('card_payments_db_pool_connections{pool="main",state="idle"} 3');
  expect(text).toContain('card_payments_db_pool_waiting{pool="main"} 2');
  expect(text).toMatch(/^card_payments_build_info\{version="[\d.]+",build_id="\w+"\} 1$/mu);
  expect(text).toMatch(/^temporal_worker_task_slots_available 4$/mu);
});

it('have these names and labels', async () => {
  beginApiSeries();
  beginWorkerSeries();
  const gauges = createSystemGauges({
    payments: () => null,
    deliveries: () => null,
    reconciliations: () => null,
  });
  const page = createMetricsPage({ others: [gauges] });
  const named = [series, gauges].flatMap((registry) => registry.getMetricsAsArray());
  const labels = Object.fromEntries(
    named.map((metric): [string, unknown] => [metric.name, Reflect.get(metric, 'labelNames')]),
  );
  expect(labels).toEqual({
    card_payments_http_request_seconds: ['route', 'method', 'status'],
    card_payments_pay_seconds: ['environment'],
    card_payments_time_to_paid_seconds: ['environment'],
    card_payments_attempts_total: ['environment', 'method', 'connector', 'outcome'],
    card_payments_provider_request_seconds: ['provider', 'operation', 'outcome'],
    card_payments_refunds_total: ['environment', 'status'],
    card_payments_disputes_total: ['environment', 'status'],
    card_payments_deliveries_total: ['result'],
    card_payments_fence_refusals_total: ['code'],
    card_payments_rate_limited_total: [],
    card_payments_sweep_healed_total: ['sweep'],
    card_payments_sweep_last_success_timestamp_seconds: ['sweep'],
    card_payments_sweep_interval_seconds: ['sweep'],
    card_payments_unknown_attempts: ['environment'],
    card_payments_oldest_unknown_seconds: ['environment'],
    card_payments_overdue_payments: ['environment'],
    card_payments_deliveries_waiting: ['environment'],
    card_payments_oldest_delivery_seconds: ['environment'],
    card_payments_operator_alerts: ['kind'],
    card_payments_reconciliation_differences: ['kind'],
    card_payments_reconciliation_last_success_timestamp_seconds: [],
  });
  const text = await page.text();
  expect(text).toContain('card_payments_rate_limited_total 0');
  expect(text).toContain('card_payments_fence_refusals_total{code="payment_in_progress"} 0');
});

describe('the figures of the whole system', () => {
  const row = { environment: 'live', unknownAttempts: 2, oldestUnknownSeconds: 61.5, overduePayments: 1 };
  const sandbox = { environment: 'sandbox', unknownAttempts: 0, oldestUnknownSeconds: 0, overduePayments: 0 };

  it('are shown by a process that leads, and are 0 where there is none', async () => {
    const gauges = createSystemGauges({
      payments: () => ({ environments: [sandbox, row], alerts: [{ kind: 'leader', open: 3 }] }),
      deliveries: () => [{ environment: 'live', deliveriesWaiting: 4, oldestDeliverySeconds: 9 }],
      reconciliations: () => ({
        differences: [{ kind: 'amount_differs', open: 5 }],
        lastSuccessSeconds: 1_700_000_000,
      }),
    });
    const text = await gauges.metrics();
    expect(text).toContain('card_payments_unknown_attempts{environment="live"} 2');
    expect(text).toContain('card_payments_unknown_attempts{environment="sandbox"} 0');
    expect(text).toContain('card_payments_oldest_unknown_seconds{environment="live"} 61.5');
    expect(text).toContain('card_payments_overdue_payments{environment="live"} 1');
    expect(text).toContain('card_payments_deliveries_waiting{environment="live"} 4');
    expect(text).toContain('card_payments_oldest_delivery_seconds{environment="live"} 9');
    expect(text).toContain('card_payments_operator_alerts{kind="leader"} 3');
    expect(text).toContain('card_payments_reconciliation_differences{kind="amount_differs"} 5');
    expect(text).toContain('card_payments_reconciliation_last_success_timestamp_seconds 1700000000');
  });

  it('are in no text of a process that does not lead, also once it has led', async () => {
    let leads = true;
    const gauges: Registry = createSystemGauges({
      payments: () => (leads ? { environments: [row], alerts: [] } : null),
      deliveries: () => null,
      reconciliations: () => null,
    });
    expect(await gauges.metrics()).toMatch(/^card_payments_unknown_attempts\{/mu);
    leads = false;
    expect(await gauges.metrics()).not.toMatch(/^card_payments_/mu);
  });
});

describe('the series of a process', () => {
  it('are bounded whatever is requested: further routes are counted as one', () => {
    const labelsOf = createRequestLabels(100);
    const seen = new Set<string>();
    for (let index = 0; index < 1_000; index += 1) {
      seen.add(JSON.stringify(labelsOf('GET', `/dashboard/${index}`, 200 + (index % 5))));
      seen.add(JSON.stringify(labelsOf(`METHOD-${index}`, 'none', 404)));
    }
    expect(seen.size).toBe(100 + 5 + 1);
    expect(labelsOf('GET', '/dashboard/999', 200)).toEqual({ route: 'other', method: 'any', status: '200' });
  });

  it('count pays separately also when many other routes were requested first', () => {
    const labelsOf = createRequestLabels(0);
    expect(labelsOf('POST', '/v1/payments/:id/pay', 503)).toEqual({
      route: '/v1/payments/:id/pay',
      method: 'POST',
      status: '503',
    });
    expect(labelsOf('POST', '/v1/payments', 201).route).toBe('other');
  });

  it("have a bounded number of Temporal's, without those that say little", () => {
    const values = Array.from({ length: 5_000 }, (_, index) => `temporal_request{n="${index}"} 1`);
    const text = boundedText(
      [
        '# TYPE temporal_request_latency_seconds histogram',
        'temporal_request_latency_seconds_sum 1',
        ...values,
      ].join('\n'),
    );
    expect(text.split('\n')).toHaveLength(900);
    expect(text).not.toContain('latency');
  });
});
