import { openDatabase, type Queryable, withConnection } from './database.ts';
import type { Tenant } from './payments.ts';

/** Reads that see the rows of one tenant only, whatever the statement says. */
export interface TenantReads {
  /**
   * Runs `work` on a connection bound to the tenant: at most one round trip more, none when it last served
   * the same.
   */
  read<T>(tenant: Tenant, work: (database: Queryable) => Promise<T>): Promise<T>;
  end(): Promise<void>;
}

/**
 * Opens the pool of the merchant reads. Its connections take the role `card_payments_tenant`, which may
 * select and nothing else, and which row-level security binds to the tenant named (migration 0006, ADR 0008):
 * a statement that forgets its WHERE clause answers no stranger's row.
 */
export function openTenantReads(options: Parameters<typeof openDatabase>[0]): TenantReads {
  const pool = openDatabase(options);
  /** The tenant a connection was last bound to. */
  const bound = new WeakMap<object, string>();
  return {
    read: ({ merchantId, environment }, work) =>
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
      }),
    end: () => pool.end(),
  };
}
