import pg from 'pg';
import { replace } from './globals.ts';
import type { Scheduler, SimulatedProcess } from './scheduler.ts';

/** The address of the simulated server. */
export const databaseUrl = 'postgres://postgres@database.simulated:5432/postgres';

/** PostgreSQL as one seed uses it: a migrated database with the simulated clock. */
export interface SimulatedPostgres {
  /** How the service connects: behind a pooler that lends a session for one transaction, or directly. */
  readonly pooler: 'none' | 'transaction';
  /** Replaces the driver's connections by connections to this server. Returns functions that restore them. */
  serve(): (() => void)[];
  /** Whether a process holds a session that all others wait for, so that it may not be frozen now. */
  isHeldBy(owner: SimulatedProcess): boolean;
  close(): Promise<void>;
}

/** What opens a database for each seed. */
export interface PostgresBackend {
  open(scheduler: Scheduler, seed: number): Promise<SimulatedPostgres>;
  close(): Promise<void>;
}

/** The driver's classes before they were replaced. */
const { Client, Pool } = pg;

type ClientClass = new (config?: pg.ClientConfig) => pg.Client;

/** Returns the same class of clients, on simulated connections. */
const simulated = (Base: ClientClass, connect: () => object): ClientClass =>
  class extends Base {
    constructor(given?: unknown) {
      const config = typeof given === 'string' ? { connectionString: given } : (given as object);
      super({ ...config, connection: connect() } as pg.ClientConfig);
    }
  };

/**
 * Makes the driver use these connections. `leader`: returns what a leader of sweeps uses instead of a client.
 * Returns functions that restore the driver.
 */
export function serveDriver(connect: () => object, leader?: () => unknown): (() => void)[] {
  const SimulatedClient = simulated(Client, connect);
  class SimulatedPool extends Pool {
    constructor(config: pg.PoolConfig & { Client?: ClientClass }) {
      const own = config.Client ? simulated(config.Client, connect) : SimulatedClient;
      super({ ...config, Client: own });
    }
  }
  const clientOf = function (config: pg.ClientConfig): unknown {
    const isLeader = config.application_name === 'card-payments-sweeps';
    return isLeader && leader ? leader() : new SimulatedClient(config);
  };
  return [replace(pg, 'Client', clientOf), replace(pg, 'Pool', SimulatedPool)];
}
