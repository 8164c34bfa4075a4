import { EventEmitter } from 'node:events';
import { type Scheduler, type SimulatedProcess, runningProcess } from './scheduler.ts';

/** Who holds a lock, by its name. */
let holders = new Map<string, SimulatedProcess | null>();

/** Begins without locks. */
export function forgetLocks(): void {
  holders = new Map();
}

/**
 * The connection on which a leader keeps its locks: the one session of PostgreSQL cannot keep a transaction
 * open beside the others, so the locks are kept here. They end with their process.
 */
export class LeaderClient extends EventEmitter {
  readonly #scheduler: Scheduler;
  readonly #process = runningProcess();

  constructor(scheduler: Scheduler) {
    super();
    this.#scheduler = scheduler;
  }

  async connect(): Promise<void> {
    await this.#scheduler.pause(0.05, 1);
  }

  async query(text: string, values: readonly unknown[] = []): Promise<{ rows: object[] }> {
    await this.#scheduler.pause(0.05, 1);
    if (!text.includes('advisory')) return { rows: [] };
    const names = values[0] as string[];
    return { rows: names.map((name) => ({ name, taken: this.#take(name) })) };
  }

  async end(): Promise<void> {
    for (const [name, holder] of holders) if (holder === this.#process) holders.delete(name);
  }

  #take(name: string): boolean {
    const holder = holders.get(name);
    if (holder !== undefined && holder !== this.#process && holder?.isAlive) return false;
    holders.set(name, this.#process);
    return true;
  }
}
