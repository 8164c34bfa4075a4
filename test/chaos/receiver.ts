import { createServer } from 'node:http';
import { isSigned } from '../support/harness/webhook-signature.ts';
import { closeServer, listen } from './listen.ts';

/** A webhook as it came; `valid`: signed with the endpoint's secret. */
export interface Delivery {
  id: string;
  body: string;
  valid: boolean;
}

/**
 * The merchant's webhook receiver: keeps what arrived, and answers with an error now and then where the plan
 * says so.
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
      // Processed, and the answer says otherwise: the same event must come again under the same id.
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
