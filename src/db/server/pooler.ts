import pg from 'pg';

/** The number of checks, because a pooler with several servers may lend different connections for a while. */
const rounds = 3;

/**
 * Returns whether the server at `url` is a pooler that lends PostgreSQL's connections for one transaction
 * each. Behind such a pooler, two client connections of which one is idle while the other is in a transaction
 * reach the same PostgreSQL process, or one connection changes its process. State of a session is unsafe
 * there (a name, a lock, or the tenant that reads are bound to), because the next borrower would get it.
 * Passes on connection errors, and throws when a response takes longer than `waitMs`.
 */
export async function isTransactionPooler(
  url: string,
  applicationName: string,
  waitMs = 5_000,
): Promise<boolean> {
  // Uses no session parameters, because a pooler may refuse them.
  const clients = [0, 1].map(() => {
    const client = new pg.Client({
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: waitMs,
      query_timeout: waitMs,
    });
    // The statement in progress reports the error.
    client.on('error', () => undefined);
    return client;
  });
  const [resting, busy] = clients as [pg.Client, pg.Client];
  const pid = async (client: pg.Client): Promise<number | undefined> =>
    (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
  try {
    await Promise.all(clients.map((client) => client.connect()));
    const own = await pid(resting);
    for (let round = 0; round < rounds; round += 1) {
      await busy.query('BEGIN');
      if ((await pid(busy)) === own) return true;
      await busy.query('COMMIT');
      if ((await pid(resting)) !== own) return true;
    }
    return false;
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}
