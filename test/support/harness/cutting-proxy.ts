import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The point at which a pay's connection is cut: before the service receives it, while the service works on
 * it, or in the middle of its answer.
 */
export type Cut = 'before' | 'within' | 'after';

/** A proxy before the service that cuts the connections of pays as planned. */
export interface CuttingProxy {
  url: string;
  /** The cuts of the next pays. A pay without a cut passes. */
  cuts: Cut[];
  /** How many pays reached the service. */
  pays: number;
  close(): Promise<void>;
}

/** Starts a proxy before the service at `target`. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const server = createServer((request, response) => {
    void pass(request, response).catch(() => response.destroy());
  });
  const proxy: CuttingProxy = {
    url: '',
    cuts: [],
    pays: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isPay = request.method === 'POST' && request.url?.endsWith('/pay') === true;
    const cut = isPay ? proxy.cuts.shift() : undefined;
    const body = await bytesOf(request);
    if (cut === 'before') {
      response.destroy();
      return;
    }
    if (isPay) proxy.pays += 1;
    const { authorization = '', 'content-type': type, 'idempotency-key': key } = request.headers;
    const answered = fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: {
        authorization,
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(typeof key === 'string' ? { 'idempotency-key': key } : {}),
      },
      ...(body.length === 0 ? {} : { body }),
    });
    if (cut === 'within') response.destroy();
    const answer = await answered;
    const text = Buffer.from(await answer.arrayBuffer());
    if (cut === 'within') return;
    const {
      'content-encoding': _encoding,
      'transfer-encoding': _transfer,
      ...headers
    } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, { ...headers, 'content-length': text.length });
    if (cut === 'after') response.write(text.subarray(0, text.length / 2), () => response.destroy());
    else response.end(text);
  }

  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

async function bytesOf(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Uint8Array.from(Buffer.concat(chunks));
}
