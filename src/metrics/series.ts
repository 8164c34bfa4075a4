import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/*
 * The series of a process, counted where their events happen. Each is an object of prom-client that callers
 * use directly, so a payment's path enters no code of this file. Labels come from fixed lists; none holds an
 * id, a merchant, an address or a third party's text. docs/operations.md, "Metrics".
 */

/** The registry of this process's series. */
export const series = new Registry();

const environment = ['environment'] as const;
const registers = [series];

export const httpRequestSeconds = new Histogram({
  name: 'card_payments_http_request_seconds',
  help: 'Requests to the public port, by the route as it is declared',
  labelNames: ['route', 'method', 'status'] as const,
  // Only a few buckets, because each is a series for every route and status.
  buckets: [0.05, 0.25, 1, 3, 10],
  registers,
});
export const paySeconds = new Histogram({
  name: 'card_payments_pay_seconds',
  help: 'Pays that were answered with a result, from the accepted request to the answer',
  labelNames: environment,
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20],
  registers,
});
export const timeToPaidSeconds = new Histogram({
  name: 'card_payments_time_to_paid_seconds',
  help: 'From the creation of a payment until it is paid',
  labelNames: environment,
  buckets: [1, 5, 15, 60, 300, 900, 1800, 3600],
  registers,
});
export const attemptsTotal = new Counter({
  name: 'card_payments_attempts_total',
  help: 'States that attempts reached; one that asks for a step is counted again when it ends',
  labelNames: ['environment', 'method', 'connector', 'outcome'] as const,
  registers,
});
export const providerRequestSeconds = new Histogram({
  name: 'card_payments_provider_request_seconds',
  help: 'Calls to vaults and networks; unavailable: no definite answer',
  labelNames: ['provider', 'operation', 'outcome'] as const,
  buckets: [0.1, 0.5, 1, 3, 8],
  registers,
});
export const refundsTotal = new Counter({
  name: 'card_payments_refunds_total',
  help: 'Statuses that refunds reached',
  labelNames: ['environment', 'status'] as const,
  registers,
});
export const disputesTotal = new Counter({
  name: 'card_payments_disputes_total',
  help: 'Statuses that disputes reached',
  labelNames: ['environment', 'status'] as const,
  registers,
});
export const deliveriesTotal = new Counter({
  name: 'card_payments_deliveries_total',
  help: 'Tries of webhook deliveries; retried: another try follows',
  labelNames: ['result'] as const,
  registers,
});
export const fenceRefusalsTotal = new Counter({
  name: 'card_payments_fence_refusals_total',
  help: 'Pays and confirms that were refused because other work on the payment is open',
  labelNames: ['code'] as const,
  registers,
});
export const rateLimitedTotal = new Counter({
  name: 'card_payments_rate_limited_total',
  help: 'Requests answered 429',
  registers,
});
export const sweepHealedTotal = new Counter({
  name: 'card_payments_sweep_healed_total',
  help: 'Payments, refunds, disputes and deliveries that a sweep recovered',
  labelNames: ['sweep'] as const,
  registers,
});
export const sweepLastSuccess = new Gauge({
  name: 'card_payments_sweep_last_success_timestamp_seconds',
  help: 'When a run of the sweep last succeeded in this process',
  labelNames: ['sweep'] as const,
  registers,
});

export const sweepInterval = new Gauge({
  name: 'card_payments_sweep_interval_seconds',
  help: 'The pause between two runs of the sweep',
  labelNames: ['sweep'] as const,
  registers,
});

/** Refusals of the fence. Spec: Errors 409. */
export const fenceCodes = [
  'payment_in_progress',
  'action_required',
  'result_pending',
  'confirmation_in_progress',
] as const;

const environments = ['sandbox', 'live'] as const;

/** Starts the counters of an API process at 0, so that the first event counts as an increase. */
export function beginApiSeries(): void {
  for (const code of fenceCodes) fenceRefusalsTotal.inc({ code }, 0);
  for (const route of ['/v1/payments/:id/pay', '/c/:token/pay']) {
    for (const status of ['200', '503']) httpRequestSeconds.zero({ route, method: 'POST', status });
  }
  for (const name of environments) paySeconds.zero({ environment: name });
}

/** Starts the counters of a worker at 0. */
export function beginWorkerSeries(): void {
  for (const result of ['delivered', 'retried', 'failed', 'canceled']) deliveriesTotal.inc({ result }, 0);
  for (const sweep of ['payments', 'refunds', 'disputes', 'deliveries', 'abandoned builds'])
    sweepHealedTotal.inc({ sweep }, 0);
  for (const name of environments) {
    timeToPaidSeconds.zero({ environment: name });
    for (const status of ['created', 'succeeded', 'failed', 'canceled'])
      refundsTotal.inc({ environment: name, status }, 0);
    for (const status of ['created', 'underReview', 'won', 'lost', 'withdrawn'])
      disputesTotal.inc({ environment: name, status }, 0);
    for (const outcome of ['paid', 'declined', 'failed', 'requires_action', 'unknown', 'voided'])
      attemptsTotal.inc({ environment: name, method: 'card', connector: 'simulator', outcome }, 0);
  }
}
