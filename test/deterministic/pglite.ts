import { PGlite } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { serialize } from 'pg-protocol';
import { migrate } from '../../src/db/server/migrate.ts';
import { simulateGlobals } from './globals.ts';
import { LeaderClient, forgetLocks } from './leader-client.ts';
import { type Batch, type Message, PreparedStatements } from './prepared-statements.ts';
import { Scheduler, type SimulatedProcess, engineProcess, runIn } from './scheduler.ts';
import { SimulatedConnection } from './simulated-connection.ts';
import {
  type PostgresBackend,
  type SimulatedPostgres,
  databaseUrl,
  serveDriver,
} from './simulated-postgres.ts';

const extensions = { pg_trgm, btree_gin };

/** A copy of a database as it is after all migrations. */
export type Template = Blob;

/** Returns a backend that runs PostgreSQL in this process, as PGlite, with copies of the template. */
export function pgliteBackend(template: Template): PostgresBackend {
  return {
    open: (scheduler) => PglitePostgres.open(scheduler, template),
    close: async () => undefined,
  };
}

/** PostgreSQL in this process. Its connections share its one session in turn, a transaction at a time. */
class PglitePostgres implements SimulatedPostgres {
  /** All connections share one session, so no state may stay on a connection. */
  readonly pooler = 'transaction';
  readonly #scheduler: Scheduler;
  readonly #engine: PGlite;
  /** The connection whose transaction is open. */
  #owner: PgliteConnection | null = null;
  readonly #waiting: (() => void)[] = [];
  /** All connections share the engine's prepared statements. */
  readonly #prepared = new PreparedStatements();

  private constructor(engine: PGlite, scheduler: Scheduler) {
    this.#engine = engine;
    this.#scheduler = scheduler;
  }

  static async open(scheduler: Scheduler, template: Template | null): Promise<PglitePostgres> {
    const copy = template === null ? {} : { loadDataDir: template };
    // Also the timers that it starts here are its own.
    const engine = await runIn(engineProcess, async () => {
      const created = await PGlite.create({ extensions, ...copy });
      // Planning each statement again would take longer than running it.
      if (template !== null) await created.exec('SET plan_cache_mode = force_generic_plan');
      return created;
    });
    forgetLocks();
    return new PglitePostgres(engine, scheduler);
  }

  copy(): Promise<Template> {
    return this.#engine.dumpDataDir('none');
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  serve(): (() => void)[] {
    return serveDriver(
      () => new PgliteConnection(this, this.#scheduler),
      () => new LeaderClient(this.#scheduler),
    );
  }

  /** Waits until no other connection has an open transaction, and then gives this one the session. */
  async take(connection: PgliteConnection): Promise<void> {
    while (this.#owner !== null && this.#owner !== connection) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    this.#owner = connection;
  }

  isHeldBy(owner: SimulatedProcess): boolean {
    return this.#owner?.process === owner;
  }

  /** Runs messages of the connection that holds the session. */
  async run(connection: PgliteConnection, batch: Batch): Promise<Message[]> {
    const messages = await this.#prepared.run(batch, (bytes) => this.#execute(bytes));
    const ready = messages.findLast(({ name }) => name === 'readyForQuery');
    if (ready === undefined || ready.status === 'I') this.release(connection);
    return messages;
  }

  /** Rolls back the open transaction of a connection. */
  async abandon(connection: PgliteConnection): Promise<void> {
    if (this.#owner !== connection) return;
    await this.#execute(serialize.query('ROLLBACK'));
    this.release(connection);
  }

  /** Runs messages in the engine, with its own timers and the true clock. */
  #execute(bytes: Uint8Array): Promise<Message[]> {
    return runIn(engineProcess, () => this.#engine.execProtocolStream(bytes, { throwOnError: false }));
  }

  release(connection: PgliteConnection): void {
    if (this.#owner !== connection) return;
    this.#owner = null;
    for (const next of this.#waiting.splice(0)) next();
  }
}

class PgliteConnection extends SimulatedConnection {
  readonly #server: PglitePostgres;

  constructor(server: PglitePostgres, scheduler: Scheduler) {
    super(scheduler);
    this.#server = server;
  }

  protected override async answer(batch: Batch, label: string | null): Promise<Message[]> {
    // Nothing needs the answer of a connection that was closed.
    if (!(await this.#takeAwake())) return new Promise(() => undefined);
    // A separate step, because the engine finishes before anything else happens.
    return new Promise<Message[]>((resolve, reject) => {
      this.scheduler.after(0, label, async () => {
        if (!this.isOpen) return;
        await this.#server.run(this, batch).then(resolve, reject);
      });
    });
  }

  protected override abandon(): Promise<void> {
    return this.#server.abandon(this);
  }

  /** Not while another connection of the process has an open transaction, for which all others wait. */
  protected override mayFreeze(): boolean {
    return this.process === null || !this.#server.isHeldBy(this.process);
  }

  /**
   * Takes the session. A process that is frozen meanwhile leaves it to others, because its row locks are not
   * simulated. Returns false, without the session, when the connection was closed meanwhile.
   */
  async #takeAwake(): Promise<boolean> {
    for (;;) {
      await this.#server.take(this);
      if (!this.isOpen) {
        this.#server.release(this);
        return false;
      }
      if (!this.scheduler.isFrozen(this.process)) return true;
      this.#server.release(this);
      await this.scheduler.pause(0, 0);
    }
  }
}

/** Returns a copy of an empty database with this build's schema, made by its own migrations. */
export async function migratedTemplate(): Promise<Template> {
  const scheduler = new Scheduler(0);
  const putBack = simulateGlobals(() => scheduler, 0);
  const server = await PglitePostgres.open(scheduler, null);
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
    for (const restore of undo) restore();
    await server.close();
    putBack();
  }
}
