import pg from 'pg';
import { archivedTables, archiveSchema } from '../payments/archive.ts';
import { type ProcessRole, knownTables, privilegesOf, processRoles } from './privileges.ts';

/** Locked while privileges are written, because two concurrent writers would conflict. */
const lockKey = 4_716_022;

/**
 * Grants the processes' roles what they need in this database and revokes everything else, in one
 * transaction, so that running processes see no gap. Creates missing roles, and allows those with a password
 * to log in. Safe to repeat. Returns null, or, if the database's user lacks the rights, one line with what an
 * administrator must do. docs/operations.md, "A role for each process".
 */
export async function grantPrivileges(
  databaseUrl: string,
  passwords: Readonly<Partial<Record<ProcessRole, string>>> = {},
): Promise<string | null> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'card-payments-migrate',
    statement_timeout: 30_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockKey]);
    for (const statement of await statements(client, passwords)) await client.query(statement);
    await client.query('COMMIT');
    return null;
  } catch (error) {
    if ((error as { code?: unknown }).code !== '42501') throw error;
    return (
      'the roles of the processes were not made: this user may not. As an administrator: ' +
      `CREATE ROLE ${Object.values(processRoles).join('; CREATE ROLE ')}; then migrate again`
    );
  } finally {
    await client.end();
  }
}

async function statements(
  client: pg.Client,
  passwords: Readonly<Partial<Record<ProcessRole, string>>>,
): Promise<string[]> {
  const { rows: present } = await client.query<{ name: string; secured: boolean }>(
    `SELECT c.relname AS name, c.relrowsecurity AS secured
     FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
       -- Partitions are reached through their table, whose privileges and policies apply.
       AND NOT c.relispartition`,
  );
  const { rows: schemas } = await client.query<{ name: string }>('SELECT current_schema() AS name');
  const { rows: policies } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_policies WHERE schemaname = current_schema() AND policyname = 'of_processes'`,
  );
  const { rows: functions } = await client.query<{ known: boolean }>(
    `SELECT to_regproc('members_to_mail') IS NOT NULL AS known`,
  );
  const { rows: writers } = await client.query<{ known: boolean }>(
    `SELECT to_regproc('record_provider_movements') IS NOT NULL AS known`,
  );
  const { rows: partitions } = await client.query<{ known: boolean }>(
    `SELECT to_regproc('create_request_partition') IS NOT NULL AS known`,
  );
  const { rows: months } = await client.query<{ known: boolean }>(
    `SELECT to_regproc('create_event_partitions') IS NOT NULL AS known`,
  );
  const { rows: archives } = await client.query<{ known: boolean }>(
    `SELECT to_regproc('archive_payments') IS NOT NULL AS known`,
  );
  const schema = pg.escapeIdentifier(schemas[0]?.name ?? 'public');
  const both = Object.values(processRoles).join(', ');
  return [
    ...Object.values(processRoles).map(roleIfMissing),
    ...(Object.keys(processRoles) as ProcessRole[]).flatMap((role) => {
      const password = passwords[role];
      if (password === undefined) return [];
      return [`ALTER ROLE ${processRoles[role]} LOGIN PASSWORD ${pg.escapeLiteral(password)}`];
    }),
    `GRANT USAGE ON SCHEMA ${schema} TO ${both}`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM ${both}`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${both}`,
    // Merchant reads run as this role (src/db/server/tenant-reads.ts).
    `GRANT card_payments_tenant TO ${processRoles.api}`,
    ...present
      .filter(({ name }) => knownTables.includes(name))
      .flatMap(({ name }) =>
        (Object.keys(processRoles) as ProcessRole[]).flatMap((role) => {
          const granted = privilegesOf(role, name);
          if (granted.length === 0) return [];
          return [`GRANT ${granted.join(', ')} ON ${pg.escapeIdentifier(name)} TO ${processRoles[role]}`];
        }),
      ),
    // A worker may read only the addresses of members.
    ...(functions[0]?.known === true
      ? [`GRANT EXECUTE ON FUNCTION members_to_mail TO ${processRoles.worker}`]
      : []),
    // A worker may write only fees and payouts as movements.
    ...(writers[0]?.known === true
      ? [`GRANT EXECUTE ON FUNCTION record_provider_movements TO ${processRoles.worker}`]
      : []),
    // A worker may change no table, except to create and drop days of the request log and months of the event
    // log.
    ...(partitions[0]?.known === true
      ? [
          `GRANT EXECUTE ON FUNCTION create_request_partition, drop_request_partition TO ${processRoles.worker}`,
        ]
      : []),
    ...(months[0]?.known === true
      ? [`GRANT EXECUTE ON FUNCTION create_event_partitions, drop_event_partitions TO ${processRoles.worker}`]
      : []),
    ...(archives[0]?.known === true ? archivePrivileges : []),
    // Row security applies to every role but the owner. The processes work for all merchants, so they need a
    // policy.
    ...present
      .filter(({ name, secured }) => secured && !policies.some((policy) => policy.name === name))
      .map(({ name }) => {
        const on = pg.escapeIdentifier(name);
        return `CREATE POLICY of_processes ON ${on} TO ${both} USING (true) WITH CHECK (true)`;
      }),
  ];
}

const { api, worker } = processRoles;

/** The processes may read archived payments and move them back; only the worker archives. */
const archivePrivileges = [
  `GRANT USAGE ON SCHEMA ${archiveSchema} TO ${api}, ${worker}`,
  `REVOKE ALL ON ALL TABLES IN SCHEMA ${archiveSchema} FROM ${api}, ${worker}`,
  `GRANT SELECT ON ALL TABLES IN SCHEMA ${archiveSchema} TO ${api}, ${worker}`,
  `GRANT EXECUTE ON FUNCTION unarchive_payments TO ${api}, ${worker}`,
  `GRANT EXECUTE ON FUNCTION archive_payments TO ${worker}`,
  ...archivedTables.map(
    (table) => `DO $$
BEGIN
  CREATE POLICY of_processes ON ${archiveSchema}.${table} FOR SELECT TO ${api}, ${worker} USING (true);
EXCEPTION WHEN duplicate_object THEN NULL;
END $$`,
  ),
];

/**
 * Returns SQL that creates a role if it is missing. Roles belong to the cluster, so another database of the
 * cluster may create them at the same moment.
 */
const roleIfMissing = (name: string): string => `DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${name}') THEN
    CREATE ROLE ${name} NOLOGIN;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$`;
