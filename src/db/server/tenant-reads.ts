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

/** Reads that see only one tenant's rows, whatever the statement selects. */
export interface TenantReads {
  /**
   * Runs `work` on a connection bound to the tenant. It takes at most one more round trip, and none if the
   * connection last served the same tenant. Behind a pooler `work` is one transaction: two more round trips.
   */
  read<T>(tenant: Tenant, work: (database: Queryable) => Promise<T>): Promise<T>;
  end(): Promise<void>;
  /** The number of the pool's connections, for metrics. */
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

const archive = new AsyncLocalStorage<true>();

/** Runs `work`, in which reads through `TenantReads` read archived payments. ADR 0078. */
export const readingArchive = <T>(work: () => T): T => archive.run(true, work);

/** Returns whether the current code reads archived payments. */
export const isReadingArchive = (): boolean => archive.getStore() === true;

/**
 * Opens the pool of the merchant reads. Its connections take the role `card_payments_tenant`, which may only
 * select, and which row-level security binds to the named tenant (migrations/0001_tenants.sql, ADR 0008), so
 * that a statement without its WHERE clause returns no other merchant's row. If a connection is lent for one
 * transaction, the tenant's name is set for that transaction too: set for the session, it would apply to the
 * next borrower.
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
  /** The tenant to which a connection was last bound. */
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
        // It is uncertain to which tenant the connection is bound now, so it is not used again.
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
