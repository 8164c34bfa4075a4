import { Client } from 'pg';

/** The counts since the start of the cluster. */
export interface DatabaseCounts {
  statements: number;
  temporalStatements: number;
  writes: number;
  walBytes: number;
}

/** A statement of the service. */
export interface SentStatement {
  user: string;
  text: string;
  calls: number;
}

/** Server settings without which statements are not counted. */
export const countingSettings = { shared_preload_libraries: 'pg_stat_statements' };

/** BEGIN and similar statements do no work of their own. */
const countsQuery = `
  SELECT
    coalesce(sum(s.calls) FILTER (WHERE d.datname NOT LIKE 'temporal%' AND d.datname <> 'postgres'), 0)::float8
      AS statements,
    coalesce(sum(s.calls) FILTER (WHERE d.datname LIKE 'temporal%'), 0)::float8 AS "temporalStatements",
    -- Every transaction that writes takes the next number.
    pg_snapshot_xmax(pg_current_snapshot())::text::float8 AS writes,
    pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS "walBytes"
  FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
  WHERE s.query !~* '^\\s*(begin|start transaction|commit|rollback|discard|deallocate)\\M'`;

/** The same statements of the service, one by one; their text is the same for all values. */
const textsQuery = `
  SELECT r.rolname AS user, regexp_replace(s.query, '\\s+', ' ', 'g') AS text, sum(s.calls)::float8 AS calls
  FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid JOIN pg_roles r ON r.oid = s.userid
  WHERE d.datname NOT LIKE 'temporal%' AND d.datname <> 'postgres'
    AND s.query !~* '^\\s*(begin|start transaction|commit|rollback|discard|deallocate)\\M'
  GROUP BY 1, 2`;

/** Returns the statements between two readings, as calls per second, the most frequent first. Pure. */
export function frequencies(
  before: readonly SentStatement[],
  after: readonly SentStatement[],
  seconds: number,
): { user: string; text: string; perSecond: number }[] {
  const keyOf = ({ user, text }: SentStatement): string => `${user} ${text}`;
  const callsBefore = new Map(before.map((statement) => [keyOf(statement), statement.calls]));
  return after
    .map((statement) => ({
      user: statement.user,
      text: statement.text,
      perSecond: (statement.calls - (callsBefore.get(keyOf(statement)) ?? 0)) / seconds,
    }))
    .filter(({ perSecond }) => perSecond > 0)
    .toSorted((a, b) => b.perSecond - a.perSecond);
}

/** Reads PostgreSQL's own statistics, over a connection to a database that is not counted. */
export class StatementCounter {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async open(databaseUrl: string): Promise<StatementCounter> {
    const url = new URL(databaseUrl);
    url.pathname = '/postgres';
    const client = new Client({ connectionString: url.href });
    client.on('error', () => {});
    await client.connect();
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    return new StatementCounter(client);
  }

  /** Returns how often each statement of the service was sent, by its user and its text. */
  async readTexts(): Promise<SentStatement[]> {
    const { rows } = await this.#client.query<SentStatement>(textsQuery);
    return rows;
  }

  async read(): Promise<DatabaseCounts> {
    const { rows } = await this.#client.query<DatabaseCounts>(countsQuery);
    if (rows[0] === undefined) throw new Error('an aggregate has one row');
    return rows[0];
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}
