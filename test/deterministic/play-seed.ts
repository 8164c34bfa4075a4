import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Made } from '../chaos/changes.ts';
import { check } from '../chaos/checker.ts';
import type { Call } from '../chaos/history.ts';
import { type Observations, observe } from '../chaos/observations.ts';
import { type ClientPlan, planOf, underChange } from '../chaos/plan.ts';
import { untilFinal } from '../chaos/rows.ts';
import type { Violation } from '../chaos/violation.ts';
import { runClient } from '../chaos/workload.ts';
import { SimulatedPostgres, type Template, databaseUrl } from './database.ts';
import { simulateGlobals } from './globals.ts';
import { beginLongWork, checkLongWork } from './long-work.ts';
import { type PutBack, drawPutBack, playPutBack } from './put-back.ts';
import { checkReplays } from './replay-checks.ts';
import { drawWrongClock, mayBeOfClock, troubleRuns } from './run-troubles.ts';
import { Scheduler } from './scheduler.ts';
import type { Builds } from './temporal/server.ts';
import { troubleProcesses } from './troubles.ts';
import { type World, buildWorld, deadlineSeconds, origins } from './world.ts';

/** How long faults last, and how long after the last deadline everything may take to be final. */
const faultsMs = (deadlineSeconds + 10) * 1_000;
const recoveryMs = 180_000;

export interface SeedOptions {
  seed: number;
  payments: number;
  /** Kinds of faults that do not happen. */
  without?: ReadonlySet<string>;
  /** Number of steps to play; a larger number plays to the end. */
  until?: number;
  builds: Builds;
  template: Template;
}

/** The result of a seed. */
export interface SeedResult {
  payments: number;
  steps: number;
  faults: ReadonlyMap<string, number>;
  violations: Violation[];
  story: readonly string[];
  logged: readonly string[];
}

/** Plays a seed to its end and checks it with the chaos harness's checker. The same seed plays the same. */
export async function playSeed(options: SeedOptions): Promise<SeedResult> {
  const { seed, until = Infinity } = options;
  const scheduler = new Scheduler(seed, options.without);
  // PostgreSQL starts with the real event loop and clock.
  const postgres = await SimulatedPostgres.open(() => scheduler, options.template);
  const putBack = simulateGlobals(() => scheduler, seed);
  let world: World | undefined;
  const logsDirectory = mkdtempSync(join(tmpdir(), 'card-payments-simulated-'));
  try {
    const failures: unknown[] = [];
    let result: Pick<SeedResult, 'payments' | 'violations'> | null = null;
    let over = false;
    const drive = async (): Promise<void> => {
      world = await buildWorld(scheduler, postgres, options.builds);
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
    await scheduler.play(() => over, until);
    if (failures.length > 0) throw failures[0];
    const { steps, faults, story } = scheduler;
    const logged = world?.logged ?? [];
    return { ...(result ?? { payments: 0, violations: [] }), steps, faults, story, logged };
  } finally {
    await world?.close().catch(() => undefined);
    putBack();
    await postgres.close();
    rmSync(logsDirectory, { recursive: true, force: true });
  }
}

async function playPayments(
  { seed, payments }: SeedOptions,
  world: World,
  scheduler: Scheduler,
  logsDirectory: string,
): Promise<Pick<SeedResult, 'payments' | 'violations'>> {
  const since = new Date();
  const history: Call[] = [];
  const beganAtMs = Date.now();
  scheduler.troubled = true;
  const payUntilMs = beganAtMs + faultsMs;
  const workload = {
    apis: [origins.api],
    apiKey: world.shop.apiKey,
    history,
    payUntilMs,
    refundUntilMs: payUntilMs + 20_000,
    reach: async () => undefined,
  };
  const made: Made = {
    putBack: new Map(),
    capturedLate: new Set(),
    disputed: new Set(),
    terminated: new Set(),
  };
  const over = new AbortController();
  const putBack = drawPutBack(seed);
  const troubles = [
    beginLongWork(world, since, payUntilMs),
    troubleProcesses(world, scheduler, payUntilMs),
    putBack === null
      ? troubleRuns({ world, scheduler, made, untilMs: payUntilMs, hasWrongClock: drawWrongClock(seed) })
      : playPutBack(putBack, { scheduler, made, since, over: over.signal }),
  ];
  const play = (client: ClientPlan): Promise<void> =>
    // A shop whose SDK call throws gives up. What it saw until then is checked.
    runClient(client, workload).catch((error: unknown) =>
      scheduler.note(`a client gave up: ${String(error)}`),
    );
  await Promise.all(clientsOf(seed, payments, putBack).map(play));
  scheduler.troubled = false;
  over.abort();
  await Promise.all(troubles);
  scheduler.note('the faults are over');
  const isFinal = await finalWithin(since, recoveryMs);
  const violations = await judge({ world, scheduler, history, since, made, logsDirectory, isFinal });
  return { payments: new Set(history.flatMap(({ paymentId }) => paymentId ?? [])).size, violations };
}

async function finalWithin(since: Date, ms: number): Promise<boolean> {
  const untilMs = Date.now() + ms;
  while (!(await untilFinal(databaseUrl, since, -1))) {
    if (Date.now() > untilMs) return false;
    await sleep(3_000);
  }
  return true;
}

/** Returns clients of as many of the chaos harness's plans as the payments need. */
function clientsOf(seed: number, payments: number, putBack: PutBack | null): ClientPlan[] {
  const clients: ClientPlan[] = [];
  for (let part = 0; clients.length < payments; part += 1) {
    const plan = planOf(seed * 1_000 + part);
    clients.push(...plan.clients.map((client) => ({ ...client, startMs: client.startMs + part * 400 })));
  }
  return clients
    .slice(0, payments)
    .map((client, index) => ({ ...client, index }))
    .map((client) => (putBack === null ? client : underChange(client, putBack)));
}

interface Judged {
  world: World;
  scheduler: Scheduler;
  history: Call[];
  since: Date;
  made: Made;
  logsDirectory: string;
  isFinal: boolean;
}

/** Checks until there are no violations, for as long as the last runs may take to end. */
async function judge({
  world,
  scheduler,
  history,
  since,
  made,
  logsDirectory,
  isFinal,
}: Judged): Promise<Violation[]> {
  const stack = {
    databaseUrl,
    temporalAddress: 'simulated',
    networkUrl: origins.network,
    networkKey: world.networkKey,
    network: 'tombstone' as const,
    receiver: { received: world.received },
    apiKey: world.shop.apiKey,
    logsDirectory,
  };
  const untilMs = Date.now() + recoveryMs;
  for (;;) {
    const seen: Observations = await observe(stack, history, since, made);
    const logs = [{ name: 'service', text: world.logged.join('') }];
    const violations = [...check({ ...seen, logs }), ...(await checkLongWork(world))].filter(
      (violation) => !mayBeOfClock(scheduler, violation),
    );
    const isDone = violations.length === 0 || !isFinal || Date.now() > untilMs;
    if (isDone) return [...violations, ...(await checkReplays(world))];
    await sleep(5_000);
  }
}
