import { createServer } from 'node:http';
import { isSigned } from '../support/harness/webhook-signature.ts';
import { closeServer, listen } from './listen.ts';

/** A webhook as received; `valid` when it is signed with the endpoint's secret. */
export interface Delivery {
  id: string;
  body: string;
  valid: boolean;
}

/**
 * The merchant's webhook receiver. It stores the deliveries, and sometimes answers with an error, as the plan
 * says.
 */
export interface Receiver {
  received: Delivery[];
  expectSecret: (secret: string) => void;
  failWhen: (fails: () => boolean) => void;
  close: () => Promise<void>;
}

export async function startReceiver(port: number): Promise<Receiver> {
  const received: Delivery[] = [];
  let secret: string | null = null;
  let fails = (): boolean => false;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const id = String(request.headers['webhook-id']);
      received.push({ id, body, valid: secret !== null && isSigned(secret, request.headers, body) });
      // The event was processed although the answer is an error, so it must come again under the same id.
      response.statusCode = fails() ? 500 : 204;
      response.end();
    });
  });
  await listen(server, port);
  return {
    received,
    expectSecret: (value) => (secret = value),
    failWhen: (decide) => (fails = decide),
    close: () => closeServer(server, () => server.closeAllConnections()),
  };
}
