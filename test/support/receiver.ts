import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSigned } from './harness/webhook-signature.ts';

/** One delivery as an endpoint received it. */
export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  text: string;
  at: number;
  event: {
    id: string;
    type: string;
    timestamp: string;
    sequence: number;
    previousStatus: string | null;
    environment: string;
    data: Record<string, unknown>;
  };
}

export interface Receiver {
  url: string;
  received: Received[];
  close(): Promise<void>;
}

/** A merchant's endpoint on loopback; `answer` chooses its status for each delivery, 204 by default. */
export async function createReceiver(
  answer: (delivery: Received, response: ServerResponse) => void = (_delivery, response) => {
    response.writeHead(204).end();
  },
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const delivery: Received = {
        path: request.url ?? '',
        headers: request.headers,
        text,
        at: Date.now(),
        event: text === '' ? {} : JSON.parse(text),
      };
      received.push(delivery);
      answer(delivery, response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Returns whether a delivery is signed with `secret`. */
export function isSignedBy(secret: string, { headers, text }: Pick<Received, 'headers' | 'text'>): boolean {
  return isSigned(secret, headers, text);
}
