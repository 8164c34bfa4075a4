import pg from 'pg';
import type { Queryable } from '../../src/db/server/database.ts';
import type { Tenant } from '../../src/db/payments/payments.ts';
import type { TenantReads } from '../../src/db/server/tenant-reads.ts';
import { eventually } from './shop.ts';

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

/** The cost of statements: blocks they touched, and scans of a whole table among those named. */
export interface Blocks {
  blocks: number;
  scans: number;
}

/** Makes the planner treat a short table as a long one, which it would otherwise read completely. */
const asOfLongTables = 'SET LOCAL enable_seqscan = off';

/**
 * Returns the cost of one statement, in blocks, with the generic plan that a connection keeps for it; all
 * values are text.
 */
export async function blocksAsPrepared(
  connection: Queryable,
  text: string,
  values: readonly string[],
): Promise<number> {
  await connection.query('BEGIN');
  try {
    await connection.query('SET LOCAL plan_cache_mode = force_generic_plan');
    await connection.query(`PREPARE kept AS ${text}`);
    const given = values.map((value) => pg.escapeLiteral(value)).join(', ');
    const { rows: plans } = await connection.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE kept(${given})`,
    );
    const plan = plans[0]?.['QUERY PLAN'][0]?.Plan;
    if (!plan) throw new Error('no plan');
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  } finally {
    await connection.query('ROLLBACK');
    await connection.query('DEALLOCATE ALL');
  }
}

/**
 * Vacuums and analyzes every table until no dead row is left. Rows that died since a concurrent autovacuum
 * began stay until it ends.
 */
export async function vacuumAll(database: Queryable): Promise<void> {
  await eventually(async () => {
    await database.query('VACUUM ANALYZE');
    const { rows } = await database.query(
      'SELECT relname, n_dead_tup FROM pg_stat_user_tables WHERE n_dead_tup > 0',
    );
    return rows.length === 0 || undefined;
  });
}

/** Returns the cost of one statement, which is rolled back; `short`: with the plan for long tables. */
export async function blocksOf(
  connection: Queryable,
  tables: readonly string[],
  text: string,
  values: unknown[],
  short = false,
): Promise<Blocks> {
  await connection.query('BEGIN');
  try {
    if (short) await connection.query(asOfLongTables);
    const scansOf = async () => {
      const { rows: scans } = await connection.query<{ scans: number }>(
        // Partitions count as the table that they belong to. An empty one has nothing to read.
        `SELECT coalesce(sum(seq_scan), 0) AS scans FROM pg_stat_xact_user_tables
         WHERE coalesce(pg_partition_root(relid), relid)::regclass::text = ANY ($1)
           AND pg_relation_size(relid) > 0`,
        [tables],
      );
      return Number(scans[0]?.scans);
    };
    const before = await scansOf();
    const { rows: plans } = await connection.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    );
    const plan = plans[0]?.['QUERY PLAN'][0]?.Plan;
    if (!plan) throw new Error('no plan');
    return {
      blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
      scans: (await scansOf()) - before,
    };
  } finally {
    await connection.query('ROLLBACK');
  }
}

/** Returns the answer of `read`, and the statements that it sent with their values. */
export async function statementsOf<T>(
  connection: Queryable,
  read: (database: Queryable) => Promise<T>,
): Promise<{ answer: T; sent: [string, unknown[]][] }> {
  const sent: [string, unknown[]][] = [];
  const noting: object = {
    query: (statement: string | { text: string; values: unknown[] }, given: unknown[] = []) => {
      const { text, values } = typeof statement === 'string' ? { text: statement, values: given } : statement;
      sent.push([text, values]);
      return typeof statement === 'string' ? connection.query(text, values) : connection.query(statement);
    },
  };
  return { answer: await read(noting as Queryable), sent };
}

/**
 * Returns the answer of `read` and the cost of every statement that it sent, as the tenant's own role runs it
 * and with the plan that a prepared statement keeps.
 */
export async function blocksOfRead<T>(
  tenants: TenantReads,
  tenant: Tenant,
  tables: readonly string[],
  read: (database: Queryable) => Promise<T>,
  short = false,
): Promise<T & Blocks> {
  return tenants.read(tenant, async (connection) => {
    const { answer, sent } = await statementsOf(connection, read);
    // After six times a prepared statement may be run with a generic plan.
    const costs = { blocks: 0, scans: 0 };
    for (const [text, values] of sent) {
      for (let time = 0; time < 6; time += 1) await connection.query(text, values);
      const { blocks, scans } = await blocksOf(connection, tables, text, values, short);
      costs.blocks += blocks;
      costs.scans += scans;
    }
    return { ...answer, ...costs };
  });
}
