import { connect, createServer } from 'node:net';

/**
 * A proxy in front of PostgreSQL that can cut every connection, or lose the answer to a COMMIT: the statement arrives,
 * the caller never hears of it. `reach` is awaited at `postgres.commit.before` and `.after`.
 */
export async function startPostgresProxy({ port, targetPort, reach, loseCommit }) {
  const sockets = new Set();
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: targetPort });
    sockets.add(client);
    let deaf = false;
    const deliver = async (bytes) => {
      const commits = bytes.includes('COMMIT');
      if (commits) {
        client.pause();
        await reach('postgres.commit.before');
        if (loseCommit()) {
          deaf = true;
          setTimeout(end, 150);
        }
      }
      if (!upstream.destroyed) upstream.write(bytes);
      if (commits) {
        await reach('postgres.commit.after');
        client.resume();
      }
    };
    const end = () => {
      client.destroy();
      upstream.destroy();
      sockets.delete(client);
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.on('data', (bytes) => void deliver(bytes));
    upstream.on('data', (bytes) => {
      if (!deaf && !client.destroyed) client.write(bytes);
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    cutAll: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        for (const socket of sockets) socket.destroy();
      }),
  };
}
