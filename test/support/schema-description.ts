import type { Queryable } from '../../src/db/server/database.ts';

/** The role whose privileges the migrations grant. Those of the processes are granted later. */
const tenantRole = 'card_payments_tenant';
/** Policies, and the table of the migrations, which only the migrate command writes. */
const writtenByCommand = { policy: 'of_processes', table: 'schema_migrations' };

/**
 * Returns the schema of a database as sorted lines, one for each table, column, constraint, index, function,
 * trigger, policy and grant. It ignores differences between two ways of writing the same schema: the order of
 * columns, comments, and white space in functions.
 */
export async function describeSchema(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ line: string }>(
    `WITH own AS (
       SELECT c.* FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relname NOT LIKE $3 || '%'
     ), tables AS (SELECT * FROM own WHERE relkind = 'r'),
     attributes AS (
       SELECT t.relname, a.* FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid
       WHERE a.attnum > 0 AND NOT a.attisdropped
     )
     SELECT 'table ' || relname || CASE relpersistence WHEN 'u' THEN ' unlogged' ELSE '' END
       || CASE WHEN relrowsecurity THEN ' row security' ELSE '' END || coalesce(' ' || reloptions::text, '') AS line
     FROM tables
     UNION ALL
     SELECT 'column ' || a.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
       || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
       || CASE a.attidentity WHEN 'a' THEN ' generated always as identity' ELSE '' END
       || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
     FROM attributes a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     UNION ALL
     SELECT 'constraint ' || t.relname || '.' || o.conname || ' ' || pg_get_constraintdef(o.oid)
     FROM tables t JOIN pg_constraint o ON o.conrelid = t.oid WHERE o.contype IN ('c', 'f', 'p', 'u', 'x')
     UNION ALL
     SELECT 'index ' || replace(pg_get_indexdef(i.indexrelid), current_schema() || '.', '')
       || CASE WHEN i.indisvalid THEN '' ELSE ' (not valid)' END
     FROM tables t JOIN pg_index i ON i.indrelid = t.oid
     WHERE NOT EXISTS (SELECT FROM pg_constraint o WHERE o.conindid = i.indexrelid AND o.contype IN ('p', 'u'))
     UNION ALL
     SELECT 'sequence ' || s.relname FROM own s WHERE s.relkind = 'S'
     UNION ALL
     SELECT 'function ' || replace(regexp_replace(regexp_replace(pg_get_functiondef(p.oid), '\\s--[^\n]*', '', 'g'),
       '\\s+', ' ', 'g'), current_schema() || '.', '')
     FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind = 'f'
     UNION ALL
     SELECT 'trigger ' || replace(pg_get_triggerdef(g.oid), current_schema() || '.', '')
     FROM tables t JOIN pg_trigger g ON g.tgrelid = t.oid WHERE NOT g.tgisinternal
     UNION ALL
     SELECT format('policy %s.%s for %s to %s using %s', tablename, policyname, cmd, array_to_string(roles, ','),
       regexp_replace(qual, '\\s+', ' ', 'g')) || coalesce(' with check ' || with_check, '')
     FROM pg_policies WHERE schemaname = current_schema() AND policyname <> $2
     UNION ALL
     SELECT format('grant %s on %s', g.privilege_type, t.relname)
     FROM tables t, aclexplode(t.relacl) g WHERE g.grantee = $1::regrole
     UNION ALL
     SELECT format('grant %s on %s.%s', g.privilege_type, a.relname, a.attname)
     FROM attributes a, aclexplode(a.attacl) g WHERE g.grantee = $1::regrole
     UNION ALL
     SELECT format('grant %s on the schema', g.privilege_type)
     FROM pg_namespace n, aclexplode(n.nspacl) g
     WHERE n.oid = current_schema()::regnamespace AND g.grantee = $1::regrole`,
    [tenantRole, writtenByCommand.policy, writtenByCommand.table],
  );
  return rows.map(({ line }) => line).toSorted();
}
