import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** A proxy between a client and PostgreSQL that stores the client's data, chunk by chunk. */
export interface RecordingProxy {
  url: string;
  sent: () => string[];
  close: () => Promise<void>;
}

/** Returns a proxy of the database at `url`. */
export async function recordingProxy(url: string): Promise<RecordingProxy> {
  const target = new URL(url);
  const chunks: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.on('data', (chunk: Buffer) => chunks.push(chunk.toString('latin1')));
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const own = new URL(url);
  own.hostname = '127.0.0.1';
  own.port = String((server.address() as AddressInfo).port);
  return {
    url: own.href,
    sent: () => [...chunks],
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
