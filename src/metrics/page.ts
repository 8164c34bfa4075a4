import { performance } from 'node:perf_hooks';
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import { buildInfo } from './build-info.ts';
import { series } from './series.ts';

/**
 * Sampling the lag would wake an idle process a hundred times a second. This interval is longer than any
 * timer.
 */
const neverMs = 2_147_483_647;
/** The metrics that need samples, which are not taken. */
const sampledLag = /^nodejs_eventloop_lag_(min|max|mean|stddev|p\d+)_seconds$/;

/** The counts of a connection pool that metrics show. */
export interface CountedPool {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
}

export interface MetricsPage {
  readonly contentType: string;
  /** Returns the text of a scrape. Runs no statement and makes no call to another machine. */
  text(): Promise<string>;
}

/**
 * Returns the metrics page of a process: its own counters, Prometheus' usual metrics of a Node process, the
 * utilization of its event loop since the previous scrape, its pools and its build. They cost nothing between
 * two scrapes.
 */
export function createMetricsPage(of: {
  pools?: Readonly<Record<string, CountedPool>>;
  /** Only an API process has one. */
  requestLog?: { readonly dropped: number };
  /** Gauges of other registries of the process. */
  others?: readonly Registry[];
  /** Name of the build; without it, a hash of its workflows. */
  buildId?: string;
  /** Further text in the same format. */
  more?: () => Promise<string>;
}): MetricsPage {
  const own = nodeMetrics();
  countPools(own, of.pools ?? {});
  new Gauge({
    name: 'card_payments_build_info',
    help: '1, with the version and the build of the process',
    labelNames: ['version', 'build_id'] as const,
    registers: [own],
  }).set({ ...buildInfo(), ...(of.buildId !== undefined && { build_id: of.buildId }) }, 1);
  const { requestLog } = of;
  if (requestLog) countDropped(own, requestLog);
  return {
    contentType: own.contentType,
    text: async () => {
      const texts = [series, own, ...(of.others ?? [])].map((registry) => registry.metrics());
      const all = await Promise.all([...texts, of.more?.() ?? '']);
      return `${all.map((text) => text.trim()).join('\n')}\n`;
    },
  };
}

function nodeMetrics(): Registry {
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
  return registry;
}

function countDropped(registry: Registry, requestLog: { readonly dropped: number }): void {
  const left = new Counter({
    name: 'request_log_dropped_total',
    help: 'Requests of merchants that the request log has no line of',
    registers: [registry],
    collect: () => {
      left.reset();
      left.inc(requestLog.dropped);
    },
  });
}

function countPools(registry: Registry, pools: Readonly<Record<string, CountedPool>>): void {
  const connections = new Gauge({
    name: 'card_payments_db_pool_connections',
    help: 'Open connections of a pool to PostgreSQL',
    labelNames: ['pool', 'state'] as const,
    registers: [registry],
    collect: () => {
      for (const [pool, { totalCount, idleCount }] of Object.entries(pools)) {
        connections.set({ pool, state: 'idle' }, idleCount);
        connections.set({ pool, state: 'used' }, totalCount - idleCount);
      }
    },
  });
  const waiting = new Gauge({
    name: 'card_payments_db_pool_waiting',
    help: 'Callers that wait for a connection of a pool',
    labelNames: ['pool'] as const,
    registers: [registry],
    collect: () => {
      for (const [pool, { waitingCount }] of Object.entries(pools)) waiting.set({ pool }, waitingCount);
    },
  });
}
