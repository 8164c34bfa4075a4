import { openDatabase, type Queryable } from './database.ts';
import type { Tenant } from './payments.ts';

/** Reads that see the rows of one tenant only, whatever the statement says. */
export interface TenantReads {
  /** Runs `work` on a connection bound to the tenant: at most one round trip more, none when it last served the same. */
  read<T>(tenant: Tenant, work: (database: Queryable) => Promise<T>): Promise<T>;
  end(): Promise<void>;
}

/**
 * Opens the pool of the merchant reads. Its connections take the role `card_payments_tenant`, which may select and
 * nothing else, and which row-level security binds to the tenant named (migration 0006, ADR 0008): a statement that
 * forgets its WHERE clause answers no stranger's row.
 */
export function openTenantReads(options: Parameters<typeof openDatabase>[0]): TenantReads {
  const pool = openDatabase(options);
  /** The tenant a connection was last bound to. */
  const bound = new WeakMap<object, string>();
  return {
    async read({ merchantId, environment }, work) {
      const client = await pool.connect();
      let broken: Error | undefined;
      try {
        const tenant = `${environment}:${merchantId}`;
        if (bound.get(client) !== tenant) {
          bound.delete(client);
          await client.query(
            `SELECT set_config('role', 'card_payments_tenant', false), set_config('card_payments.merchant', $1, false),
               set_config('card_payments.environment', $2, false)`,
            [merchantId, environment],
          );
          bound.set(client, tenant);
        }
        return await work(client);
      } catch (error) {
        // What it is bound to is uncertain now: it is not used again.
        broken = error instanceof Error ? error : new Error('a read failed');
        throw error;
      } finally {
        client.release(broken);
      }
    },
    end: () => pool.end(),
  };
}
