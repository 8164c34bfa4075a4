import { type Batch, type Message } from './prepared-statements.ts';
import type { Planned, Scheduler } from './scheduler.ts';
import type { ServerPostgres, Session } from './server-postgres.ts';
import { SimulatedConnection } from './simulated-connection.ts';
import { withoutRealTime } from './simulated-sql.ts';

/** How often a statement arrives late, so that its transaction holds locks for longer. */
const heldShare = 0.01;
/** How late a statement may arrive, in ms. */
const heldMs = 400;

/** How long the server may take until it notices that a client has gone, in ms. */
const noticeMs = 2;

/**
 * A connection to a session of its own. Its timeouts are those that production sets, by the simulated clock.
 */
export class ServerConnection extends SimulatedConnection {
  readonly #server: ServerPostgres;
  #session: Session | null = null;
  /** PostgreSQL's timeouts in ms, by their names. */
  readonly #timeouts = new Map<string, number>();
  /** Ends the session if no statement comes. */
  #idle: Planned | null = null;

  constructor(server: ServerPostgres, scheduler: Scheduler) {
    super(scheduler);
    this.#server = server;
  }

  override startup(settings: Record<string, string>): void {
    for (const [name, value] of Object.entries(settings)) {
      if (name.endsWith('_timeout')) this.#timeouts.set(name, Number(value));
    }
  }

  protected override amended(text: string): string {
    return withoutRealTime(text, (name, ms) => this.#timeouts.set(name, ms));
  }

  protected override async answer(batch: Batch, label: string | null): Promise<Message[]> {
    if (label !== null && this.scheduler.draws('statement held', heldShare)) {
      await this.scheduler.pause(1, heldMs);
    }
    const messages = await new Promise<Message[]>((resolve) => {
      this.scheduler.after(0, label, () => {
        if (this.isOpen) this.#send(batch, label ?? 'sql of the harness', resolve);
      });
    });
    // PostgreSQL goes on while the process is frozen.
    if (this.scheduler.isFrozen(this.process)) await this.scheduler.pause(0, 0);
    return messages;
  }

  #send(batch: Batch, label: string, resolve: (messages: Message[]) => void): void {
    this.#idle?.cancel();
    const session = (this.#session ??= this.#server.acquire());
    const longestMs = this.#timeouts.get('statement_timeout') || Infinity;
    this.#server.send({
      ...{ session, batch, label },
      cancelAtMs: this.scheduler.nowMs + longestMs,
      answered: (messages) => {
        this.#waitForNext(session);
        resolve(messages);
      },
    });
  }

  /** Ends the session when it sends nothing for as long as production allows. */
  #waitForNext({ status }: Session): void {
    const name = status === 'I' ? 'idle_session_timeout' : 'idle_in_transaction_session_timeout';
    const idleMs = this.#timeouts.get(name) || Infinity;
    if (!Number.isFinite(idleMs)) return;
    this.#idle = this.scheduler.outside(idleMs, `idle for too long: ${this.process?.name}`, () => {
      this.isOpen = false;
      this.#leave(0);
      const { process: owner } = this;
      const notice = (): void => this.break(`terminating connection due to ${name}`, '57P05');
      if (owner === null) notice();
      else this.scheduler.runAwake(owner, notice);
    });
  }

  protected override mayFreeze(): boolean {
    return true;
  }

  protected override async abandon(): Promise<void> {
    this.#leave(this.scheduler.delay(0, noticeMs));
  }

  #leave(delayMs: number): void {
    this.#idle?.cancel();
    const session = this.#session;
    this.#session = null;
    if (session !== null) this.scheduler.outside(delayMs, null, () => this.#server.release(session));
  }
}
