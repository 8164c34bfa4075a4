import { AsyncLocalStorage } from 'node:async_hooks';
import { Random } from '../support/harness/random.ts';
import { themeOf } from './themes.ts';

/** The simulated time at which every run begins, in epoch ms. */
export const beginsAtMs = Date.UTC(2030, 0, 1);

/** The event loop of this process, saved before it is simulated. */
const realImmediate = setImmediate;

/** Turns of the real event loop after a step, for work that waits for nothing simulated. */
const turnsAfterStep = 6;

/**
 * Weights of the kinds of faults. Each run has some kinds often and others never, so that what two faults of
 * one kind break is not hidden by other kinds.
 */
const weights = [0, 0, 0.5, 1, 3, 10] as const;
const themeWeight = 20;
/** How long after the end of a freeze the timers of a process fire, in ms. */
const afterThawMs = 0.001;
/** The highest probability of a fault, and of one of the seed's theme. */
const maxShare = 0.3;
const maxThemeShare = 0.7;

/** A simulated process. Work that it began ends with it. */
export interface SimulatedProcess {
  readonly name: string;
  isAlive: boolean;
  /** How far its clock is ahead of the true one, in ms. */
  skewMs: number;
  /** Its steps wait until this time, in epoch ms. */
  frozenUntilMs: number;
  /** Called when it dies, to end open transactions and connections. */
  readonly atDeath: Set<() => void>;
}

const processes = new AsyncLocalStorage<SimulatedProcess>();

/** The process whose code runs now; null outside of all processes. */
export const runningProcess = (): SimulatedProcess | null => processes.getStore() ?? null;
export const runIn = <T>(owner: SimulatedProcess, work: () => T): T => processes.run(owner, work);
export const newProcess = (name: string): SimulatedProcess => ({
  ...{ name, isAlive: true, skewMs: 0, frozenUntilMs: 0 },
  atDeath: new Set(),
});

/** PostgreSQL's engine. The seed does not determine how many timers it starts, so they are not counted. */
export const engineProcess = newProcess('postgres');

export interface Planned {
  cancel(): void;
}

interface Step extends Planned {
  atMs: number;
  /** When it was planned for; later it waits only for its frozen process. */
  dueMs: number;
  order: number;
  label: string | null;
  owner: SimulatedProcess | null;
  run: () => void | Promise<void>;
  cancelled: boolean;
}

/**
 * Decides what happens next: one step at a time, in the order of a simulated clock, with delays and choices
 * drawn from the seed.
 */
export class Scheduler {
  nowMs = beginsAtMs;
  steps = 0;
  /** One line for each step that is more than the end of a pause. */
  readonly story: string[] = [];
  /** How often each kind of fault happened. */
  readonly faults = new Map<string, number>();
  readonly random: Random;
  /** Faults are drawn only while this is set. */
  troubled = false;
  readonly #heap: Step[] = [];
  #order = 0;

  readonly #seed: number;
  readonly #without: ReadonlySet<string>;
  /** How much more often than usual each kind of fault happens in this run. */
  readonly #weights = new Map<string, number>();
  readonly #theme: readonly string[];

  /** `without`: kinds of faults that are drawn but do not happen, so that everything else stays the same. */
  constructor(seed: number, without: ReadonlySet<string> = new Set()) {
    this.random = new Random(seed);
    this.#seed = seed;
    this.#without = without;
    this.#theme = themeOf(seed);
  }

  /** Plans a step. It is dropped when its process has died by then. */
  after(delayMs: number, label: string | null, run: () => void | Promise<void>): Planned {
    return this.#plan(delayMs, label, run, runningProcess());
  }

  /** Plans a step of the outside world, which happens even when a process dies. */
  outside(delayMs: number, label: string | null, run: () => void | Promise<void>): Planned {
    return this.#plan(delayMs, label, run, null);
  }

  #plan(
    delayMs: number,
    label: string | null,
    run: () => void | Promise<void>,
    owner: SimulatedProcess | null,
  ): Planned {
    this.#order += 1;
    const step: Step = {
      atMs: this.nowMs + Math.max(0, delayMs),
      dueMs: this.nowMs + Math.max(0, delayMs),
      order: this.#order,
      label,
      owner,
      run,
      cancelled: false,
      cancel: () => {
        step.cancelled = true;
      },
    };
    push(this.#heap, step);
    return step;
  }

  /** Whether a process is frozen now. */
  isFrozen(owner: SimulatedProcess | null): boolean {
    return owner !== null && owner.isAlive && owner.frozenUntilMs > this.nowMs;
  }

  /** Lets a frozen process continue. Its timers that are due fire a moment later. */
  thaw(owner: SimulatedProcess): void {
    owner.frozenUntilMs = this.nowMs;
    for (const step of this.#heap.splice(0)) {
      if (step.owner === owner) step.atMs = Math.max(step.dueMs, this.nowMs + afterThawMs);
      push(this.#heap, step);
    }
  }

  /** Whether a seed is among this share of the seeds, drawn for each name separately. */
  isAmong(name: string, share: number): boolean {
    return new Random(this.#seed ^ hashOf(name)).chance(share);
  }

  /** Runs work in a process: at once, or when it is no longer frozen; never when it died in the meantime. */
  runAwake(owner: SimulatedProcess, work: () => void): void {
    runIn(owner, () => {
      if (this.isFrozen(owner)) this.after(0, null, work);
      else work();
    });
  }

  /** Resolves after a random pause between the two; never in a process that died in the meantime. */
  pause(lowMs: number, highMs: number, label: string | null = null): Promise<void> {
    return new Promise((resolve) => {
      this.after(this.delay(lowMs, highMs), label, resolve);
    });
  }

  /** Draws a pause; most are short. */
  delay(lowMs: number, highMs: number): number {
    const share = this.random.next();
    return lowMs + (highMs - lowMs) * share * share;
  }

  /** Whether a fault of this kind happens now. */
  draws(kind: string, probability: number): boolean {
    const highest = this.isOfTheme(kind) ? maxThemeShare : maxShare;
    const share = Math.min(highest, probability * this.#weightOf(kind));
    if (!this.troubled || !this.random.chance(share) || !this.allows(kind)) return false;
    this.met(kind);
    return true;
  }

  #weightOf(kind: string): number {
    if (this.isOfTheme(kind)) return themeWeight;
    const known = this.#weights.get(kind);
    if (known !== undefined) return known;
    // Drawn from the name alone, so that the time of the first draw does not matter.
    const drawn = new Random(this.#seed ^ hashOf(kind)).pick(weights);
    this.#weights.set(kind, drawn);
    return drawn;
  }

  /** Whether the seed has this kind of fault often, together with others that it needs. */
  isOfTheme(kind: string): boolean {
    return this.#theme.includes(kind);
  }

  /** Whether faults of this kind happen at all. */
  allows(kind: string): boolean {
    return !this.#without.has(kind);
  }

  met(kind: string): void {
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1);
    this.note(`fault: ${kind}`);
  }

  note(line: string): void {
    this.story.push(`${this.steps} +${(this.nowMs - beginsAtMs).toFixed(1)} ms ${line}`);
  }

  /** Runs steps until `isOver`, or until `mostSteps` were run. Throws when no step is left. */
  async play(isOver: () => boolean, maxSteps = Infinity): Promise<void> {
    await this.settle();
    while (!isOver() && this.steps < maxSteps) {
      const step = pop(this.#heap);
      if (step === undefined) throw new Error('nothing is left that could happen');
      if (step.cancelled) continue;
      this.nowMs = Math.max(this.nowMs, step.atMs);
      const { owner } = step;
      if (owner !== null && this.isFrozen(owner)) {
        push(this.#heap, Object.assign(step, { atMs: owner.frozenUntilMs }));
        continue;
      }
      if (owner !== engineProcess) this.steps += 1;
      if (step.label !== null) this.note(step.label);
      if (owner === null) await step.run();
      else if (owner.isAlive) await runIn(owner, () => step.run());
      await this.settle();
    }
  }

  /** Lets all work finish that waits for no step. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < turnsAfterStep; turn += 1) {
      await new Promise<void>((resolve) => {
        realImmediate(resolve);
      });
    }
  }
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return hash >>> 0;
}

const isBefore = (one: Step, other: Step): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);

function push(heap: Step[], step: Step): void {
  let at = heap.length;
  heap.push(step);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above] as Step;
    if (!isBefore(step, parent)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = step;
}

function pop(heap: Step[]): Step | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let below = at * 2 + 1;
    const left = heap[below];
    if (left === undefined) break;
    const right = heap[below + 1];
    if (right !== undefined && isBefore(right, left)) below += 1;
    const child = heap[below] as Step;
    if (!isBefore(child, last)) break;
    heap[at] = child;
    at = below;
  }
  heap[at] = last;
  return first;
}
