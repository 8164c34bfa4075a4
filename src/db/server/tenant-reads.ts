import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import {
  type Database,
  type DatabaseOptions,
  inTransaction,
  openDatabase,
  type Queryable,
  withConnection,
} from './database.ts';
import { readArchiveSql } from '../payments/archive.ts';
import type { Tenant } from '../payments/payments.ts';

/** Reads that see the rows of one tenant only, whatever the statement says. */
export interface TenantReads {
  /**
   * Runs `work` on a connection bound to the tenant: at most one round trip more, none when it last served
   * the same. Behind a pooler `work` is one transaction: two round trips more.
   */
  read<T>(tenant: Tenant, work: (database: Queryable) => Promise<T>): Promise<T>;
  end(): Promise<void>;
  /** Of the pool, as metrics count them. */
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

const archive = new AsyncLocalStorage<true>();

/** Runs `work`: what it reads by `TenantReads` is read of archived payments. ADR 0078. */
export const readingArchive = <T>(work: () => T): T => archive.run(true, work);

/** Returns whether what runs now reads archived payments. */
export const isReadingArchive = (): boolean => archive.getStore() === true;

/**
 * Opens the pool of the merchant reads. Its connections take the role `card_payments_tenant`, which may
 * select and nothing else, and which row-level security binds to the tenant named
 * (migrations/0001_tenants.sql, ADR 0008): a statement that forgets its WHERE clause answers no stranger's
 * row. Where a connection is lent for a transaction, so is the tenant's name: set for the session, it would
 * be the next one's.
 */
export function openTenantReads(options: DatabaseOptions): TenantReads {
  const pool = openDatabase(options);
  const usual = options.pooler === 'transaction' ? readInTransactions(pool) : readOnSessions(pool);
  const archived = readInTransactions(pool, readArchiveSql);
  return {
    read: (tenant, work) => (isReadingArchive() ? archived : usual)(tenant, work),
    end: () => pool.end(),
    get totalCount() {
      return pool.totalCount;
    },
    get idleCount() {
      return pool.idleCount;
    },
    get waitingCount() {
      return pool.waitingCount;
    },
  };
}

function readOnSessions(pool: Database): TenantReads['read'] {
  /** The tenant a connection was last bound to. */
  const bound = new WeakMap<object, string>();
  return ({ merchantId, environment }, work) =>
    withConnection(pool, async (connection, broken) => {
      const tenant = `${environment}:${merchantId}`;
      try {
        if (bound.get(connection) !== tenant) {
          bound.delete(connection);
          await connection.query(
            `SELECT set_config('role', 'card_payments_tenant', false), set_config('card_payments.merchant', $1, false),
               set_config('card_payments.environment', $2, false)`,
            [merchantId, environment],
          );
          bound.set(connection, tenant);
        }
        return await work(connection);
      } catch (error) {
        // What it is bound to is uncertain now: it is not used again.
        broken(error);
        throw error;
      }
    });
}

/** `first`: a statement that each transaction begins with. */
const readInTransactions =
  (pool: Database, first = ''): TenantReads['read'] =>
  ({ merchantId, environment }, work) =>
    inTransaction(
      pool,
      work,
      `SELECT set_config('role', 'card_payments_tenant', true),
         set_config('card_payments.merchant', ${pg.escapeLiteral(merchantId)}, true),
         set_config('card_payments.environment', ${pg.escapeLiteral(environment)}, true); ${first}`,
    );
