import type { Server } from 'node:net';

/** Resolves when the server listens on a port of 127.0.0.1; rejects when it cannot. */
export function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

/** Closes the server. `endConnections` ends open connections, which would keep it running. */
export function closeServer(server: Server, endConnections: () => void): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    endConnections();
  });
}
