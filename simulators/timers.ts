const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Named alarms. Each name has one time; setting it again moves it, null clears it. */
export class Timers {
  readonly #now: () => number;
  readonly #ring: (name: string) => void;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #closed = false;

  constructor(now: () => number, ring: (name: string) => void) {
    this.#now = now;
    this.#ring = ring;
  }

  /** `at`: epoch ms. A time in the past rings at once, but never within this call. */
  set(name: string, at: number | null): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
    if (at === null || this.#closed) return;
    const wait = Math.min(Math.max(at - this.#now(), 0), LONGEST_TIMER_MS);
    const timer = setTimeout(() => {
      if (this.#now() < at) this.set(name, at);
      else {
        this.#timers.delete(name);
        this.#ring(name);
      }
    }, wait);
    timer.unref();
    this.#timers.set(name, timer);
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
