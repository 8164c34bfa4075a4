import pg from 'pg';
import {
  type Database,
  type DatabaseOptions,
  inTransaction,
  openDatabase,
  type Queryable,
  withConnection,
} from './database.ts';
import type { Tenant } from '../payments/payments.ts';

/** Reads that can return only the rows of one tenant, whatever the statement is. */
export interface TenantReads {
  /**
   * Runs `work` on a connection bound to the tenant. It costs at most one extra round trip, and none when the
   * connection last served the same tenant. Behind a pooler `work` is one transaction: two extra round trips.
   */
  read<T>(tenant: Tenant, work: (database: Queryable) => Promise<T>): Promise<T>;
  end(): Promise<void>;
}

/**
 * Opens the pool of the merchant reads. Its connections use the role `card_payments_tenant`, which can only
 * select, and which row-level security binds to the tenant that is set (migrations/0001_tenants.sql, ADR
 * 0008): a statement that lacks its WHERE clause returns no row of another merchant. Where a connection is
 * lent for one transaction, the tenant is set for that transaction only, because the next borrower would
 * inherit a setting of the session.
 */
export function openTenantReads(options: DatabaseOptions): TenantReads {
  const pool = openDatabase(options);
  return {
    read: options.pooler === 'transaction' ? readInTransactions(pool) : readOnSessions(pool),
    end: () => pool.end(),
  };
}

function readOnSessions(pool: Database): TenantReads['read'] {
  /** The tenant that each connection was last bound to. */
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
        // The connection's tenant is uncertain now, so that the connection is not used again.
        broken(error);
        throw error;
      }
    });
}

const readInTransactions =
  (pool: Database): TenantReads['read'] =>
  ({ merchantId, environment }, work) =>
    inTransaction(
      pool,
      work,
      `SELECT set_config('role', 'card_payments_tenant', true),
         set_config('card_payments.merchant', ${pg.escapeLiteral(merchantId)}, true),
         set_config('card_payments.environment', ${pg.escapeLiteral(environment)}, true)`,
    );
