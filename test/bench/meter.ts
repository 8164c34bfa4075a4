import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Drive } from './drive.ts';
import type { Figures, ProcessorTime } from './figures.ts';
import { latenciesOf } from './percentiles.ts';
import { type Spent, readMachine, readSpent, roles } from './processor-time.ts';
import type { DatabaseCounts, StatementCounter } from './statements.ts';

const CHECK_MS = 150;
/** Share of one core. Processes that use less, twice in a row, are at rest. */
const REST_SHARE = 0.15;
const QUIET_CHECKS = 2;
const LONGEST_REST_MS = 60_000;
const SAMPLES = 5;

interface Reading {
  atMs: number;
  spent: Spent | undefined;
  counts: DatabaseCounts;
  received: number;
  /** Total processor time of the machine and of this generator so far, in ms; undefined without /proc. */
  machine: { busyMs: number; ownMs: number } | undefined;
}

export interface MeterParts {
  processes: () => Record<string, number>;
  counter: StatementCounter;
  temporal: Client;
  /** Whether Temporal keeps its data in the same PostgreSQL. */
  temporalInPostgres: boolean;
  /** Number of deliveries to the merchants' endpoints so far. */
  received: () => number;
  signal: AbortSignal;
}

/** What a stack without requests uses per second. */
export interface Idle {
  spent: Spent | undefined;
  counts: DatabaseCounts;
}

/** Measures the cost of calls, from the first until the stack is at rest again. */
export class Meter {
  readonly #parts: MeterParts;
  #idle: Idle | undefined;

  constructor(parts: MeterParts) {
    this.#parts = parts;
  }

  /** Measures the idle stack, to subtract it later; returns its cost per second. */
  async watchIdle(seconds: number): Promise<Idle> {
    await this.untilAtRest();
    const before = await this.#read();
    await sleep(seconds * 1000, undefined, { signal: this.#parts.signal });
    const after = await this.#read();
    const perSecond = 1000 / (after.atMs - before.atMs);
    const idle: Idle = {
      spent: mapSpent(after.spent, (role, ms) => (ms - (before.spent?.[role] ?? 0)) * perSecond),
      counts: mapCounts(after.counts, (name, count) => (count - before.counts[name]) * perSecond),
    };
    this.#idle ??= idle;
    return idle;
  }

  /**
   * Makes the calls and returns their figures. `sample` names workflows that the calls add events to. The
   * workflows exist before the calls, or the calls start them.
   */
  async measure(
    step: { section: string; name: string; callers: number | null; sample: readonly string[] },
    drive: () => Promise<Drive>,
  ): Promise<Figures> {
    await this.untilAtRest();
    const known = step.sample.length;
    const eventsBefore = known === 0 ? 0 : await this.#events(step.sample);
    const before = await this.#read();
    const { done, elapsedMs } = await drive();
    const restMs = await this.untilAtRest();
    const after = await this.#read();
    const eventsAfter = await this.#events(step.sample);
    const calls = done.length;
    const seconds = (after.atMs - before.atMs) / 1000;
    const counts = mapCounts(after.counts, (name, count) =>
      Math.max(0, (count - before.counts[name] - (this.#idle?.counts[name] ?? 0) * seconds) / calls),
    );
    return {
      section: step.section,
      name: step.name,
      callers: step.callers,
      calls,
      outcomes: tally(done.map(({ outcome }) => outcome)),
      perSecond: (calls * 1000) / elapsedMs,
      perSecondToRest: (calls * 1000) / (elapsedMs + restMs),
      latencyMs: latenciesOf(done.map(({ tookMs }) => tookMs)),
      processorMs: this.#perCall(before, after, calls),
      statements: counts.statements,
      writes: counts.writes,
      walKib: counts.walBytes / 1024,
      temporalStatements: this.#parts.temporalInPostgres ? counts.temporalStatements : null,
      temporalEvents:
        eventsBefore === null || eventsAfter === null ? null : (eventsAfter - eventsBefore) / SAMPLES,
      deliveries: (after.received - before.received) / calls,
      othersShare: othersShare(before, after),
      floor: null,
      ratio: null,
    };
  }

  /** Returns figures without costs, for calls whose cost cannot be separated from that of other calls. */
  timesOnly(step: { section: string; name: string }, { done, elapsedMs }: Drive): Figures {
    const perSecond = (done.length * 1000) / elapsedMs;
    return {
      ...step,
      callers: null,
      calls: done.length,
      outcomes: tally(done.map(({ outcome }) => outcome)),
      perSecond,
      perSecondToRest: perSecond,
      latencyMs: latenciesOf(done.map(({ tookMs }) => tookMs)),
      processorMs: null,
      statements: null,
      writes: null,
      walKib: null,
      temporalStatements: null,
      temporalEvents: null,
      deliveries: null,
      othersShare: null,
      floor: null,
      ratio: null,
    };
  }

  /** Waits until the stack's processes use almost no time. Returns how long that took, in ms. */
  async untilAtRest(): Promise<number> {
    const startedAt = performance.now();
    const idleMs = sumOf(this.#idle?.spent);
    let last = sumOf(this.#spent());
    let quietSince = startedAt;
    for (let quiet = 0; quiet < QUIET_CHECKS;) {
      const lookedAt = performance.now();
      await sleep(CHECK_MS, undefined, { signal: this.#parts.signal });
      const now = sumOf(this.#spent());
      const share = (now - last) / (performance.now() - lookedAt) - idleMs / 1000;
      last = now;
      if (share >= REST_SHARE) [quiet, quietSince] = [0, performance.now()];
      else quiet += 1;
      if (performance.now() - startedAt > LONGEST_REST_MS) return LONGEST_REST_MS;
    }
    return quietSince - startedAt;
  }

  #spent(): Spent | undefined {
    return readSpent(this.#parts.processes());
  }

  async #read(): Promise<Reading> {
    const counts = await this.#parts.counter.read();
    return {
      atMs: performance.now(),
      spent: this.#spent(),
      counts,
      received: this.#parts.received(),
      machine: readMachine(),
    };
  }

  #perCall(before: Reading, after: Reading, calls: number): ProcessorTime | null {
    const seconds = (after.atMs - before.atMs) / 1000;
    const each = mapSpent(after.spent, (role, ms) =>
      Math.max(0, (ms - (before.spent?.[role] ?? 0) - (this.#idle?.spent?.[role] ?? 0) * seconds) / calls),
    );
    return each === undefined ? null : { ...each, sum: sumOf(each) };
  }

  /** Returns the number of events in the histories of some workflows; one that does not exist has none. */
  async #events(ids: readonly string[]): Promise<number | null> {
    if (ids.length < SAMPLES) return null;
    const lengths = await Promise.all(
      ids.slice(0, SAMPLES).map(async (id) => {
        try {
          return (await this.#parts.temporal.workflow.getHandle(id).describe()).historyLength;
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return 0;
          throw error;
        }
      }),
    );
    return lengths.reduce((sum, length) => sum + length, 0);
  }
}

/** Returns the share of the machine that other processes than the stack and this generator used. */
function othersShare(before: Reading, after: Reading): number | null {
  if (!before.machine || !after.machine) return null;
  const busyMs = after.machine.busyMs - before.machine.busyMs;
  const ownMs = after.machine.ownMs - before.machine.ownMs + sumOf(after.spent) - sumOf(before.spent);
  return Math.max(0, busyMs - ownMs) / ((after.atMs - before.atMs) * availableParallelism());
}

export function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

const sumOf = (spent: Spent | undefined): number =>
  spent === undefined ? 0 : roles.reduce((sum, role) => sum + spent[role], 0);

function mapSpent(
  spent: Spent | undefined,
  map: (role: (typeof roles)[number], ms: number) => number,
): Spent | undefined {
  if (spent === undefined) return undefined;
  return Object.fromEntries(roles.map((role) => [role, map(role, spent[role])])) as Spent;
}

function mapCounts(
  counts: DatabaseCounts,
  map: (name: keyof DatabaseCounts, count: number) => number,
): DatabaseCounts {
  return {
    statements: map('statements', counts.statements),
    temporalStatements: map('temporalStatements', counts.temporalStatements),
    writes: map('writes', counts.writes),
    walBytes: map('walBytes', counts.walBytes),
  };
}
