import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { check } from './checker.ts';
import { keepEvidence } from './evidence.ts';
import { FaultInjector } from './faults.ts';
import type { Call } from './history.ts';
import { type Observations, observe } from './observations.ts';
import { queryAsOperators } from './operator-queries.ts';
import { type Plan, planOf } from './plan.ts';
import { type NetworkKind, deadlineSeconds } from './programs.ts';
import { type Unreplayable, findUnreplayable } from './replay-checks.ts';
import { untilFinal } from './rows.ts';
import { type Stack, startStack } from './stack.ts';
import type { Violation } from './violation.ts';
import { runClient } from './workload.ts';

/** Everything must be final this long after the last fault (I17). */
const recoveryMs = 60_000;
/** Clients go on this long after the checkout deadline, and as long again with refunds and disputes. */
const extraMs = 8_000;

export interface RunOptions {
  /** The build whose processes run. */
  dist: string;
  seeds: readonly number[];
  /** Default `tombstone`. */
  network?: NetworkKind;
  /** Each violated schedule leaves a directory in it. */
  keepIn: string;
  say: (line: string) => void;
  onlyUntilFirst?: boolean;
  /** Laid over each plan. */
  forced?: Partial<Plan>;
}

/** What happened, summed up over schedules. */
export interface Totals {
  schedules: number;
  payments: number;
  charges: number;
  refunds: number;
  disputes: number;
  unknowns: number;
  longestRecoveryMs: number;
  tookMs: number;
  violations: (Violation & { seed: number })[];
}

/** Returns the sum of several runs. */
export function addUp([first, ...others]: readonly Totals[]): Totals {
  if (!first) throw new Error('nothing was run');
  return others.reduce(
    (sum, each) => ({
      schedules: sum.schedules + each.schedules,
      payments: sum.payments + each.payments,
      charges: sum.charges + each.charges,
      refunds: sum.refunds + each.refunds,
      disputes: sum.disputes + each.disputes,
      unknowns: sum.unknowns + each.unknowns,
      longestRecoveryMs: Math.max(sum.longestRecoveryMs, each.longestRecoveryMs),
      tookMs: sum.tookMs + each.tookMs,
      violations: [...sum.violations, ...each.violations],
    }),
    first,
  );
}

interface Outcome {
  violations: Violation[];
  observations: Observations;
  recoveryMs: number;
}

/**
 * Runs the schedules of `seeds`, one after the other, on one stack; with `onlyUntilFirst`, until the first
 * violation.
 */
export async function runSchedules(options: RunOptions): Promise<Totals> {
  const { dist, seeds, say, network = 'tombstone', onlyUntilFirst = false, forced } = options;
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-chaos-'));
  const faults = new FaultInjector();
  const startedAtMs = Date.now();
  const totals: Totals = {
    schedules: 0,
    payments: 0,
    charges: 0,
    refunds: 0,
    disputes: 0,
    unknowns: 0,
    longestRecoveryMs: 0,
    tookMs: 0,
    violations: [],
  };
  let stack: Stack | undefined;
  try {
    stack = await startStack({ dist, directory, faults, network });
    faults.attach(stack);
    say(`stack is up, network: ${network}`);
    for (const seed of seeds) {
      const plan = { ...planOf(seed), ...forced };
      const outcome = await runSchedule(stack, faults, plan);
      const ids = outcome.observations.payments.map(({ id }) => id);
      const unreplayable = await findUnreplayable({ dist, temporalAddress: stack.temporalAddress }, ids);
      for (const { paymentId, detail } of unreplayable) {
        outcome.violations.push({ invariant: 'I20', paymentId, detail });
      }
      add(totals, outcome, seed);
      say(describe(outcome, seed));
      if (outcome.violations.length > 0) {
        reportViolations(options, plan, { ...outcome, unreplayable }, faults.log);
        if (onlyUntilFirst) break;
      }
    }
  } finally {
    faults.heal();
    await stack?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  return { ...totals, tookMs: Date.now() - startedAtMs };
}

async function runSchedule(stack: Stack, faults: FaultInjector, plan: Plan): Promise<Outcome> {
  const since = new Date();
  const history: Call[] = [];
  faults.begin(plan);
  await stack.orderTrouble(plan);
  const payUntilMs = Date.now() + deadlineSeconds * 1000 + extraMs;
  const workload = {
    apis: stack.apis,
    apiKey: stack.apiKey,
    history,
    payUntilMs,
    refundUntilMs: payUntilMs + extraMs,
    reach: (point: string) => faults.reach(point),
  };
  const lookAway = queryAsOperators(stack, since);
  const clients = plan.clients.map((client) => runClient(client, workload));
  await faults.play();
  faults.heal();
  const healedAtMs = Date.now();
  await stack.endTrouble();
  await Promise.all(clients);
  // A payment that waits for its customer is open until its own deadline; the liveness clock starts after it.
  const isFinal = await untilFinal(stack.databaseUrl, since, recoveryMs);
  await lookAway();
  const outcome = { recoveryMs: Date.now() - healedAtMs };
  // The run that ended the payment still has to complete; refunds and disputes follow the network.
  const agreeByMs = Date.now() + recoveryMs;
  for (;;) {
    const observations = await observe(stack, history, since);
    const violations = check(observations);
    if (violations.length === 0 || !isFinal || Date.now() > agreeByMs) {
      return { ...outcome, violations, observations };
    }
    await sleep(1_000);
  }
}

function add(totals: Totals, { observations, violations, recoveryMs: tookMs }: Outcome, seed: number): void {
  totals.schedules += 1;
  totals.payments += observations.payments.length;
  totals.charges += [...observations.ledgers.values()].flat().length;
  totals.refunds += observations.refunds.length;
  totals.disputes += observations.disputes.length;
  totals.unknowns += countUnknown(observations);
  totals.longestRecoveryMs = Math.max(totals.longestRecoveryMs, tookMs);
  totals.violations.push(...violations.map((each) => ({ seed, ...each })));
}

function countUnknown({ history }: Observations): number {
  return history.filter(({ result }) => result === 'unknown').length;
}

function describe({ observations, violations, recoveryMs: tookMs }: Outcome, seed: number): string {
  const { payments, refunds, disputes } = observations;
  return (
    `seed ${seed}: ${payments.length} payments, ${refunds.length} refunds, ${disputes.length} disputes, ` +
    `${countUnknown(observations)} unknown answers, final ${(tookMs / 1000).toFixed(1)} s after healing, ` +
    `violations: ${violations.length}`
  );
}

function reportViolations(
  { keepIn, say, forced }: RunOptions,
  plan: Plan,
  { violations, observations, unreplayable }: Outcome & { unreplayable: readonly Unreplayable[] },
  actions: readonly string[],
): void {
  for (const { invariant, paymentId, detail } of violations.slice(0, 10)) {
    say(`  ${invariant} ${paymentId ?? ''} ${detail}`);
  }
  const place = keepEvidence(keepIn, { plan, actions, violations, observations, unreplayable });
  const again = forced === undefined ? `; again: npm run test:chaos -- --replay ${plan.seed}` : '';
  say(`  kept in ${place}${again}`);
}
