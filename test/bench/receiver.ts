import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The merchants' webhook endpoints. All answer at once, in the generator's process, which is not counted. */
export interface DeliveryReceiver {
  /** Its address on loopback; each path is an endpoint of its own. */
  url: string;
  /** Different deliveries so far: of an event to an endpoint, however often it was sent. */
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
