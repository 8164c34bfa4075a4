import { EventEmitter } from 'node:events';
import { PGlite } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import pg from 'pg';
import { serialize } from 'pg-protocol';
import { migrate } from '../../src/db/server/migrate.ts';
import { replace } from './globals.ts';
import { LeaderClient } from './leader-client.ts';
import { type Scheduler, type SimulatedProcess, engineProcess, runIn, runningProcess } from './scheduler.ts';

/** The address of the simulated server. */
export const databaseUrl = 'postgres://postgres@database.simulated:5432/postgres';

const extensions = { pg_trgm, btree_gin };

/** A copy of a database as it is after all migrations. */
export type Template = Blob;

/** PostgreSQL in this process. Its connections share its one session in turn, a transaction at a time. */
export class SimulatedPostgres {
  readonly scheduler: () => Scheduler;
  readonly #engine: PGlite;
  /** The connection whose transaction is open. */
  #owner: SimulatedConnection | null = null;
  readonly #waiting: (() => void)[] = [];
  /** Names of the statements that the engine has prepared, by their texts and types of parameters. */
  readonly #prepared = new Map<string, string>();

  private constructor(engine: PGlite, scheduler: () => Scheduler) {
    this.#engine = engine;
    this.scheduler = scheduler;
  }

  static async open(scheduler: () => Scheduler, template: Template | null): Promise<SimulatedPostgres> {
    const copy = template === null ? {} : { loadDataDir: template };
    const engine = await PGlite.create({ extensions, ...copy });
    // Planning each statement again would take longer than running it.
    if (template !== null) await engine.exec('SET plan_cache_mode = force_generic_plan');
    return new SimulatedPostgres(engine, scheduler);
  }

  copy(): Promise<Template> {
    return this.#engine.dumpDataDir('none');
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  /** Replaces the driver's connections by connections to this server. Returns functions that restore them. */
  serve(): (() => void)[] {
    const connect = (): SimulatedConnection => new SimulatedConnection(this);
    const { Client, Pool } = pg;
    class SimulatedClient extends Client {
      constructor(given?: unknown) {
        const config = typeof given === 'string' ? { connectionString: given } : (given as object);
        super({ ...config, connection: connect() } as pg.ClientConfig);
      }
    }
    class SimulatedPool extends Pool {
      constructor(config: pg.PoolConfig) {
        super({ ...config, Client: SimulatedClient });
      }
    }
    const { scheduler } = this;
    const clientOf = function (config: pg.ClientConfig): unknown {
      const isLeader = config.application_name === 'card-payments-sweeps';
      return isLeader ? new LeaderClient(scheduler()) : new SimulatedClient(config);
    };
    return [replace(pg, 'Client', clientOf), replace(pg, 'Pool', SimulatedPool)];
  }

  /** Waits until no other connection has an open transaction, and then gives this one the session. */
  async take(connection: SimulatedConnection): Promise<void> {
    while (this.#owner !== null && this.#owner !== connection) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    this.#owner = connection;
  }

  /** Whether a process holds the session, so that all others wait. */
  isHeldBy(owner: SimulatedProcess): boolean {
    return this.#owner?.process === owner;
  }

  /** The name of the prepared statement with this key; undefined when it has to be parsed first. */
  preparedAs(key: string): string | undefined {
    return this.#prepared.get(key);
  }

  /** Runs messages of the connection that holds the session. */
  async run(connection: SimulatedConnection, { bytes, parses }: Batch): Promise<Message[]> {
    const messages = await this.#execute(bytes);
    if (parses !== null && messages.some(({ name }) => name === 'parseComplete')) {
      this.#prepared.set(parses.key, parses.name);
    }
    const ready = messages.findLast(({ name }) => name === 'readyForQuery');
    if (ready === undefined || ready.status === 'I') this.release(connection);
    return messages;
  }

  /** Rolls back the open transaction of a connection. */
  async abandon(connection: SimulatedConnection): Promise<void> {
    if (this.#owner !== connection) return;
    await this.#execute(serialize.query('ROLLBACK'));
    this.release(connection);
  }

  /** Runs messages in the engine, with its own timers and the true clock. */
  #execute(bytes: Uint8Array): Promise<Message[]> {
    return runIn(engineProcess, () => this.#engine.execProtocolStream(bytes, { throwOnError: false }));
  }

  release(connection: SimulatedConnection): void {
    if (this.#owner !== connection) return;
    this.#owner = null;
    for (const next of this.#waiting.splice(0)) next();
  }
}

export interface Message {
  name: string;
  status?: string;
}

/** Messages up to a Sync, and the statement that they prepare. */
interface Batch {
  bytes: Uint8Array;
  parses: { key: string; name: string } | null;
}

let numbered = 0;
let statements = 0;

/** Whether a text without parameters is one statement that is the same on every connection. */
const isPreparable = (text: string): boolean =>
  /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text) && !/;|pg_backend_pid/.test(text);

/** The server's side of the driver's client, in place of a socket. */
class SimulatedConnection extends EventEmitter {
  readonly stream = { destroy: (): void => this.end(), on: () => undefined };
  readonly parsedStatements = {};
  readonly submittedNamedStatements = {};
  readonly #server: SimulatedPostgres;
  readonly process: SimulatedProcess | null;
  #batch: Uint8Array[] = [];
  #text = '';
  /** The name under which the engine knows, or will know, the statement of this batch. */
  #statement = '';
  #parses: Batch['parses'] = null;
  #last: Promise<void> = Promise.resolve();
  #isOpen = true;
  readonly #number = (numbered += 1);
  readonly #die = (): void => void this.#lose();

  constructor(server: SimulatedPostgres) {
    super();
    this.#server = server;
    this.process = runningProcess();
    this.process?.atDeath.add(this.#die);
  }

  connect(): void {
    process.nextTick(() => this.emit('readyForQuery', { name: 'readyForQuery', status: 'I' }));
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
    this.#text = text;
    // At a real server each connection would have its own process id.
    this.#batch.push(serialize.query(text.replaceAll('pg_backend_pid()', String(this.#number))));
    this.#send();
  }

  /** Parses a text that the engine does not know yet. All connections share its prepared statements. */
  parse({ text, types = [] }: { text: string; types?: number[] }): void {
    this.#text = text;
    const key = `${types.join()} ${text}`;
    const known = this.#server.preparedAs(key);
    this.#statement = known ?? `s${(statements += 1)}`;
    if (known !== undefined) return;
    this.#parses = { key, name: this.#statement };
    this.#batch.push(serialize.parse({ text, types, name: this.#statement }));
  }

  bind(config: object): void {
    this.#batch.push(serialize.bind({ ...config, statement: this.#statement }));
  }

  describe(message: { type: 'S' | 'P'; name?: string }): void {
    this.#batch.push(serialize.describe(message));
  }

  execute(config: object): void {
    this.#batch.push(serialize.execute(config));
  }

  close(message: { type: 'S' | 'P'; name?: string }): void {
    this.#batch.push(serialize.close(message));
  }

  flush(): void {}
  requestSsl(): void {}
  startup(): void {}
  cancel(): void {}
  ref(): void {}
  unref(): void {}

  sync(): void {
    this.#batch.push(serialize.sync());
    this.#send();
  }

  end(): void {
    void this.#lose().then(() => this.emit('end'));
  }

  async #lose(): Promise<void> {
    this.#isOpen = false;
    this.process?.atDeath.delete(this.#die);
    await this.#server.abandon(this);
  }

  #send(): void {
    const batch = { bytes: Buffer.concat(this.#batch.splice(0)), parses: this.#parses };
    const text = this.#text;
    this.#parses = null;
    this.#last = this.#last.then(() => this.#exchange(batch, text));
  }

  async #exchange(batch: Batch, text: string): Promise<void> {
    if (!this.#isOpen) return;
    const scheduler = this.#server.scheduler();
    const ofService = this.process !== null;
    if (ofService) {
      await scheduler.pause(0.05, 1.5);
      if (!this.#isOpen) return;
      if (scheduler.draws('statement lost before it ran', 0.002)) return this.#break();
    }
    await this.#takeAwake(scheduler);
    // A separate step, because the engine finishes before anything else happens.
    const messages = await new Promise<Message[]>((resolve, reject) => {
      scheduler.after(0, ofService ? `sql ${this.process?.name}: ${brief(text)}` : null, async () => {
        await this.#server.run(this, batch).then(resolve, reject);
      });
    });
    if (!this.#isOpen || this.process?.isAlive === false) return;
    const isCommit = text === 'COMMIT' || /^(INSERT|UPDATE|DELETE|WITH)/.test(text.trimStart());
    if (ofService && isCommit && scheduler.draws('answer to a commit lost', 0.01)) return this.#break();
    for (const message of messages) {
      if (message.name === 'error') this.emit('errorMessage', message);
      else this.emit(message.name, message);
    }
  }

  /**
   * Takes the session. A process that is frozen meanwhile leaves it to others, because its row locks are not
   * simulated.
   */
  async #takeAwake(scheduler: Scheduler): Promise<void> {
    for (;;) {
      await this.#server.take(this);
      if (!scheduler.isFrozen(this.process)) return;
      this.#server.release(this);
      await scheduler.pause(0, 0);
    }
  }

  #break(): void {
    void this.#lose();
    this.emit(
      'error',
      Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' }),
    );
  }
}

const brief = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 60);

/** Returns a copy of an empty database with this build's schema, made by its own migrations. */
export async function migratedTemplate(scheduler: Scheduler): Promise<Template> {
  const server = await SimulatedPostgres.open(() => scheduler, null);
  const undo = server.serve();
  try {
    let failed: unknown;
    let over = false;
    migrate(databaseUrl)
      .catch((error: unknown) => {
        failed = error;
      })
      .finally(() => {
        over = true;
      });
    await scheduler.play(() => over);
    if (failed !== undefined) throw failed;
    return await server.copy();
  } finally {
    for (const putBack of undo) putBack();
    await server.close();
  }
}
