import { performance } from 'node:perf_hooks';
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { RequestLog } from '../http/request-log.ts';

/** Sampled lag would keep an idle process awake a hundred times a second; this is longer than any timer. */
const neverMs = 2_147_483_647;
/** The metrics of samples that are not taken. */
const sampledLag = /^nodejs_eventloop_lag_(min|max|mean|stddev|p\d+)_seconds$/;

/**
 * Returns the metrics of the API process: Prometheus' usual ones of a Node process, how busy its event loop
 * was since the previous scrape, and how many requests the log dropped. They cost nothing between two
 * scrapes.
 */
export function createMetrics(requestLog: Pick<RequestLog, 'dropped'>): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: neverMs });
  for (const { name } of registry.getMetricsAsArray()) {
    if (sampledLag.test(name)) registry.removeSingleMetric(name);
  }
  let since = performance.eventLoopUtilization();
  const utilization = new Gauge({
    name: 'nodejs_eventloop_utilization_ratio',
    help: 'Share of the time since the last scrape that the event loop was busy: 0 idle, 1 always',
    registers: [registry],
    collect: () => {
      const now = performance.eventLoopUtilization();
      utilization.set(performance.eventLoopUtilization(now, since).utilization);
      since = now;
    },
  });
  const left = new Counter({
    name: 'request_log_dropped_total',
    help: 'Requests of merchants that the request log has no line of',
    registers: [registry],
    collect: () => {
      left.reset();
      left.inc(requestLog.dropped);
    },
  });
  return registry;
}
