import { EventEmitter } from 'node:events';
import { serialize } from 'pg-protocol';
import type { Batch, Message, ParsedText } from './prepared-statements.ts';
import { withRefusedText } from './refused-texts.ts';
import { type Scheduler, runningProcess } from './scheduler.ts';
import { stallBefore } from './stalls.ts';

let numbered = 0;

/** Whether a text without parameters is one statement that is the same on every connection. */
const isPreparable = (text: string): boolean =>
  /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text) && !/;|pg_backend_pid/.test(text);

/** The server's side of the driver's client, in place of a socket. */
export abstract class SimulatedConnection extends EventEmitter {
  readonly stream = { destroy: (): void => this.end(), on: () => undefined };
  readonly parsedStatements = {};
  readonly submittedNamedStatements = {};
  /** The driver's own name: without it, the driver's client ends without closing its connection. */
  _connecting = false;
  readonly process = runningProcess();
  readonly scheduler: Scheduler;
  protected isOpen = true;
  /** The texts of the driver's named statements. */
  readonly #named = new Map<string, ParsedText>();
  #batch: Batch = emptyBatch();
  /** Whether its transaction is open, by the server's last answer. */
  #inTransaction = false;
  #last: Promise<void> = Promise.resolve();
  readonly #number = (numbered += 1);
  readonly #die = (): void => void this.#lose();

  constructor(scheduler: Scheduler) {
    super();
    this.scheduler = scheduler;
    this.process?.atDeath.add(this.#die);
  }

  /** Runs a batch as a step with this label. Never resolves when the connection was lost before it ran. */
  protected abstract answer(batch: Batch, label: string | null): Promise<Message[]>;

  /** Whether its process may be frozen now. */
  protected abstract mayFreeze(): boolean;

  /** Ends the session, and rolls back its open transaction. */
  protected abstract abandon(): Promise<void>;

  connect(): void {
    Object.assign(this, { _connecting: true });
    process.nextTick(() => {
      this.emit('connect');
      this.emit('readyForQuery', { name: 'readyForQuery', status: 'I' });
    });
  }

  query(text: string): void {
    if (isPreparable(text)) {
      this.parse({ text });
      this.bind({});
      this.describe({ type: 'P' });
      this.execute({});
      this.sync();
      return;
    }
    this.#batch.text = text;
    // At a real server each connection would have its own process id.
    const sent = serialize.query(this.amended(text).replaceAll('pg_backend_pid()', String(this.#number)));
    this.#batch.messages.push(() => sent);
    this.#send();
  }

  /** Returns the text to send instead of a simple query. */
  protected amended(text: string): string {
    return text;
  }

  parse({ name, ...parsed }: ParsedText & { name?: string }): void {
    if (name) this.#named.set(name, parsed);
    this.#batch.parsed = parsed;
    this.#batch.text = parsed.text;
  }

  bind(config: { statement?: string; values?: unknown[] }): void {
    this.#batch.paymentId = idOf(config.values?.[0]);
    const parsed = this.#named.get(config.statement ?? '');
    if (parsed) this.parse(parsed);
    const ofService = this.process !== null;
    const values = ofService
      ? withRefusedText(this.#batch.text, config.values, this.scheduler)
      : config.values;
    this.#batch.messages.push((statement) =>
      serialize.bind({ ...config, ...(values && { values }), statement }),
    );
  }

  describe(message: { type: 'S' | 'P'; name?: string }): void {
    this.#batch.messages.push(() => serialize.describe(message));
  }

  execute(config: object): void {
    this.#batch.messages.push(() => serialize.execute(config));
  }

  close(message: { type: 'S' | 'P'; name?: string }): void {
    this.#batch.messages.push(() => serialize.close(message));
  }

  flush(): void {}
  requestSsl(): void {}
  startup(_settings: Record<string, string>): void {}
  cancel(): void {}
  ref(): void {}
  unref(): void {}

  sync(): void {
    this.#batch.messages.push(() => serialize.sync());
    this.#send();
  }

  end(): void {
    void this.#lose().then(() => this.emit('end'));
  }

  async #lose(): Promise<void> {
    this.isOpen = false;
    this.process?.atDeath.delete(this.#die);
    await this.abandon();
  }

  #send(): void {
    const batch = this.#batch;
    this.#batch = emptyBatch();
    this.#last = this.#last.then(() => this.#exchange(batch));
  }

  async #exchange(batch: Batch): Promise<void> {
    if (!this.isOpen) return;
    const { scheduler } = this;
    const ofService = this.process !== null;
    if (this.process !== null) {
      await scheduler.pause(0.05, 1.5);
      if (!this.isOpen) return;
      const mayStall = !this.#inTransaction && this.mayFreeze();
      const met = mayStall ? await stallBefore(batch, this.process, scheduler) : 'sent';
      if (!this.isOpen) return;
      if (met === 'lost') return this.break();
      if (scheduler.draws('statement lost before it ran', 0.002)) return this.break();
    }
    const messages = await this.answer(
      batch,
      ofService ? `sql ${this.process?.name}: ${brief(batch)}` : null,
    );
    if (!this.isOpen || this.process?.isAlive === false) return;
    const status = messages.findLast(({ name }) => name === 'readyForQuery')?.status ?? 'I';
    this.#inTransaction = status !== 'I';
    const isCommit = batch.text === 'COMMIT' || /^(INSERT|UPDATE|DELETE|WITH)/.test(batch.text.trimStart());
    if (ofService && isCommit && scheduler.draws('answer to a commit lost', 0.01)) return this.break();
    for (const message of messages) {
      if (message.name === 'error') this.emit('errorMessage', message);
      else this.emit(message.name, message);
    }
  }

  /** Loses the connection, as its client notices it. */
  protected break(reason = 'Connection terminated unexpectedly', code = 'ECONNRESET'): void {
    void this.#lose();
    this.emit('error', Object.assign(new Error(reason), { code }));
  }
}

const emptyBatch = (): Batch => ({ text: '', paymentId: null, parsed: null, messages: [] });

/** Returns a first value that is an id: in statements of payments it is the payment's. */
const idOf = (value: unknown): string | null =>
  typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value) ? value : null;

export const brief = ({ text }: Batch): string => text.replace(/\s+/g, ' ').trim().slice(0, 60);
