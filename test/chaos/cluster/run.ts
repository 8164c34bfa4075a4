import { setTimeout as sleep } from 'node:timers/promises';
import { check } from '../checker.ts';
import { keepEvidence } from '../evidence.ts';
import type { Call } from '../history.ts';
import { nothingMade } from '../made.ts';
import { type Observations, observe } from '../observations.ts';
import { planOf } from '../plan.ts';
import { untilFinal } from '../rows.ts';
import type { Violation } from '../violation.ts';
import { runClient } from '../workload.ts';
import { type ClusterFaultKind, type ClusterPlan, clusterPlanOf, isFailover } from './plan.ts';
import { type ClusterStack, deadlineSeconds, startClusterStack } from './stack.ts';
import { missingKinds, strike } from './strike.ts';

/** Ms from the last fault until all is final; a hanging matching host keeps a worker's polls for a minute. */
const recoveryMs = 120_000;
/** Ms for which clients continue after the checkout's deadline, and again with refunds and disputes. */
const extraMs = 10_000;
const pollMs = 1_000;

export interface ClusterRunOptions {
  seeds: readonly number[];
  /** The only kind of fault that happens. */
  only: ClusterFaultKind | undefined;
  /** Receives a directory for each schedule with a violation. */
  keepIn: string;
  logLine: (line: string) => void;
  signal: AbortSignal;
}

/** The counts of what happened. */
export interface ClusterTotals {
  schedules: number;
  payments: number;
  charges: number;
  unknowns: number;
  longestRecoveryMs: number;
  violations: number;
  /** Number of faults made, by kind. */
  faults: Partial<Record<ClusterFaultKind, number>>;
}

/**
 * Runs the schedules of `seeds` on stacks with a Temporal cluster: those without a failover on one stack, one
 * after the other, and each failover on its own. Kinds of fault that this machine cannot make are printed and
 * left out.
 */
export async function runClusterSchedules(options: ClusterRunOptions): Promise<ClusterTotals> {
  const { seeds, only } = options;
  const totals: ClusterTotals = {
    schedules: 0,
    payments: 0,
    charges: 0,
    unknowns: 0,
    longestRecoveryMs: 0,
    violations: 0,
    faults: {},
  };
  const usual = seeds.filter((seed) => !isFailover(seed, only));
  const failovers = seeds.filter((seed) => isFailover(seed, only));
  if (usual.length > 0) await onStack(options, usual, totals, false);
  for (const seed of failovers) await onStack(options, [seed], totals, true);
  return totals;
}

async function onStack(
  options: ClusterRunOptions,
  seeds: readonly number[],
  totals: ClusterTotals,
  standby: boolean,
): Promise<void> {
  const { logLine, signal, only } = options;
  const stack = await startClusterStack({ standby, logLine, signal });
  try {
    const missing = missingKinds(stack);
    logLine(`stack is up${standby ? ' with a standby' : ''}`);
    if (!standby) for (const [kind, why] of Object.entries(missing)) logLine(`left out: ${kind}, ${why}`);
    for (const seed of seeds) {
      const plan = clusterPlanOf(seed, only);
      const faults = plan.faults.filter(({ kind }) => missing[kind] === undefined);
      await runOne(options, stack, { ...plan, faults }, totals);
    }
  } finally {
    await stack.stop();
  }
}

async function runOne(
  { logLine, keepIn, only, signal }: ClusterRunOptions,
  stack: ClusterStack,
  plan: ClusterPlan,
  totals: ClusterTotals,
): Promise<void> {
  const actions: string[] = [];
  const beganMs = Date.now();
  const note = (line: string): void => {
    actions.push(`${((Date.now() - beganMs) / 1000).toFixed(1)} s: ${line}`);
  };
  const { observations, violations, tookMs } = await runSchedule(stack, plan, note, signal);
  for (const { kind } of plan.faults) totals.faults[kind] = (totals.faults[kind] ?? 0) + 1;
  const unknowns = observations.history.filter(({ result }) => result === 'unknown').length;
  totals.schedules += 1;
  totals.payments += observations.payments.length;
  totals.charges += [...observations.ledgers.values()].flat().length;
  totals.unknowns += unknowns;
  totals.longestRecoveryMs = Math.max(totals.longestRecoveryMs, tookMs);
  totals.violations += violations.length;
  logLine(
    `seed ${plan.seed}: ${observations.payments.length} payments, ${unknowns} unknown answers, final ` +
      `${(tookMs / 1000).toFixed(1)} s after healing, ${plan.faults.map(({ kind }) => kind).join(' and ')}, ` +
      `violations: ${violations.length}`,
  );
  if (violations.length === 0) return;
  for (const line of actions) logLine(`  ${line}`);
  for (const { invariant, paymentId, detail } of violations.slice(0, 10)) {
    logLine(`  ${invariant} ${paymentId ?? ''} ${detail}`);
  }
  const evidence = { plan: { ...planOf(plan.seed), ...plan }, actions, violations, observations };
  const place = keepEvidence(keepIn, { ...evidence, unreplayable: [] });
  const flags = `--cluster --replay ${plan.seed}${only === undefined ? '' : ` --fault ${only}`}`;
  logLine(`  kept in ${place}; again: npm run test:chaos -- ${flags}`);
}

interface Outcome {
  observations: Observations;
  violations: Violation[];
  /** From the end of the last fault until all payments were final. */
  tookMs: number;
}

async function runSchedule(
  stack: ClusterStack,
  plan: ClusterPlan,
  note: (line: string) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  const since = new Date();
  const history: Call[] = [];
  const payUntilMs = Date.now() + deadlineSeconds * 1000 + extraMs;
  const workload = {
    apis: stack.balancer.apis,
    apiKey: stack.description.sandboxApiKey,
    history,
    payUntilMs,
    refundUntilMs: payUntilMs + extraMs,
    reach: () => Promise.resolve(),
  };
  const clients = Promise.all(plan.clients.map((client) => runClient(client, workload)));
  // Awaited below. Until then, a failure must not count as unhandled.
  clients.catch(() => undefined);
  await Promise.all(plan.faults.map((fault) => strike(fault, { stack, note, signal })));
  const healedAtMs = Date.now();
  await clients;
  const isFinal = await untilFinal(stack.description.databaseUrl, since, recoveryMs);
  const tookMs = Date.now() - healedAtMs;
  return { ...(await untilRight(stack, history, since, isFinal)), tookMs };
}

/** Observes until there are no violations; only once when the payments did not become final. */
async function untilRight(
  stack: ClusterStack,
  history: Call[],
  since: Date,
  isFinal: boolean,
): Promise<Omit<Outcome, 'tookMs'>> {
  const agreeByMs = Date.now() + recoveryMs;
  for (;;) {
    const observations = await observe(stack.observed, history, since, nothingMade());
    const violations = check(observations);
    if (violations.length === 0 || !isFinal || Date.now() > agreeByMs) return { observations, violations };
    await sleep(pollMs);
  }
}
