import pg from 'pg';
import { type Database, type Queryable, inTransaction } from './database.ts';

/** How long a role may have no leader before an operator is alerted. */
const alertAfter = `interval '60 seconds'`;

/**
 * Begins a new term of a role, in which this process leads the role's sweeps, and returns it. Waits for the
 * transactions of the previous term, which are bounded by their deadlines; all later ones are refused. A term
 * is at least PostgreSQL's time in epoch ms, so that none is given twice, even if the row was deleted or the
 * last commits were lost. ADR 0080.
 */
export function takeTerm(database: Database, role: string, leader: string): Promise<number> {
  return inTransaction(database, async (transaction) => {
    // A separate statement, so that the next one sees everything that was committed before the lock was
    // acquired.
    await transaction.query(
      `SELECT pg_advisory_xact_lock(hashtextextended('term of sweeps of ' || $1::text, 0))`,
      [role],
    );
    const { rows } = await transaction.query<{ term: number }>(
      `INSERT INTO sweep_leaders AS l (role, term, leader, refreshed_at)
       VALUES ($1, extract(epoch FROM clock_timestamp()) * 1000, $2, clock_timestamp())
       ON CONFLICT (role) DO UPDATE SET term = greatest(l.term + 1, excluded.term),
         leader = excluded.leader, refreshed_at = excluded.refreshed_at
       RETURNING term`,
      [role, leader],
    );
    const [row] = rows;
    if (!row) throw new Error('no term was returned');
    return row.term;
  });
}

/** Returns a fence's statement, which raises an error unless the role's term is still this one. */
export const termCheckSql = (role: string, term: number): string =>
  `SELECT require_sweep_term(${pg.escapeLiteral(role)}, ${term})`;

/**
 * Records, by PostgreSQL's clock, that the leader still leads in these terms. Returns the terms that have not
 * ended.
 */
export async function recordLeader(
  database: Queryable,
  terms: ReadonlyMap<string, number>,
): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ role: string }>(
    `UPDATE sweep_leaders l SET refreshed_at = clock_timestamp()
     FROM unnest($1::text[], $2::bigint[]) AS held (role, term)
     WHERE l.role = held.role AND l.term = held.term RETURNING l.role`,
    [[...terms.keys()], [...terms.values()]],
  );
  return new Set(rows.map(({ role }) => role));
}

/** Records that these roles need a leader. A role that never had one counts as missing from now on. */
export async function expectLeaders(database: Queryable, roles: readonly string[]): Promise<void> {
  await database.query(
    `INSERT INTO sweep_leaders (role, term, leader, refreshed_at)
     SELECT role, 0, '', clock_timestamp() FROM unnest($1::text[]) AS role ORDER BY role
     ON CONFLICT (role) DO NOTHING`,
    [roles],
  );
}

/**
 * Raises an alert for each expected role that has had no leader for a minute, and clears the alerts of roles
 * that have one again. Returns the roles whose alert was raised or cleared.
 */
export async function alertMissingLeaders(
  database: Queryable,
): Promise<{ raised: string[]; cleared: string[] }> {
  const { rows } = await database.query<{ role: string; raised: boolean }>(
    `WITH missing AS (
       INSERT INTO operator_alerts (sweep, subject, detail, since)
       SELECT 'leader', role, 'none:60s', refreshed_at FROM sweep_leaders
       WHERE refreshed_at < clock_timestamp() - ${alertAfter}
       ON CONFLICT (sweep, subject) WHERE cleared_at IS NULL DO NOTHING RETURNING subject
     ), found AS (
       UPDATE operator_alerts a SET cleared_at = clock_timestamp() FROM sweep_leaders l
       WHERE a.sweep = 'leader' AND a.subject = l.role AND a.cleared_at IS NULL
         AND l.refreshed_at >= clock_timestamp() - ${alertAfter}
       RETURNING a.subject
     )
     SELECT subject AS role, true AS raised FROM missing UNION ALL SELECT subject, false FROM found`,
  );
  const rolesThat = (raised: boolean): string[] =>
    rows.filter((row) => row.raised === raised).map(({ role }) => role);
  return { raised: rolesThat(true), cleared: rolesThat(false) };
}
