import pg from 'pg';

/** A pooler with several servers may lend different ones for a while. */
const rounds = 3;

/**
 * Returns whether what answers at `url` lends PostgreSQL's connections for one transaction each: then two
 * connections, of which one rests while the other is in a transaction, are the same process of PostgreSQL, or
 * one is another process than before. Nothing that a session keeps may be relied on there: a name, a lock, or
 * the tenant that reads are bound to, which would be the next one's. Throws what a connection throws, also
 * when an answer takes longer than `waitMs`.
 */
export async function lendsConnections(
  url: string,
  applicationName: string,
  waitMs = 5_000,
): Promise<boolean> {
  // Without parameters of the session, which a pooler may refuse.
  const clients = [0, 1].map(() => {
    const client = new pg.Client({
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: waitMs,
      query_timeout: waitMs,
    });
    // The statement under way fails with it.
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
