import type { Queryable } from './database.ts';

/** How long a role may have no leader before an operator is alerted. */
const alertAfter = `interval '60 seconds'`;

/**
 * Notes that a process leads the sweeps of these roles now, by PostgreSQL's clock. The term of a role rises
 * with each change of its leader.
 */
export async function noteLeader(
  database: Queryable,
  roles: readonly string[],
  leader: string,
): Promise<void> {
  await database.query(
    `INSERT INTO sweep_leaders AS l (role, term, leader, refreshed_at)
     SELECT role, 1, $2, clock_timestamp() FROM unnest($1::text[]) AS role ORDER BY role
     ON CONFLICT (role) DO UPDATE SET term = l.term + (l.leader <> excluded.leader)::int,
       leader = excluded.leader, refreshed_at = excluded.refreshed_at`,
    [roles, leader],
  );
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
