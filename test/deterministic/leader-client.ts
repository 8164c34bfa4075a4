import { EventEmitter } from 'node:events';
import { type Planned, type Scheduler, runningProcess } from './scheduler.ts';

/** The session that holds each lock, by the lock's name. */
let holders = new Map<string, LeaderClient>();

/** Removes all locks. */
export function forgetLocks(): void {
  holders = new Map();
}

/**
 * The connection on which a leader holds its locks. PostgreSQL's one session cannot keep a transaction open
 * beside the others, so the locks are kept here. They end with their process, and with a session that sends
 * nothing for the idle timeout that it has set.
 */
export class LeaderClient extends EventEmitter {
  readonly #scheduler: Scheduler;
  readonly #process = runningProcess();
  /** How long the session may send nothing, in ms. */
  #idleMs = Infinity;
  #idle: Planned | null = null;
  #isOpen = true;

  constructor(scheduler: Scheduler) {
    super();
    this.#scheduler = scheduler;
  }

  async connect(): Promise<void> {
    await this.#scheduler.pause(0.05, 1);
  }

  async query(text: string, values: readonly unknown[] = []): Promise<{ rows: object[] }> {
    await this.#scheduler.pause(0.05, 1);
    if (!this.#isOpen) throw new Error('Connection terminated');
    // PostgreSQL takes 0 for no timeout.
    const idleMs = /idle\w*_session_timeout = (\d+)/.exec(text)?.[1];
    if (idleMs !== undefined) this.#idleMs = Number(idleMs) || Infinity;
    this.#waitForNext();
    if (!text.includes('advisory')) return { rows: [] };
    const names = values[0] as string[];
    return { rows: names.map((name) => ({ name, taken: this.#take(name) })) };
  }

  async end(): Promise<void> {
    this.#close();
  }

  #take(name: string): boolean {
    const holder = holders.get(name);
    if (holder !== undefined && holder !== this && holder.#process?.isAlive) return false;
    holders.set(name, this);
    return true;
  }

  /** Ends an idle session after its timeout, like the server. A hanging process notices when it continues. */
  #waitForNext(): void {
    this.#idle?.cancel();
    if (!Number.isFinite(this.#idleMs)) return;
    this.#idle = this.#scheduler.outside(this.#idleMs, null, () => {
      this.#close();
      const owner = this.#process;
      if (owner)
        this.#scheduler.runAwake(owner, () => void this.emit('error', new Error('idle for too long')));
    });
  }

  #close(): void {
    this.#isOpen = false;
    this.#idle?.cancel();
    for (const [name, holder] of holders) if (holder === this) holders.delete(name);
  }
}
