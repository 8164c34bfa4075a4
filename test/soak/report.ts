import { z } from 'zod';
import type { Endpoint } from './endpoints.ts';
import type { LoggedEvent } from './event-log.ts';

/** The longest that 99 % of the deliveries to a healthy endpoint may take. */
const maxP99Ms = 5_000;

/** The result of a soak; printed as it is. */
export interface Report {
  payments: number;
  payingSeconds: number;
  kills: number;
  eventsInLog: number;
  paidWithoutEvent: number;
  paidWithTwoEvents: number;
  endpoints: Record<string, { deliveries: number; missing: number; badSignatures: number }>;
  /** From commit to receipt. */
  healthyMs: { p50: number; p99: number; max: number };
}

export interface Run {
  /** Ids of the payments that were paid. */
  paid: readonly string[];
  payingMs: number;
  kills: number;
  log: readonly LoggedEvent[];
  endpoints: readonly Endpoint[];
  healthy: Endpoint;
}

/** Compares the event log with the payments, and with what each endpoint got. */
export function reportOf({ paid, payingMs, kills, log, endpoints, healthy }: Run): Report {
  const paidEvents = new Map<string, number>();
  for (const { type, data } of log) {
    if (type === 'payment.paid') paidEvents.set(data.id, (paidEvents.get(data.id) ?? 0) + 1);
  }
  const eventIds = new Set(log.map(({ id }) => id));
  return {
    payments: paid.length,
    payingSeconds: Math.round(payingMs / 1000),
    kills,
    eventsInLog: log.length,
    paidWithoutEvent: paid.filter((id) => !paidEvents.has(id)).length,
    paidWithTwoEvents: [...paidEvents.values()].filter((count) => count > 1).length,
    endpoints: Object.fromEntries(
      endpoints.map((endpoint) => [
        endpoint.name,
        {
          deliveries: endpoint.received.length,
          missing: endpoint.missing(eventIds),
          badSignatures: endpoint.received.filter((delivery) => !endpoint.trusts(delivery)).length,
        },
      ]),
    ),
    healthyMs: delaysOf(healthy),
  };
}

/** Whether nothing was lost, doubled or forged, and nothing was slow. */
export function isGood({ paidWithoutEvent, paidWithTwoEvents, endpoints, healthyMs }: Report): boolean {
  const isWhole = Object.values(endpoints).every(
    ({ missing, badSignatures }) => missing === 0 && badSignatures === 0,
  );
  return paidWithoutEvent === 0 && paidWithTwoEvents === 0 && isWhole && healthyMs.p99 < maxP99Ms;
}

const envelope = z.object({ timestamp: z.string() });

function delaysOf({ received }: Endpoint): Report['healthyMs'] {
  const first = new Map<string, number>();
  for (const { eventId, body, atMs } of received) {
    const { timestamp } = envelope.parse(JSON.parse(body.toString()));
    if (!first.has(eventId)) first.set(eventId, atMs - Date.parse(timestamp));
  }
  const sorted = [...first.values()].toSorted((one, other) => one - other);
  const quantile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.POSITIVE_INFINITY;
  return { p50: quantile(0.5), p99: quantile(0.99), max: quantile(1) };
}
