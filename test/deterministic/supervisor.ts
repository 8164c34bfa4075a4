import { type Scheduler, type SimulatedProcess, newProcess, runIn } from './scheduler.ts';

/** Starts the processes of one program, and a new one for each that ends. */
export class Supervisor {
  #running: SimulatedProcess[] = [];
  #started = 0;
  readonly #scheduler: Scheduler;
  readonly #name: string;
  readonly #compose: (owner: SimulatedProcess) => Promise<void>;

  /** `compose` starts the program within its process; it rejects when the start fails. */
  constructor(scheduler: Scheduler, name: string, compose: (owner: SimulatedProcess) => Promise<void>) {
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
      await runIn(owner, () => this.#compose(owner));
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

  close(): void {
    for (const owner of this.#running) this.#end(owner);
  }

  #end(owner: SimulatedProcess): void {
    this.#running = this.#running.filter((each) => each !== owner);
    owner.isAlive = false;
    for (const end of owner.atDeath) end();
  }
}
