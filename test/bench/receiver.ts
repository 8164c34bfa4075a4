import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The merchants' webhook endpoints. They answer at once, in the generator's uncounted process. */
export interface DeliveryReceiver {
  /** Its address on loopback; each path is an endpoint of its own. */
  url: string;
  /** Number of distinct deliveries so far: an event to an endpoint counts once, however often it was sent. */
  received(): number;
  close(): Promise<void>;
}

/** Returns a receiver that listens on a free port of loopback. */
export async function openDeliveryReceiver(): Promise<DeliveryReceiver> {
  const deliveries = new Set<string>();
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      deliveries.add(`${String(request.headers['webhook-id'])} ${request.url ?? ''}`);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => deliveries.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
