import { type Socket, connect, createServer } from 'node:net';
import { closeServer, listen } from './listen.ts';

/** How long after its sending a COMMIT loses its answer, in ms. */
const lostAfterMs = 150;

export interface PostgresProxy {
  /** Resets every connection. */
  cutAll: () => void;
  close: () => Promise<void>;
}

export interface PostgresProxyOptions {
  port: number;
  targetPort: number;
  /** Awaited at `postgres.commit.before` and `.after`. */
  reach: (point: string) => Promise<void>;
  losesCommit: () => boolean;
}

/**
 * Starts a proxy in front of PostgreSQL that can cut every connection, or lose the answer to a COMMIT: the
 * statement arrives, but the caller gets no answer.
 */
export async function startPostgresProxy(options: PostgresProxyOptions): Promise<PostgresProxy> {
  const { port, targetPort } = options;
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on('close', () => clients.delete(client));
    join(client, connect({ host: '127.0.0.1', port: targetPort }), options);
  });
  await listen(server, port);
  return {
    cutAll: () => {
      for (const client of clients) client.resetAndDestroy();
    },
    close: () =>
      closeServer(server, () => {
        for (const client of clients) client.destroy();
      }),
  };
}

function join(client: Socket, upstream: Socket, { reach, losesCommit }: PostgresProxyOptions): void {
  let isDeaf = false;
  const end = (): void => {
    client.destroy();
    upstream.destroy();
  };
  const deliver = async (bytes: Buffer): Promise<void> => {
    const commits = bytes.includes('COMMIT');
    if (commits) {
      client.pause();
      await reach('postgres.commit.before');
      if (losesCommit()) {
        isDeaf = true;
        setTimeout(end, lostAfterMs);
      }
    }
    if (!upstream.destroyed) upstream.write(bytes);
    if (commits) {
      await reach('postgres.commit.after');
      client.resume();
    }
  };
  for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
  client.on('data', (bytes: Buffer) => void deliver(bytes));
  upstream.on('data', (bytes: Buffer) => {
    if (!isDeaf && !client.destroyed) client.write(bytes);
  });
}
