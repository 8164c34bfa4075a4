import { serialize } from 'pg-protocol';
import { AnswerParser } from './answer-parser.ts';
import { type Batch, type Message, PreparedStatements } from './prepared-statements.ts';
import type { Planned, Scheduler } from './scheduler.ts';
import type { ServerThread } from './server-calls.ts';
import { ServerConnection } from './server-connection.ts';
import { type SimulatedPostgres, serveDriver } from './simulated-postgres.ts';
import { type ServerClock, beginsAt } from './simulated-sql.ts';

/** A session of the server. It is used again when its connection has ended. */
export interface Session {
  readonly pid: number;
  readonly prepared: PreparedStatements;
  /** `I`: no transaction; `T`: one is open; `E`: it has failed. */
  status: string;
  /** The statement that waits for a lock. */
  waiting: Statement | null;
}

/** A batch that was sent to a session. */
export interface Statement {
  session: Session;
  batch: Batch;
  /** What the batch is called in the story. */
  label: string;
  /** When PostgreSQL cancels it, in simulated epoch ms. */
  cancelAtMs: number;
  /** Called with the answer. */
  answered: (messages: Message[]) => void;
}

interface Waiter {
  statement: Statement;
  parses: ReturnType<PreparedStatements['encode']>['parses'];
  /** How many answers precede that of the batch. */
  before: number;
  /** The checks that end the wait. */
  timers: Planned[];
}

export interface ServerOptions {
  thread: ServerThread;
  clock: ServerClock;
  scheduler: Scheduler;
  database: string;
  seed: number;
}

/** How long PostgreSQL waits before it looks for a deadlock, in ms. */
const deadlockMs = 1_000;
/** How long a process of the server may take until it notices that it may continue, in ms. */
const wakeMs = 0.5;
/** Ids of SQL that differ between seeds. */
const idsOfSeed = 1_000_000;

const canceled = '57014';

/**
 * A database of a real PostgreSQL, whose sessions run one at a time. A statement that waits for a lock lets
 * the scheduler go on. Its process is stopped until the scheduler lets it continue, so that the seed decides
 * which of several waiting statements is the next one.
 */
export class ServerPostgres implements SimulatedPostgres {
  readonly pooler = 'none';
  readonly #options: ServerOptions;
  readonly #parser = new AnswerParser();
  /** The sessions that no connection uses. */
  readonly #free: Session[] = [];
  readonly #sessions: Session[] = [];
  /** In the order in which they began to wait. */
  #waiting: Waiter[] = [];

  constructor(options: ServerOptions) {
    this.#options = options;
    const session = this.acquire();
    this.#exchange(
      session,
      serialize.query(`SELECT setval('simulated_ids', ${1 + options.seed * idsOfSeed})`),
    );
    this.#free.push(session);
  }

  serve(): (() => void)[] {
    return serveDriver(() => new ServerConnection(this, this.#options.scheduler));
  }

  /** A frozen process keeps its locks, and all that do not need them continue. */
  isHeldBy(): boolean {
    return false;
  }

  async close(): Promise<void> {
    const { thread, database } = this.#options;
    thread.call(
      'end',
      this.#sessions.map(({ pid }) => pid),
    );
    thread.call('administer', `DROP DATABASE ${database} WITH (FORCE)`);
  }

  /** Returns a session that no connection uses. */
  acquire(): Session {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const pid = this.#options.thread.call('open', this.#options.database);
    const session = { pid, prepared: new PreparedStatements(), status: 'I', waiting: null };
    this.#sessions.push(session);
    return session;
  }

  /**
   * Sends a statement. Its answer comes within this call, or in a later step if it has to wait for a lock.
   */
  send(statement: Statement): void {
    const { session, batch } = statement;
    const { bytes, parses } = session.prepared.encode(batch);
    const beginning =
      session.status === 'I' ? [serialize.query(beginsAt(this.#options.scheduler.nowMs))] : [];
    const before = beginning.length;
    const all = Buffer.concat([...beginning, bytes]);
    const answer = this.#run((served) => served.call('send', session.pid, all, before + 1));
    this.#proceed({ statement, parses, before, timers: [] }, answer);
  }

  /**
   * Ends the use of a session: at once, or when its statement has been answered, because a process that waits
   * does not notice that its client has gone.
   */
  release(session: Session): void {
    if (session.waiting !== null) {
      session.waiting.answered = () => this.release(session);
      return;
    }
    const reset = 'ROLLBACK; RESET ALL; RESET ROLE; SELECT pg_advisory_unlock_all()';
    this.#exchange(session, serialize.query(reset));
    session.status = 'I';
    this.#free.push(session);
    this.#lookAgain();
  }

  /** Lets a session run at the simulated time. */
  #run(work: (served: ServerThread) => Uint8Array | null): Uint8Array | null {
    const { clock, scheduler, thread } = this.#options;
    clock.set(scheduler.nowMs);
    return work(thread);
  }

  /** Sends messages that wait for no lock. */
  #exchange({ pid }: Session, bytes: Uint8Array): Message[] {
    const answer = this.#run((served) => served.call('send', pid, bytes, 1));
    if (answer === null) throw new Error('a statement of the simulation waits for a lock');
    return this.#parser.read(answer);
  }

  /** Passes on an answer, or begins to wait when there is none. */
  #proceed(waiter: Waiter, answer: Uint8Array | null): void {
    const { statement, parses, before } = waiter;
    const { session } = statement;
    if (answer === null) return this.#wait(waiter);
    session.waiting = null;
    const messages = withoutFirst(this.#parser.read(answer), before);
    session.status = messages.at(-1)?.status ?? 'I';
    session.prepared.learn(parses, messages);
    statement.answered(messages);
    this.#lookAgain();
  }

  #wait(waiter: Waiter): void {
    const { scheduler } = this.#options;
    const { statement } = waiter;
    statement.session.waiting = statement;
    this.#waiting.push(waiter);
    scheduler.note(`waits for a lock: ${statement.label}`);
    waiter.timers = [
      scheduler.outside(deadlockMs, null, () => {
        if (this.#isDeadlocked(waiter)) this.#fail(waiter, '40P01', 'deadlock detected');
      }),
    ];
    if (!Number.isFinite(statement.cancelAtMs)) return;
    const cancelMs = statement.cancelAtMs - scheduler.nowMs;
    const cancel = (): void => this.#fail(waiter, canceled, 'canceling statement due to statement timeout');
    waiter.timers.push(scheduler.outside(cancelMs, null, cancel));
  }

  /** Plans the next step of each waiting statement that has been given its lock. */
  #lookAgain(): void {
    if (this.#waiting.length === 0) return;
    const { thread, scheduler } = this.#options;
    const pids = this.#waiting.map(({ statement }) => statement.session.pid);
    const granted = new Set(thread.call('granted', pids));
    const isGranted = ({ statement }: Waiter): boolean => granted.has(statement.session.pid);
    for (const waiter of this.#waiting.filter(isGranted)) {
      this.#leave(waiter);
      const { label, session } = waiter.statement;
      scheduler.outside(scheduler.delay(0, wakeMs), `has its lock: ${label}`, () => {
        this.#proceed(
          waiter,
          this.#run((served) => served.call('resume', session.pid)),
        );
      });
    }
  }

  #leave(waiter: Waiter): void {
    for (const timer of waiter.timers) timer.cancel();
    this.#waiting = this.#waiting.filter((each) => each !== waiter);
  }

  /** Ends a wait with an error, as PostgreSQL does when a time has passed. */
  #fail(waiter: Waiter, code: string, message: string): void {
    const { label, session, answered } = waiter.statement;
    this.#leave(waiter);
    this.#options.scheduler.note(`${message}: ${label}`);
    waiter.statement.answered = (messages) => {
      for (const each of messages) if (each.code === canceled) Object.assign(each, { code, message });
      answered(messages);
    };
    this.#proceed(
      waiter,
      this.#run((served) => served.call('cancel', session.pid)),
    );
  }

  /** Whether a process waits, over others, for itself. */
  #isDeadlocked({ statement }: Waiter): boolean {
    const { pid } = statement.session;
    const pairs = this.#options.thread.call('blockers');
    const reached = new Set<number>();
    const next = [pid];
    for (let at = next.pop(); at !== undefined; at = next.pop()) {
      for (const [waiting, holder] of pairs) {
        if (waiting !== at || reached.has(holder)) continue;
        reached.add(holder);
        next.push(holder);
      }
    }
    return reached.has(pid);
  }
}

/** Returns the messages after the first so many answers. */
function withoutFirst(messages: Message[], answers: number): Message[] {
  let from = 0;
  for (let left = answers; left > 0; left -= 1) {
    from = 1 + messages.findIndex(({ name }, index) => index >= from && name === 'readyForQuery');
  }
  return messages.slice(from);
}
