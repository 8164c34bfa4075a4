import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuildCopy, copyOtherBuild } from './build-copy.ts';
import { type FaultKind, forcedDeadlineSeconds } from './change-plan.ts';
import { beginChange } from './changes.ts';
import { check } from './checker.ts';
import { keepEvidence } from './evidence.ts';
import { FaultInjector } from './faults.ts';
import type { Call } from './history.ts';
import { nothingMade } from './made.ts';
import { timedInvariants } from './money-checks.ts';
import { type Observations, observe } from './observations.ts';
import { queryAsOperators } from './operator-queries.ts';
import { type Plan, planOf, planOfFault } from './plan.ts';
import { type NetworkKind, usualDeadlineSeconds } from './programs.ts';
import { type Unreplayable, findUnreplayable } from './replay-checks.ts';
import { untilFinal } from './rows.ts';
import { type Reconciliation, reconcile } from './reconcile.ts';
import { type Stack, startStack } from './stack.ts';
import { type Totals, nothingRun } from './totals.ts';
import type { Violation } from './violation.ts';
import { runClient } from './workload.ts';

/** Ms from the last fault until all is final (I17), money is recorded and no run is stuck (I25, I27). */
const recoveryMs = 60_000;
/** Clients continue this long after the checkout deadline, and again as long with refunds and disputes. */
const extraMs = 8_000;

export interface RunOptions {
  /** The build whose processes run. */
  dist: string;
  seeds: readonly number[];
  /** Default `tombstone`. */
  network?: NetworkKind;
  /** Receives a directory for each schedule with a violation. */
  keepIn: string;
  logLine: (line: string) => void;
  onlyUntilFirst?: boolean;
  /** Overrides parts of each plan. */
  forced?: Partial<Plan>;
  /** The only kind of change that happens, and how long a leader is frozen. */
  fault?: { kind: FaultKind; freezeMs: number } | undefined;
}

interface Outcome {
  violations: Violation[];
  observations: Observations;
  recoveryMs: number;
  since: Date;
  /** Observes the schedule's payments. */
  look: () => Promise<Observations>;
}

/** What is checked of a schedule when nothing moves any more. */
interface Aftermath {
  unreplayable: Unreplayable[];
  /** Null when the schedule had violations before: what they left behind differs. */
  reconciliation: Reconciliation | null;
}

/**
 * Runs the schedules of `seeds`, one after the other, on one stack; with `onlyUntilFirst`, until the first
 * violation.
 */
export async function runSchedules(options: RunOptions): Promise<Totals> {
  const { dist, seeds, logLine, network = 'tombstone', onlyUntilFirst = false, forced, fault } = options;
  const deadlineSeconds = (fault && forcedDeadlineSeconds(fault.kind)) ?? usualDeadlineSeconds;
  const plans = seeds.map((seed) => ({
    ...(fault ? planOfFault(seed, fault.kind, fault.freezeMs) : planOf(seed)),
    ...forced,
  }));
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-chaos-'));
  const faults = new FaultInjector();
  const startedAtMs = Date.now();
  const totals = nothingRun();
  let stack: Stack | undefined;
  let other: BuildCopy | undefined;
  try {
    if (plans.some(({ change }) => change?.kind === 'two-builds')) other = copyOtherBuild(dist);
    const builds = other ? [dist, other.dist] : [dist];
    stack = await startStack({ dist, directory, faults, network, deadlineSeconds });
    faults.attach(stack);
    logLine(`stack is up, network: ${network}`);
    for (const plan of plans) {
      const { seed } = plan;
      const outcome = await runSchedule({ stack, builds, faults, plan, deadlineSeconds });
      const aftermath = await examine(stack, builds, outcome);
      for (const { paymentId, detail } of aftermath.unreplayable) {
        outcome.violations.push({ invariant: 'I20', paymentId, detail });
      }
      outcome.violations.push(...(aftermath.reconciliation?.violations ?? []));
      add(totals, outcome, aftermath, seed);
      logLine(describe(outcome, aftermath, plan));
      if (fault) for (const line of faults.log) logLine(`  ${line}`);
      if (outcome.violations.length > 0) {
        reportViolations(options, plan, { ...outcome, ...aftermath }, faults.log);
        if (onlyUntilFirst) break;
      }
    }
  } finally {
    faults.heal();
    await stack?.stop();
    other?.remove();
    rmSync(directory, { recursive: true, force: true });
  }
  return { ...totals, tookMs: Date.now() - startedAtMs };
}

/** The stack that a schedule runs on, and its plan. */
interface Scheduled {
  stack: Stack;
  builds: readonly string[];
  faults: FaultInjector;
  plan: Plan;
  deadlineSeconds: number;
}

async function runSchedule({ stack, builds, faults, plan, deadlineSeconds }: Scheduled): Promise<Outcome> {
  const since = new Date();
  const history: Call[] = [];
  const made = nothingMade();
  const over = new AbortController();
  faults.begin(plan);
  await stack.injectTrouble(plan);
  const note = (line: string): void => faults.note(line);
  const change = beginChange(plan, { stack, builds, since, note, made, over: over.signal });
  await change.ready;
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
  const clients = Promise.all(plan.clients.map((client) => runClient(client, workload)));
  // Both promises are awaited below. Until then, a failure must not count as unhandled.
  clients.catch(() => undefined);
  await Promise.all([faults.play(), change.done]);
  faults.heal();
  change.heal();
  const healedAtMs = Date.now();
  await stack.endTrouble();
  const look = (): Promise<Observations> => observe(stack, history, since, made);
  const inTime = violationsAt(healedAtMs + recoveryMs, look, over.signal);
  inTime.catch(() => undefined);
  await clients;
  // A payment that waits for its customer is open until its deadline; the liveness clock starts after it.
  const isFinal = await untilFinal(stack.databaseUrl, since, recoveryMs);
  await lookAway();
  const outcome = { recoveryMs: Date.now() - healedAtMs };
  // The run that ended the payment must still complete; refunds and disputes follow the network.
  const judged = await untilRight(look, isFinal);
  over.abort();
  const violations = [...judged.violations, ...(await inTime)];
  const last = await afterwards(change.end, look, plan);
  return { ...outcome, since, look, violations: [...violations, ...last], observations: judged.observations };
}

/** Replays the histories of a schedule (I20), and reconciles its payments at the same time (I33). */
async function examine(
  stack: Stack,
  builds: readonly string[],
  { violations, observations: { payments }, since, look }: Outcome,
): Promise<Aftermath> {
  const ids = payments.map(({ id }) => id);
  const [unreplayable, reconciliation] = await Promise.all([
    findUnreplayable({ builds, temporalAddress: stack.temporalAddress }, ids),
    violations.length > 0 ? null : reconcile(stack, builds[0] ?? '', since, look),
  ]);
  return { unreplayable, reconciliation };
}

/** Observes until there are no violations; only once when the payments did not become final. */
async function untilRight(
  look: () => Promise<Observations>,
  isFinal: boolean,
): Promise<Pick<Outcome, 'violations' | 'observations'>> {
  const agreeByMs = Date.now() + recoveryMs;
  for (;;) {
    const observations = await look();
    const violations = check(observations);
    if (violations.length === 0 || !isFinal || Date.now() > agreeByMs) return { violations, observations };
    await sleep(1_000);
  }
}

/** Returns the violated timed invariants at a given time; none when the schedule is over before. */
async function violationsAt(
  atMs: number,
  look: () => Promise<Observations>,
  over: AbortSignal,
): Promise<Violation[]> {
  await sleep(Math.max(0, atMs - Date.now()), undefined, { signal: over }).catch(() => undefined);
  if (over.aborted) return [];
  return check(await look())
    .filter(({ invariant }) => timedInvariants.includes(invariant))
    .map((each) => ({ ...each, detail: `${each.detail} (60 s after the last fault)` }));
}

/** Returns the violations after a change that outlasts the faults, such as a leader that wakes. */
async function afterwards(
  end: () => Promise<void>,
  look: () => Promise<Observations>,
  { change }: Plan,
): Promise<Violation[]> {
  await end();
  if (change?.kind !== 'frozen-leader') return [];
  return (await untilRight(look, true)).violations.map((each) => ({
    ...each,
    detail: `${each.detail} (after the leader woke)`,
  }));
}

function add(
  totals: Totals,
  { observations, violations, recoveryMs: tookMs }: Outcome,
  { reconciliation }: Aftermath,
  seed: number,
): void {
  totals.schedules += 1;
  totals.payments += observations.payments.length;
  totals.charges += [...observations.ledgers.values()].flat().length;
  totals.refunds += observations.refunds.length;
  totals.disputes += observations.disputes.length;
  totals.bySdk += countBySdk(observations);
  totals.unknowns += countUnknown(observations);
  totals.reconciliations += reconciliation === null ? 0 : 1;
  totals.differencesExpected += reconciliation?.expected ?? 0;
  totals.differencesHealed += reconciliation?.healed ?? 0;
  totals.longestRecoveryMs = Math.max(totals.longestRecoveryMs, tookMs);
  totals.violations.push(...violations.map((each) => ({ seed, ...each })));
}

/** Returns the number of payments for which the SDK returned an outcome. */
function countBySdk({ history }: Observations): number {
  return new Set(history.filter(({ op }) => op === 'outcome').map(({ paymentId }) => paymentId)).size;
}

function countUnknown({ history }: Observations): number {
  return history.filter(({ result }) => result === 'unknown').length;
}

function describe(
  { observations, violations, recoveryMs: tookMs }: Outcome,
  { reconciliation }: Aftermath,
  { seed, change }: Plan,
): string {
  const { payments, refunds, disputes } = observations;
  const { expected = 0, healed = 0 } = reconciliation ?? {};
  const parts = [
    `${payments.length} payments, ${refunds.length} refunds, ${disputes.length} disputes`,
    `${countUnknown(observations)} unknown answers`,
    `final ${(tookMs / 1000).toFixed(1)} s after healing`,
    ...(change === null ? [] : [change.kind]),
    ...(expected === 0 ? [] : [`${expected} differences expected`]),
    ...(healed === 0 ? [] : [`${healed} differences healed`]),
    `violations: ${violations.length}`,
  ];
  return `seed ${seed}: ${parts.join(', ')}`;
}

function reportViolations(
  { keepIn, logLine, forced, fault }: RunOptions,
  plan: Plan,
  { violations, observations, unreplayable, reconciliation }: Outcome & Aftermath,
  actions: readonly string[],
): void {
  for (const { invariant, paymentId, detail } of violations.slice(0, 10)) {
    logLine(`  ${invariant} ${paymentId ?? ''} ${detail}`);
  }
  const place = keepEvidence(keepIn, {
    ...{ plan, actions, violations, observations, unreplayable, reconciliation },
  });
  const flags = `--replay ${plan.seed}${fault ? ` --fault ${fault.kind}` : ''}`;
  const again = forced === undefined ? `; again: npm run test:chaos -- ${flags}` : '';
  logLine(`  kept in ${place}${again}`);
}
