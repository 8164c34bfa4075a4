import { type Scheduler, type SimulatedProcess, newProcess, runIn } from './scheduler.ts';

/** How long a process may take to stop, in ms, before its host kills it (src/runtime/run-process.ts). */
const stopMs = 40_000;

/** Stops a process: it finishes what it has begun. */
export type Stop = () => Promise<void>;

/** Starts the processes of one program, and a new one for each that ends. */
export class Supervisor {
  #running: SimulatedProcess[] = [];
  #started = 0;
  readonly #scheduler: Scheduler;
  readonly #name: string;
  readonly #compose: (owner: SimulatedProcess) => Promise<Stop>;
  readonly #stops = new WeakMap<SimulatedProcess, Stop>();

  /** `compose` starts the program within its process; it rejects when the start fails. */
  constructor(scheduler: Scheduler, name: string, compose: (owner: SimulatedProcess) => Promise<Stop>) {
    this.#scheduler = scheduler;
    this.#name = name;
    this.#compose = compose;
  }

  get running(): readonly SimulatedProcess[] {
    return this.#running;
  }

  /** Resolves when the process serves, or has ended during its start. */
  async start(): Promise<void> {
    this.#started += 1;
    const owner = newProcess(`${this.#name}-${this.#started}`);
    this.#running.push(owner);
    try {
      this.#stops.set(owner, await runIn(owner, () => this.#compose(owner)));
    } catch (error) {
      // A call of its start was lost. The process ends, and its supervisor starts another.
      if (!owner.isAlive) return;
      this.#scheduler.note(`${owner.name} ended at its start: ${String(error)}`);
      this.kill(owner);
    }
  }

  /** Kills a process, and starts another after a pause. */
  kill(owner: SimulatedProcess): void {
    this.#end(owner);
    const delayMs = this.#scheduler.delay(200, 6_000);
    this.#scheduler.outside(delayMs, `a process starts: ${this.#name}`, () => void this.start());
  }

  /** Stops a process as a rolling restart does: another starts, and this one ends when its work is done. */
  stop(owner: SimulatedProcess): void {
    const stop = this.#stops.get(owner);
    // It has not started yet.
    if (stop === undefined) return this.kill(owner);
    this.#running = this.#running.filter((each) => each !== owner);
    const end = (how: string) => (): void => {
      if (!owner.isAlive) return;
      this.#scheduler.note(`${owner.name} ${how}`);
      this.#end(owner);
    };
    this.#scheduler.outside(stopMs, null, end('was killed because it did not stop'));
    this.#scheduler.runAwake(owner, () => {
      stop().then(end('has stopped'), (error: unknown) => end(`failed to stop: ${String(error)}`)());
    });
    void this.start();
  }

  close(): void {
    for (const owner of this.#running) this.#end(owner);
  }

  #end(owner: SimulatedProcess): void {
    this.#running = this.#running.filter((each) => each !== owner);
    owner.isAlive = false;
    for (const end of owner.atDeath) end();
  }
}
