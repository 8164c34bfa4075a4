import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { check } from '../chaos/checker.ts';
import type { Call } from '../chaos/history.ts';
import { type Observations, observe } from '../chaos/observations.ts';
import { type Made, nothingMade } from '../chaos/made.ts';
import { networkOrders, stripeTrouble } from '../chaos/network-trouble.ts';
import type { ClientPlan, Plan } from '../chaos/plan.ts';
import type { NetworkKind } from '../chaos/programs.ts';
import { untilFinal } from '../chaos/rows.ts';
import type { Violation } from '../chaos/violation.ts';
import { runClient } from '../chaos/workload.ts';
import { openOtherDashboard, playApi } from './api/play-api.ts';
import { type ApiSettings, drawApiSettings } from './api/settings.ts';
import { captureAtStalls } from './capture-at-stalls.ts';
import { archivePaymentsOf } from './archived-rows.ts';
import { awaitCardDeletion } from './card-deletion.ts';
import { clientsOf, plansOf } from './clients.ts';
import { simulateGlobals } from './globals.ts';
import { beginLongWork, checkLongWork } from './long-work.ts';
import { loseRows } from './lost-rows.ts';
import { changeAtProvider, drawProviderChanges } from './provider-changes.ts';
import { networkOf, origins } from './providers.ts';
import { drawPutBack, playPutBack } from './put-back.ts';
import { checkReplays } from './replay-checks.ts';
import { drawWrongClock, mayBeOfClock, troubleRuns } from './run-troubles.ts';
import { replaySavedHistories } from './saved-histories.ts';
import { Scheduler } from './scheduler.ts';
import { type PostgresBackend, databaseUrl } from './simulated-postgres.ts';
import { forgetWorkflows } from './temporal/creator.ts';
import type { Builds } from './temporal/server.ts';
import { freezeForLong, isOfFrozenApi, troubleProcesses } from './troubles.ts';
import { checkInTime, drawDeadlineSeconds, isOfPatience } from './timed-checks.ts';
import { type World, buildWorld } from './world.ts';

/** How long faults last, and how long after the last deadline everything may take to be final. */
const faultsMs = 25_000;
const recoveryMs = 180_000;

/** Steps after which a seed counts as endless. Most have fewer than 90,000. */
const maxSteps = 500_000;
const endless: Violation = {
  invariant: 'I17',
  paymentId: null,
  detail: `nothing is final after ${maxSteps} steps`,
};

export interface SeedOptions {
  seed: number;
  payments: number;
  /** Kinds of faults that do not happen. */
  without?: ReadonlySet<string>;
  /** Number of steps to play; a larger number plays to the end. */
  until?: number;
  builds: Builds;
  backend: PostgresBackend;
}

/** The result of a seed. */
export interface SeedResult {
  network: NetworkKind;
  payments: number;
  steps: number;
  faults: ReadonlyMap<string, number>;
  violations: Violation[];
  story: readonly string[];
  logged: readonly string[];
}

/** Plays a seed to its end and checks it with the chaos harness's checker. The same seed plays the same. */
export async function playSeed(options: SeedOptions): Promise<SeedResult> {
  const { seed, until } = options;
  const network = networkOf(seed);
  const scheduler = new Scheduler(seed, options.without);
  // PostgreSQL starts with the real event loop and clock.
  const postgres = await options.backend.open(scheduler, seed);
  const putBack = simulateGlobals(() => scheduler, seed);
  let world: World | undefined;
  const logsDirectory = mkdtempSync(join(tmpdir(), 'card-payments-simulated-'));
  try {
    const failures: unknown[] = [];
    let result: Pick<SeedResult, 'payments' | 'violations'> | null = null;
    let over = false;
    const drive = async (): Promise<void> => {
      const deadlineSeconds = drawDeadlineSeconds(seed);
      world = await buildWorld(scheduler, postgres, {
        builds: options.builds,
        kind: network,
        deadlineSeconds,
        api: apiSettingsOf(seed),
      });
      result = await playPayments(options, world, scheduler, logsDirectory);
    };
    void drive()
      .catch((error: unknown) => {
        // An abort may have no reason.
        failures.push(error);
      })
      .finally(() => {
        over = true;
      });
    await scheduler.play(() => over, until ?? maxSteps);
    if (failures.length > 0) throw failures[0];
    if (!over && until === undefined) result = { payments: 0, violations: [endless] };
    const { steps, faults, story } = scheduler;
    const logged = world?.logged ?? [];
    return { network, ...(result ?? { payments: 0, violations: [] }), steps, faults, story, logged };
  } finally {
    await world?.close().catch(() => undefined);
    forgetWorkflows();
    putBack();
    await postgres.close();
    rmSync(logsDirectory, { recursive: true, force: true });
  }
}

/**
 * Returns the settings of a seed. Where rows are put back, the status is read from them: a run that ended
 * knows a later state than rows that went back, so that a reader would see both, one after the other.
 */
const apiSettingsOf = (seed: number): ApiSettings => ({
  ...drawApiSettings(seed),
  ...(drawPutBack(seed) === null ? {} : { statusSource: 'projection' }),
});

async function playPayments(
  { seed, payments }: SeedOptions,
  world: World,
  scheduler: Scheduler,
  logsDirectory: string,
): Promise<Pick<SeedResult, 'payments' | 'violations'>> {
  const dashboard = await openOtherDashboard(world);
  const since = new Date();
  const history: Call[] = [];
  const beganAtMs = Date.now();
  scheduler.troubled = true;
  const payUntilMs = beganAtMs + faultsMs;
  const refundUntilMs = payUntilMs + 20_000;
  // Shops that use the SDK wait longer, for an outcome that must come without further faults.
  scheduler.outside(refundUntilMs - beganAtMs, 'no more faults', () => {
    scheduler.troubled = false;
  });
  const workload = {
    apis: [origins.api],
    apiKey: world.shop.apiKey,
    history,
    payUntilMs,
    refundUntilMs,
    reach: async () => undefined,
  };
  const plans = plansOf(seed, payments);
  const made = nothingMade();
  const over = new AbortController();
  const putBack = drawPutBack(seed);
  // Rows that are put back forget a charge, so that a change of it by the network could not be judged.
  const changes = putBack === null ? drawProviderChanges(seed, world.provider.network) : [];
  const stack = observedStack(world, logsDirectory);
  const note = (line: string): void => scheduler.note(line);
  const changesOf = { stack, since, note, made, over: over.signal };
  world.network.mayLoseCallback = (key) => !made.capturedLate.has(key);
  if (putBack === null) captureAtStalls(changesOf, scheduler);
  const troubles = [
    beginLongWork(world, since, payUntilMs),
    troubleProcesses(world, scheduler, payUntilMs),
    freezeForLong(world, scheduler, seed),
    putBack === null
      ? troubleRuns({ world, scheduler, made, untilMs: payUntilMs, hasWrongClock: drawWrongClock(seed) })
      : playPutBack(putBack, { scheduler, made, since, over: over.signal }),
  ];
  const endTrouble = await troubleStripe(plans, world, scheduler);
  const play = (client: ClientPlan): Promise<void> =>
    // A shop whose SDK call throws gives up. What it saw until then is checked.
    runClient(client, workload).catch((error: unknown) =>
      scheduler.note(`a client gave up: ${String(error)}`),
    );
  const clients = clientsOf(plans, payments, putBack === null ? changes : [putBack]);
  const changing = changeAtProvider(changes, changesOf, scheduler);
  const furtherApi = playApi({
    ...{ world, workload, scheduler, made, seed, payments, dashboard },
    plans: plans.flatMap((plan) => plan.clients),
    movesMoney: putBack === null,
  });
  await Promise.all([...clients.map(play), changing, furtherApi]);
  await endTrouble();
  scheduler.troubled = false;
  over.abort();
  await Promise.all(troubles);
  scheduler.note('the faults are over');
  const inTime = () => observe(stack, history, since, made);
  const early = await checkInTime(drawDeadlineSeconds(seed) * 1_000 - (Date.now() - beganAtMs), inTime);
  const isFinal = await finalWithin(since, drawDeadlineSeconds(seed) * 1_000 + recoveryMs);
  const inDoubt = (violation: Violation): boolean =>
    mayBeOfClock(scheduler, violation) ||
    isOfPatience(seed, violation) ||
    isOfFrozenApi(scheduler, violation);
  const late = await judge({ world, stack, history, since, made, isFinal, inDoubt });
  const violations = [...early.filter((violation) => !inDoubt(violation)), ...late, ...dashboard.found];
  if (violations.length > 0) return { payments: paymentsIn(history), violations };
  violations.push(...(await loseRows(seed, { world, scheduler, since, made })));
  violations.push(...(await archivePaymentsOf(seed, { world, scheduler, since })));
  violations.push(...(await awaitCardDeletion(seed)));
  violations.push(...(await replaySavedHistories(seed, world)));
  return { payments: paymentsIn(history), violations };
}

const paymentsIn = (history: readonly Call[]): number =>
  new Set(history.flatMap(({ paymentId }) => paymentId ?? [])).size;

async function finalWithin(since: Date, ms: number): Promise<boolean> {
  const untilMs = Date.now() + ms;
  while (!(await untilFinal(databaseUrl, since, -1))) {
    if (Date.now() > untilMs) return false;
    await sleep(3_000);
  }
  return true;
}

/** What is read and changed at the servers around the service. */
const observedStack = (world: World, logsDirectory: string) => {
  const { provider, received, shop } = world;
  return {
    ...provider,
    databaseUrl,
    temporalAddress: 'simulated',
    simulateAtNetwork: networkOrders(provider.networkUrl, provider.networkKey),
    receiver: { received },
    apiKey: shop.apiKey,
    logsDirectory,
  };
};

/** Orders the plans' faults of Stripe's webhooks and calls. Returns the function that ends them. */
async function troubleStripe(
  plans: readonly Plan[],
  { provider }: World,
  scheduler: Scheduler,
): Promise<() => Promise<void>> {
  if (provider.network !== 'stripe') return async () => undefined;
  const { injectTrouble, endTrouble } = stripeTrouble(provider.networkUrl, provider.networkKey, (line) =>
    scheduler.note(line),
  );
  const isOn = (kind: string): boolean => {
    if (scheduler.allows(kind)) scheduler.met(kind);
    return scheduler.allows(kind);
  };
  await injectTrouble({
    hints: plans.flatMap(({ hints }) => hints).filter(({ mode }) => isOn(`webhook of Stripe ${mode}`)),
    calls: plans.flatMap(({ calls }) => calls).filter(({ mode }) => isOn(`call of Stripe ${mode}`)),
  });
  return endTrouble;
}

interface Judged {
  world: World;
  stack: ReturnType<typeof observedStack>;
  history: Call[];
  since: Date;
  made: Made;
  isFinal: boolean;
  /** Whether a violation may be none of the service. */
  inDoubt: (violation: Violation) => boolean;
}

/** Checks until there are no violations, for as long as the last runs may take to end. */
async function judge(judged: Judged): Promise<Violation[]> {
  const { world, stack, history, since, made, isFinal, inDoubt } = judged;
  const untilMs = Date.now() + recoveryMs + world.network.misreports.outageMs;
  for (;;) {
    const seen: Observations = await observe(stack, history, since, made);
    const logs = [{ name: 'service', text: world.logged.join('') }];
    const { sentCharges } = world.network;
    const checked = check({ ...seen, logs, sentCharges });
    const violations = [...checked, ...(await checkLongWork(world))].filter(
      (violation) => !inDoubt(violation),
    );
    const isDone = violations.length === 0 || !isFinal || Date.now() > untilMs;
    if (isDone) return [...violations, ...(await checkReplays(world))];
    await sleep(5_000);
  }
}
