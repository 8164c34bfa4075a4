import { createMetrics } from '../../../../src/api/operators/metrics.ts';

it('contain the usual metrics of a Node process, and none that are never sampled', async () => {
  const text = await createMetrics({ dropped: 3 }).metrics();
  expect(text).toMatch(/^process_cpu_seconds_total /mu);
  expect(text).toMatch(/^nodejs_eventloop_lag_seconds /mu);
  expect(text).toMatch(/^request_log_dropped_total 3$/mu);
  expect(text).not.toMatch(/nodejs_eventloop_lag_(mean|p99)/u);
});

it('contain how busy the event loop was since the previous scrape', async () => {
  const metrics = createMetrics({ dropped: 0 });
  const utilization = async (): Promise<number> =>
    Number(/^nodejs_eventloop_utilization_ratio (\S+)$/mu.exec(await metrics.metrics())?.[1]);
  await utilization();
  const until = performance.now() + 50;
  while (performance.now() < until);
  const busy = await utilization();
  expect(busy).toBeGreaterThan(0);
  expect(busy).toBeLessThanOrEqual(1);
});
