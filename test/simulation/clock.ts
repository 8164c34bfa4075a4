interface Task {
  atMs: number;
  /** Tasks of one instant run in the order they were put in. */
  order: number;
  run: () => void;
}

/** Simulated time, which passes only by waiting. */
export class SimulatedClock {
  nowMs = 0;
  #order = 0;
  readonly #tasks: Task[] = [];

  after(delayMs: number, run: () => void): void {
    this.#order += 1;
    this.#tasks.push({ atMs: this.nowMs + delayMs, order: this.#order, run });
  }

  /**
   * Runs what is due, earliest first, until nothing is left, the next task is later than `untilMs`,
   * `maxSteps` were run, or `stop()` returns true. Returns the number of steps.
   */
  play({ untilMs, maxSteps, stop }: { untilMs: number; maxSteps: number; stop: () => boolean }): number {
    for (let steps = 0; steps < maxSteps; steps += 1) {
      const next = this.#takeFirst();
      if (next === undefined) return steps;
      if (next.atMs > untilMs) return steps + 1;
      this.nowMs = next.atMs;
      next.run();
      if (stop()) return steps + 1;
    }
    return maxSteps;
  }

  #takeFirst(): Task | undefined {
    let first: Task | undefined;
    let place = 0;
    for (const [index, task] of this.#tasks.entries()) {
      if (first === undefined || isBefore(task, first)) [first, place] = [task, index];
    }
    const last = this.#tasks.pop();
    if (last !== undefined && last !== first) this.#tasks[place] = last;
    return first;
  }
}

function isBefore(one: Task, other: Task): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
