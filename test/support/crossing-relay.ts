import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/**
 * A relay on loopback that forces a race. When a connection carries its first request, the data or the close
 * that the server sent on the idle connection reaches the client at that moment, as when both cross on a long
 * way.
 */
export interface CrossingRelay {
  origin: string;
  port: number;
  /** The server's port on 127.0.0.1. */
  targetPort: number;
  /** Idle connections that the server has ended, unknown to the client. */
  ended(): number;
  /** First requests that were sent on such connections. */
  crossed(): number;
  close(): Promise<void>;
}

export async function crossingRelay(): Promise<CrossingRelay> {
  const sockets = new Set<Socket>();
  const stale = new Set<Socket>();
  let crossed = 0;

  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: relay.targetPort, noDelay: true });
    client.setNoDelay(true);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    }
    let asked = false;
    const early: Buffer[] = [];
    upstream.on('data', (piece: Buffer) => (asked ? client.write(piece) : early.push(piece)));
    upstream.on('close', () => (asked ? client.end() : stale.add(client)));
    client.on('data', (piece: Buffer) => {
      asked = true;
      if (!stale.delete(client)) return void upstream.write(piece);
      crossed += 1;
      for (const earlyPiece of early) client.write(earlyPiece);
      client.end();
    });
    client.on('close', () => {
      stale.delete(client);
      upstream.destroy();
    });
  });

  const relay: CrossingRelay = {
    origin: '',
    port: 0,
    targetPort: 0,
    ended: () => stale.size,
    crossed: () => crossed,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  relay.port = (server.address() as AddressInfo).port;
  relay.origin = `http://127.0.0.1:${relay.port}`;
  return relay;
}
