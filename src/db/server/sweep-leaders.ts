import pg from 'pg';
import { type Database, type Queryable, inTransaction } from './database.ts';

/** How long a role may have no leader before an operator is alerted. */
const alertAfter = `interval '60 seconds'`;

/**
 * Begins a new term of a role and returns it: this process leads its sweeps now. Waits for the transactions
 * of the term before, which are at most as long as their deadlines; every later one is refused. A term is no
 * smaller than PostgreSQL's time in epoch ms: none is given twice, also where the row was deleted or the last
 * commits were lost. ADR 0080.
 */
export function takeTerm(database: Database, role: string, leader: string): Promise<number> {
  return inTransaction(database, async (transaction) => {
    // A statement of its own: the next one sees what was committed before the lock was got.
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

/** Returns the statement that raises unless the role's term is still this one, for a fence. */
export const checkOfTerm = (role: string, term: number): string =>
  `SELECT require_sweep_term(${pg.escapeLiteral(role)}, ${term})`;

/** Notes that the leader of these terms by role leads still, by PostgreSQL's clock. Returns no ended term. */
export async function noteLeader(
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

/** Notes that these roles need a leader: a role that never had one is missed from now on. */
export async function expectLeaders(database: Queryable, roles: readonly string[]): Promise<void> {
  await database.query(
    `INSERT INTO sweep_leaders (role, term, leader, refreshed_at)
     SELECT role, 0, '', clock_timestamp() FROM unnest($1::text[]) AS role ORDER BY role
     ON CONFLICT (role) DO NOTHING`,
    [roles],
  );
}

/**
 * Raises an alert for each expected role without a leader for a minute, and clears those of roles that have
 * one again. Returns the roles of which an alert was raised or cleared.
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
